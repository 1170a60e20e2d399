import math
import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.records import Failure, Finish, Item, Metric, Option, OptionScore, Outcome, Reading, Reply
from sotaque.scoring.score import score_reply, scoring_hash
from sotaque.suites.schema import METRICS

ITEM = Item("7", {}, tuple(map(Option, ("fica", "ir embora", "ir", "nunca"))), gold=1)
ORDER = (0, 1, 2, 3)
LABEL = Reading("label", ("A", "B", "C", "D"), ("pt",), (Metric.ACCURACY,))
ALL = replace(LABEL, metrics=METRICS["choose"][:4])
OPEN = Item("8", {"pergunta": "trazer, eu, futuro"}, answers=("trarei", "hei de trazer"))
TEXT = Reading("text", (), ("pt",), (Metric.EXACT_MATCH,))
JUDGED = replace(TEXT, metrics=(Metric.JUDGE_SCORE,))


def chosen(*logprobs: float, tokens: int = 1) -> Reply:
    return Reply(scores=tuple(OptionScore(value, tokens) for value in logprobs))


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(text="B"), Outcome.CORRECT),
        (Reply(text="**A**"), Outcome.WRONG),
        (Reply(text="A) ir embora"), Outcome.CONFLICT),
        (Reply(text="não sei"), Outcome.INVALID),
        (Reply(text="<think>B"), Outcome.INVALID),
        (Reply(text="E"), Outcome.INVALID),
        (Reply(text=None), Outcome.EMPTY),
        (Reply(text=" \n"), Outcome.EMPTY),
        (Reply(text=None, reasoning="B"), Outcome.EMPTY),
        (Reply(text=None, finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="A personagem", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="<think>B", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="B) ir emb", finish=Finish.LENGTH), Outcome.CORRECT),
        (Reply(text="B", finish=Finish.OTHER), Outcome.CORRECT),
        (Reply(text="Não posso.", finish=Finish.REFUSAL), Outcome.REFUSED),
        (Reply(text=None, finish=Finish.REFUSAL), Outcome.REFUSED),
        (Failure("no answer in 60 s"), Outcome.ERROR),
    ],
)
def test_every_generated_reply_has_one_outcome(reply: Reply | Failure, outcome: Outcome) -> None:
    score = score_reply(ITEM, ORDER, reply, LABEL)
    assert score.outcome is outcome
    if outcome is Outcome.ERROR:
        assert score.values == {}
        assert score.note == "no answer in 60 s"
    else:
        assert score.values == {"accuracy": float(outcome is Outcome.CORRECT)}
    assert (score.picked is not None) == (outcome in {Outcome.CORRECT, Outcome.WRONG})


def test_the_picked_option_is_named_in_the_items_own_order() -> None:
    score = score_reply(ITEM, (3, 2, 1, 0), Reply(text="C"), LABEL)
    assert (score.outcome, score.picked, score.read) == (Outcome.CORRECT, 1, "C")
    score = score_reply(ITEM, (3, 2, 1, 0), chosen(-1.0, -9.0, -9.0, -9.0), LABEL)
    assert (score.outcome, score.picked, score.read, score.ties) == (Outcome.WRONG, 3, "A", 1)


def test_the_labels_of_a_task_may_be_more_than_an_item_has_options() -> None:
    short = Item("9", {}, ITEM.options[:2], gold=1)
    assert score_reply(short, (0, 1), Reply(text="B"), LABEL).outcome is Outcome.CORRECT
    assert score_reply(short, (0, 1), Reply(text="C"), LABEL).outcome is Outcome.INVALID


def test_a_read_text_names_the_label_and_quotes_no_option() -> None:
    score = score_reply(ITEM, ORDER, Reply(text="ir embora"), LABEL)
    assert (score.read, score.note) == ("B", "read from the option's text")


# ------------------------------------------------- option scores


