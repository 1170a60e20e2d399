import math
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.records import Metric, OptionScore
from sotaque.scoring.likelihood import NEAR, pick
from sotaque.suites.schema import METRICS

RAW, PER_CHARACTER, PER_BYTE, PER_TOKEN = METRICS["choose"][:4]


def scores(*pairs: tuple[float, int]) -> list[OptionScore]:
    return [OptionScore(logprob, tokens) for logprob, tokens in pairs]


def test_each_metric_has_its_own_length() -> None:
    options = ["não", "nunca mais"]
    given_scores = scores((-4.0, 1), (-8.0, 4))
    assert pick(given_scores, options, RAW).top == (0,)
    assert pick(given_scores, options, PER_CHARACTER).top == (1,)  # -4/3 against -8/10
    assert pick(given_scores, options, PER_BYTE).top == (1,)  # -4/4 against -8/10
    assert pick(given_scores, options, PER_TOKEN).top == (1,)  # -4 against -2


def test_weighted_f1_picks_by_the_sum_as_accuracy_does() -> None:
    options = ["não", "nunca mais"]
    assert pick(scores((-4.0, 1), (-8.0, 4)), options, Metric.WEIGHTED_F1).top == (0,)


def test_bytes_and_characters_differ_between_scripts() -> None:
    options = ["بله", "yesss"]
    given_scores = scores((-6.0, 1), (-8.0, 1))
    assert pick(given_scores, options, PER_CHARACTER).top == (1,)  # -2 against -1.6
    assert pick(given_scores, options, PER_BYTE).top == (0,)  # -1 against -1.6


def test_lengths_are_those_of_the_composed_form() -> None:
    for metric in (PER_CHARACTER, PER_BYTE):
        composed = pick(scores((-4.0, 1), (-3.5, 1)), ["coração", "seis66"], metric)
        decomposed = pick(scores((-4.0, 1), (-3.5, 1)), [unicodedata.normalize("NFD", "coração"), "seis66"], metric)
        assert composed == decomposed


@pytest.mark.parametrize(("gap", "top"), [(0.0, (0, 1)), (1e-4, (0, 1)), (NEAR, (0, 1)), (2.1e-4, (0,)), (1e-2, (0,))])
def test_near_ties_share_the_top(gap: float, top: tuple[int, ...]) -> None:
    assert pick(scores((-5.0, 2), (-5.0 - gap, 2)), ["x", "y"], RAW).top == top


@pytest.mark.parametrize("metric", list(Metric))
def test_equal_scores_of_equal_lengths_tie_under_every_metric(metric: Metric) -> None:
    assert pick(scores(*[(-3.0, 2)] * 4), ["a", "b", "c", "d"], metric).top == (0, 1, 2, 3)


def test_a_normalised_tie_is_what_a_change_of_the_sum_could_turn_around() -> None:
    options = ["x" * 10, "y" * 40]
    close = scores((-10.0, 1), (-40.0 + 1e-4, 1))
    assert pick(close, options, PER_CHARACTER).top == (0, 1)
    apart = scores((-10.0, 1), (-40.0 + 4e-3, 1))
    assert pick(apart, options, PER_CHARACTER).top == (1,)


def test_ties_are_measured_from_the_top_and_do_not_chain() -> None:
    assert pick(scores((-1.0, 1), (-1.00015, 1), (-1.0003, 1)), ["a", "b", "c"], RAW).top == (0, 1)


def test_an_impossible_option_loses_and_is_no_problem() -> None:
    assert pick(scores((-math.inf, 1), (-900.0, 1)), ["a", "b"], RAW).top == (1,)


def test_a_baselines_preference_is_not_divided_by_lengths() -> None:
    preferences = scores((-1.0, 0), (-1.0, 0), (-1.0, 0))
    for metric in Metric:
        assert pick(preferences, ["a", "bbb", "ccccccc"], metric).top == (0, 1, 2)


@pytest.mark.parametrize(
    ("given_scores", "problem"),
    [
        (scores((math.nan, 1), (-1.0, 1)), "option 1 is nan"),
        (scores((-1.0, 1), (math.inf, 1)), "option 2 is inf"),
        ([OptionScore(-1.0, 1), OptionScore(None, 1)], "option 2 is None"),  # pyright: ignore[reportArgumentType]
        (scores((-math.inf, 1), (-math.inf, 1)), "every option has probability zero"),
        (scores((-1.0, 1)), "1 option scores for 2 options"),
        ([], "0 option scores for 2 options"),
    ],
)
def test_scores_that_are_none_are_a_named_problem(given_scores: list[OptionScore], problem: str) -> None:
    found = pick(given_scores, ["a", "b"], RAW)
    assert found.top == ()
    assert problem in found.problem


@given(
    st.lists(st.tuples(st.floats(), st.integers(-1, 9), st.text(max_size=5)), max_size=6), st.sampled_from(list(Metric))
)
def test_it_always_picks_or_says_why(options: list[tuple[float, int, str]], metric: Metric) -> None:
    found = pick(scores(*[(value, tokens) for value, tokens, _ in options]), [text for _, _, text in options], metric)
    assert bool(found.top) != bool(found.problem)
