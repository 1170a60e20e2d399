"""Warnings that the replies give rise to, each with a twin that must stay silent."""

import dataclasses

import pytest

from scored_samples import GENERATE, failed, sample
from sotaque.records import Failure, Finish, Outcome, Usage
from sotaque.summary import summarise


def warnings_of(rows, **facts):
    return summarise(rows, {"contextual": dataclasses.replace(GENERATE, **facts)}).tasks["contextual"].warnings


def test_cut_off_replies_name_count_limit_and_remedy():
    rows = [sample(i, Outcome.TRUNCATED, finish=Finish.LENGTH) for i in range(12)] + [sample(12 + i) for i in range(88)]
    assert warnings_of(rows, max_tokens=5)[0] == (
        "12 of 100 replies were cut off at the token limit of 5, before an answer that can be read. "
        "A reasoning model needs more room (--max-tokens 1024)."
    )


@pytest.mark.parametrize(
    "reply",
    [{"reasoning": "hm"}, {"usage": Usage(10, 64, 64)}, {"text": "<think>\nhm"}, {"text": "[THINK]hm"}]
    + [{"text": "<think>hm</think>\nA resposta"}, {"text": "<|channel|>analysis<|message|>hm"}],
    ids=["kept apart", "counted by the server", "in the text", "in other marks", "closed too late", "in a channel"],
)
def test_reasoning_that_used_up_the_budget_is_said(reply):
    rows = [sample(i, Outcome.TRUNCATED, finish=Finish.LENGTH, **reply) for i in range(3)]
    assert "In 3 of these 3, reasoning tokens used up the budget." in warnings_of(rows, max_tokens=64)


def test_a_readable_answer_at_the_limit_is_no_warning():
    assert warnings_of([sample(i, finish=Finish.LENGTH) for i in range(3)], max_tokens=5) == ()


def test_every_reply_empty():
    rows = [sample(i, Outcome.EMPTY, text="", finish=Finish.OTHER) for i in range(3)] + [failed(3)]
    assert "Every reply was empty: this score says nothing about the model." in warnings_of(rows)


def test_a_few_empty_replies_are_only_counted():
    assert warnings_of([sample(i, Outcome.EMPTY if i < 4 else Outcome.CORRECT) for i in range(10)]) == ()


def test_most_replies_stopping_at_nothing_name_the_stop_strings():
    rows = [sample(i, Outcome.EMPTY if i < 8 else Outcome.CORRECT) for i in range(10)]
    assert warnings_of(rows, stop=("\n",)) == (
        '8 of 10 replies stopped before any text; the stop strings ("\\n") may cut every answer short.',
    )
    assert warnings_of(rows) == ("8 of 10 replies stopped before any text.",)


def test_most_replies_stopping_before_an_answer_name_the_stop_strings():
    """ "Resposta:" and the stop string after it: not empty, but nothing useful."""
    rows = [sample(i, Outcome.INVALID if i < 6 else Outcome.CORRECT, text="پاسخ:") for i in range(10)]
    counted = "6 of 10 replies hold no answer that can be read; they count as not correct"
    assert warnings_of(rows, stop=("\n", "سؤال:")) == (
        f'{counted}; the stop strings ("\\n", "سؤال:") may cut every answer short.',
    )
    assert warnings_of(rows) == (f"{counted}.",)
    cut = [sample(i, Outcome.INVALID, text="hm", finish=Finish.OTHER) for i in range(6)] + rows[6:]
    assert warnings_of(cut, stop=("\n",)) == (f"{counted}.",)


def test_lost_requests_are_counted_apart_from_unread_verdicts():
    found = warnings_of([sample(0), failed(1), sample(2, Outcome.UNSCORED)])
    assert found[0].startswith("1 of 3 requests got no reply")
    assert found[1].startswith("1 of 3 replies could not be scored")


def test_reasoning_inside_a_short_limit_is_said_even_where_an_answer_came():
    rows = [sample(0, usage=Usage(10, 5, 3)), sample(1)]
    expected = (
        "1 of 2 replies spent reasoning tokens inside the limit of 5: the limit, not the language, may decide. "
        "Try --max-tokens 1024.",
    )
    assert warnings_of(rows, max_tokens=5) == expected
    assert warnings_of(rows, max_tokens=64) == ()


def test_unreadable_replies_from_a_tenth_on():
    rows = [sample(i, Outcome.INVALID if i == 0 else Outcome.CORRECT) for i in range(10)]
    assert warnings_of(rows) == ("1 of 10 replies hold no answer that can be read; they count as not correct.",)
    assert warnings_of([*rows, sample(10)]) == ()


def test_always_the_same_place_is_said_of_a_model_only():
    """Options are shown in the order 2, 0, 1; option 0 stands in place 2 of every item."""
    rows = [sample(i, order=(2, 0, 1)) for i in range(20)]
    assert warnings_of(rows) == ("20 of 20 answers pick the option in place 2, whatever the question.",)
    assert warnings_of(rows, reads_nothing=True) == ()


def test_several_reported_model_names():
    rows = [sample(0, model="m-0613"), sample(1, model="m-0613"), sample(2, model="m-1106")]
    summary = summarise(rows, {"contextual": GENERATE})
    assert summary.reported == {"m-0613": 2, "m-1106": 1}
    assert summary.warnings == (
        "The server reported 2 model names: m-0613 (2), m-1106 (1). The replies may come from different models.",
    )
    assert summarise(rows[:2], {"contextual": GENERATE}).warnings == ()


def test_the_commonest_reason_of_lost_requests_is_said():
    rows = [sample(0), failed(1), failed(2), dataclasses.replace(failed(3), reply=Failure("x" * 300 + "\na prompt"))]
    found = warnings_of(rows)
    assert found[1] == f"Why there was no reply to 2 of them: {failed(1).reply.message}"
    assert warnings_of(rows[3:])[1] == f"Why there was no reply: {'x' * 199}…"


def test_of_many_model_names_the_commonest_are_named():
    rows = [sample(i, model=f"toy-{i}") for i in range(9)] + [sample(9, model="toy-7")]
    (said,) = summarise(rows, {"contextual": GENERATE}).warnings
    assert "9 model names: toy-7 (2), toy-0 (1), toy-1 (1), toy-2 (1), toy-3 (1) and 4 more." in said