def test_equal_likelihoods_earn_their_share_and_no_more() -> None:
    score = score_reply(ITEM, ORDER, chosen(-2.0, -2.0, -2.0, -2.0), LABEL)
    assert (score.outcome, score.ties, score.picked) == (Outcome.TIE, 4, None)
    assert score.values == {"accuracy": 0.25}


def test_a_tie_without_the_gold_option_is_wrong() -> None:
    score = score_reply(ITEM, ORDER, chosen(-2.0, -9.0, -2.0001, -5.0), LABEL)
    assert (score.outcome, score.ties, score.picked, score.values) == (Outcome.WRONG, 2, None, {"accuracy": 0.0})


def test_every_metric_of_the_task_gets_a_value_and_the_first_decides() -> None:
    reply = chosen(-4.0, -6.0, -3.0, -9.0)
    score = score_reply(ITEM, ORDER, reply, ALL)
    assert score.outcome is Outcome.WRONG
    assert score.values == {
        "accuracy": 0.0,
        "accuracy_per_character": 1.0,
        "accuracy_per_byte": 1.0,
        "accuracy_per_token": 0.0,
    }
    per_character_first = replace(ALL, metrics=(Metric.ACCURACY_PER_CHARACTER, Metric.ACCURACY))
    assert score_reply(ITEM, ORDER, reply, per_character_first).outcome is Outcome.CORRECT


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_scores_that_are_no_numbers_are_unscored_never_wrong(bad: float) -> None:
    score = score_reply(ITEM, ORDER, chosen(-1.0, bad, -1.0, -1.0), ALL)
    assert (score.outcome, score.values, score.picked) == (Outcome.UNSCORED, {}, None)
    assert "option 2" in score.note


def test_a_missing_option_score_is_unscored() -> None:
    assert score_reply(ITEM, ORDER, chosen(-1.0, -2.0), LABEL).note == "2 option scores for 4 options"


def test_a_baseline_answers_a_generate_task_by_scores() -> None:
    score = score_reply(ITEM, ORDER, chosen(-1.0, 0.0, -1.0, -1.0), LABEL)
    assert (score.outcome, score.picked, score.read) == (Outcome.CORRECT, 1, "B")


def test_a_silent_choose_task_counts_against_every_metric() -> None:
    assert score_reply(ITEM, ORDER, Reply(), ALL).values == dict.fromkeys(map(str, ALL.metrics), 0.0)


# ------------------------------------------------- open answers


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("trarei", Outcome.CORRECT),
        ("Trarei.", Outcome.CORRECT),
        ("  “TRAREI”  ", Outcome.CORRECT),
        ("**trarei**", Outcome.CORRECT),
        ("<think>traria?</think>\ntrarei", Outcome.CORRECT),
        ("Hei  de\ntrazer!", Outcome.CORRECT),
        ("traréi", Outcome.WRONG),
        ("eu trarei", Outcome.WRONG),
        ("trare", Outcome.WRONG),
    ],
)
def test_open_answers_match_exactly_on_keys(text: str, outcome: Outcome) -> None:
    score = score_reply(OPEN, (), Reply(text=text), TEXT)
    assert score.outcome is outcome
    assert score.values == {"exact_match": float(outcome is Outcome.CORRECT)}


@pytest.mark.parametrize(
    ("accepted", "text", "right"),
    [
        ("avô", unicodedata.normalize("NFD", "avô"), True),
        ("avô", "avó", False),
        ("avô", "avo", False),
        ("A", "The", False),
        ("A", "A The", False),
        ("gato", "o gato", False),
    ],
)
def test_accents_and_articles_decide_an_open_answer(accepted: str, text: str, right: bool) -> None:
    item = replace(OPEN, answers=(accepted,))
    assert (score_reply(item, (), Reply(text=text), TEXT).outcome is Outcome.CORRECT) == right


def test_persian_open_answers_are_folded_as_persian() -> None:
    item = replace(OPEN, answers=("می‌خواهم",))
    reading = replace(TEXT, languages=("fa",))
    assert score_reply(item, (), Reply(text="مي خواهم."), reading).outcome is Outcome.CORRECT


