"""What is read out of the shapes that servers reply in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import ask, chat_request, served
from fault_server import FaultServer, always, chat, text
from sotaque.errors import Fatal, Rejected, Transient
from sotaque.models.faults import Asked, fault
from sotaque.models.prompt_logprobs import read_echo
from sotaque.models.replies import read_reply
from sotaque.records import Finish, Reply, Usage

FIELDS = (
    "choices message text content finish_reason usage error code type detail details loc msg refusal tool_calls "
    "reasoning reasoning_details thinking prompt_tokens completion_tokens total_tokens completion_tokens_details "
    "logprobs tokens token_logprobs object param status retryDelay model"
).split()
CALL = [{"id": "1", "type": "function", "function": {"name": "procurar", "arguments": "{}"}}]


def read(answer, **more) -> Reply:
    return read_reply(answer.body, **more)


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("stop", Finish.STOP),
        ("eos_token", Finish.STOP),
        (None, Finish.STOP),
        ("length", Finish.LENGTH),
        ("MAX_TOKENS", Finish.LENGTH),
        ("content_filter", Finish.REFUSAL),
        ("content_filter: PROHIBITED_CONTENT", Finish.REFUSAL),
        ("SAFETY", Finish.REFUSAL),
        ("algo_novo", Finish.OTHER),
    ],
)
def test_finish_reasons(reason, finish):
    assert read(chat("A resposta é B.", reason)).finish is finish


def test_unknown_finish_reason_is_noted():
    assert read(chat("B", "algo_novo")).notes == ("finish_reason algo_novo",)


def test_refusal_field_is_a_refusal_and_its_words_are_kept():
    reply = read(chat(None, "stop", refusal="Não posso ajudar com isso."))
    assert (reply.finish, reply.text) == (Finish.REFUSAL, "Não posso ajudar com isso.")


def test_null_refusal_field_is_none():
    assert read(chat("B", refusal=None)).finish is Finish.STOP


def test_tool_call_without_content_has_no_text_and_says_so():
    reply = read(chat(None, "tool_calls", tool_calls=CALL))
    assert (reply.text, reply.finish) == (None, Finish.OTHER)
    assert reply.notes == ("the model called a tool instead of answering",)


def test_tool_call_that_claims_to_be_a_stop_is_still_one():
    assert read(chat(None, "stop", tool_calls=CALL)).finish is Finish.OTHER


def test_null_content_cut_by_length_has_no_text():
    reply = read(chat(None, "length"))
    assert (reply.text, reply.finish, reply.notes) == (None, Finish.LENGTH, ())


def test_reasoning_model_that_used_the_whole_budget_says_so():
    usage = {"prompt_tokens": 10, "completion_tokens": 16, "completion_tokens_details": {"reasoning_tokens": 16}}
    reply = read(chat("", "length", usage=usage))
    assert (reply.text, reply.finish) == ("", Finish.LENGTH)
    assert reply.usage == Usage(prompt=10, completion=16, reasoning=16)
    assert reply.notes == ("the whole token budget went into reasoning",)


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "penso, logo B"},
        {"reasoning": "penso, logo B"},
        {"reasoning": None, "reasoning_details": [{"type": "reasoning.text", "text": "penso, logo B"}]},
        {"reasoning_content": "penso, logo B", "reasoning": "penso, logo B"},
    ],
)
def test_reasoning_that_the_server_keeps_apart(fields):
    reply = read(chat("B", **fields))
    assert (reply.text, reply.reasoning) == ("B", "penso, logo B")


def test_think_tags_stay_in_the_text():
    assert read(chat("<think>x</think> C")).text == "<think>x</think> C"


def test_content_in_parts_is_joined_and_thoughts_are_set_apart():
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hmm"}]},
        {"type": "text", "text": "A resposta "},
        {"type": "text", "text": "é B."},
    ]
    reply = read(chat(parts))  # type: ignore[arg-type]
    assert (reply.text, reply.reasoning) == ("A resposta é B.", "hmm")


@pytest.mark.parametrize(
    ("usage", "read_as"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4}, Usage(9, 4)),
        (
            {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 8}},
            Usage(9, 4, 0, 8),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 5}, Usage(9, 4, 0, 5)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "completion_tokens_details": None}, Usage(9, 4)),
        # Gemini: thoughts are in the total only
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 113}, Usage(9, 104, 100)),
        ({"prompt_tokens": 9, "total_tokens": 25}, Usage(9, 16, 16)),
        ({"prompt_tokens": "nove", "completion_tokens": None}, Usage()),
        (None, Usage()),
        ([], Usage()),
    ],
)
def test_usage_shapes(usage, read_as):
    answer = chat("B")
    answer.body["usage"] = usage
    assert read(answer).usage == read_as


@pytest.mark.parametrize("body", [{}, {"choices": []}, {"choices": None}, {"choices": [None]}, [], None, "ok", 7])
def test_no_choice_is_worth_another_try(body):
    with pytest.raises(Transient, match="without choices"):
        read_reply(body)


@pytest.mark.parametrize("reason", ["error", "abort", "insufficient_system_resource"])
def test_a_reply_the_server_broke_off_is_no_reply(reason):
    with pytest.raises(Transient, match=reason):
        read(chat("A respos", reason))


def test_half_an_emoji_does_not_make_the_reply_unwritable():
    reply = read(chat("B \ud83d"))
    assert reply.text == "B \N{REPLACEMENT CHARACTER}"


def test_text_completion():
    reply = read(text(" azul", "length"))
    assert (reply.text, reply.finish, reply.model) == (" azul", Finish.LENGTH, "toy-2026-01-01")


def test_stop_strings_cut_at_the_first_of_them():
    assert read(chat("B\n\nC. D"), stop=("C", "\n\n", "")).text == "B"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=5),
    max_leaves=12,
)


@given(json_values, json_values)
def test_no_shape_of_body_breaks_the_reading(body, choice):
    for payload in (body, {"choices": [choice]}, {"choices": [{"message": choice}], "usage": body}):
        try:
            reply = read_reply(payload)
        except Transient:
            continue
        assert reply.text is None or reply.text.encode() is not None
        assert reply.finish in Finish
        echoed = read_echo(payload, "Vou ir", 1)
        assert isinstance(echoed, str) or len(echoed.tokens) == len(echoed.logprobs) > 0


@given(st.integers(200, 599), json_values)
def test_no_shape_of_error_breaks_its_reading(code, payload):
    asked = Asked("http://localhost/v1", "toy", "", (), lambda said: said)
    assert isinstance(fault(code, {}, payload, "", asked), Fatal | Rejected | Transient)


def test_reply_carries_the_reported_model_and_the_time():
    with FaultServer(always(chat("B", delay=0.02))) as server:
        (reply,) = ask(served(server.url), chat_request())
    assert reply.model == "toy-2026-01-01"
    assert 0.02 <= reply.seconds < 5
    assert reply.usage == Usage(12, 3)