def test_a_cut_off_open_answer_is_truncated_unless_it_is_already_right() -> None:
    assert score_reply(OPEN, (), Reply(text="tra", finish=Finish.LENGTH), TEXT).outcome is Outcome.TRUNCATED
    assert score_reply(OPEN, (), Reply(text="trarei", finish=Finish.LENGTH), TEXT).outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(text="Uma resposta."), Outcome.AWAITING),
        (Reply(text="<think>hm</think> Uma resposta."), Outcome.AWAITING),
        (Reply(text="<think>hm</think> "), Outcome.EMPTY),
        (Reply(text=" "), Outcome.EMPTY),
        (Reply(text="Uma resp", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="Não posso.", finish=Finish.REFUSAL), Outcome.REFUSED),
        (Failure("no reply"), Outcome.ERROR),
    ],
)
def test_an_answer_for_a_judge_waits_and_nothing_has_a_score_before(reply: Reply | Failure, outcome: Outcome) -> None:
    score = score_reply(replace(OPEN, answers=()), (), reply, JUDGED)
    assert (score.outcome, score.values) == (outcome, {})


def test_options_that_share_the_top_are_named_in_the_items_own_order() -> None:
    assert score_reply(ITEM, (3, 2, 1, 0), chosen(-1, -9, -1, -9), LABEL).tied == (1, 3)
    assert score_reply(ITEM, ORDER, chosen(-9, -1, -9, -9), LABEL).tied == ()


# ------------------------------------------------- what a valid suite guarantees


def test_text_has_no_likelihood_metrics() -> None:
    with pytest.raises(ValueError, match="item 7: accuracy_per_character, .* cannot be computed from generated text"):
        score_reply(ITEM, ORDER, Reply(text="B"), ALL)


def test_an_item_without_gold_or_labels_or_answers_is_named() -> None:
    with pytest.raises(ValueError, match="item 7: cannot be scored without a gold option"):
        score_reply(replace(ITEM, gold=None), ORDER, Reply(text="B"), LABEL)
    with pytest.raises(ValueError, match="item 7: 4 options, but only 2 labels"):
        score_reply(ITEM, ORDER, Reply(text="B"), replace(LABEL, labels=("A", "B")))
    with pytest.raises(ValueError, match="item 8: an open question needs"):
        score_reply(replace(OPEN, answers=()), (), Reply(text="x"), TEXT)


# ------------------------------------------------- the scoring hash


def test_the_scoring_hash_is_the_same_in_every_process() -> None:
    assert scoring_hash(LABEL) == "ba3f130811c6d659"


@pytest.mark.parametrize(
    "other",
    [
        replace(LABEL, form="option"),
        replace(LABEL, labels=("A", "B", "C")),
        replace(LABEL, labels=("AB", "C", "D")),
        replace(LABEL, languages=("pt", "fa")),
        replace(LABEL, metrics=(Metric.ACCURACY, Metric.ACCURACY_PER_BYTE)),
    ],
)
def test_everything_in_a_reading_changes_its_hash(other: Reading) -> None:
    assert scoring_hash(other) != scoring_hash(LABEL)


def test_a_new_scoring_version_changes_the_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    before = scoring_hash(LABEL)
    monkeypatch.setattr("sotaque.scoring.score.SCORING_VERSION", 2)
    scoring_hash.cache_clear()
    try:
        assert scoring_hash(LABEL) != before
    finally:
        scoring_hash.cache_clear()


@given(st.text(), st.sampled_from(list(Finish)), st.permutations(ORDER))
def test_any_text_gets_a_score_whose_parts_agree(text: str, finish: Finish, order: list[int]) -> None:
    score = score_reply(ITEM, order, Reply(text=text, finish=finish), LABEL)
    assert set(score.values) == {"accuracy"}
    assert (score.values["accuracy"] == 1.0) == (score.outcome is Outcome.CORRECT) == (score.picked == ITEM.gold)
