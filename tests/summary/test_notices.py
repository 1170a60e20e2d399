"""The plain sentences: said where the rule holds, and only there."""

import dataclasses

import pytest

from scored_samples import GENERATE, sample
from sotaque.records import Outcome
from sotaque.stats.intervals import exact, proportion
from sotaque.summary import notices, percent, summarise

CHANCE = exact(0.25, 1000)


def credits(right, n=1000):
    return proportion([1.0] * right + [0.0] * (n - right))


def said(right, n=1000, guessing=CHANCE, **baselines):
    rows = [sample(i, Outcome.CORRECT if i < right else Outcome.WRONG) for i in range(n)]
    marks = {f"baseline/{name}": mark for name, mark in baselines.items()}
    facts = dataclasses.replace(GENERATE, chance=guessing, baselines=marks)
    return notices(summarise(rows, {"contextual": facts}))


def test_a_longest_option_far_above_chance_is_said_in_plain_words():
    assert said(990, longest=credits(904))[0] == (
        "Picking the longest option, without reading anything, scores 90.4 % here (chance 25.0 %): "
        "a score near that shows nothing about understanding."
    )


def test_a_model_that_clears_chance_and_shortcut_needs_no_further_sentence():
    assert len(said(990, longest=credits(904))) == 1


def test_a_model_within_reach_of_the_shortcut_is_not_distinguishable_from_it():
    assert said(910, longest=credits(904))[1] == (
        "The score of 91.0 % is not distinguishable from picking the longest option (90.4 %)."
    )


def test_a_model_under_the_shortcut_is_below_it():
    assert said(600, longest=credits(904))[1] == "The score of 60.0 % is below picking the longest option (90.4 %)."


def test_a_model_at_chance_is_compared_with_chance_only():
    assert said(255, longest=credits(250)) == ("The score of 25.5 % is not distinguishable from chance (25.0 %).",)


def test_below_chance():
    assert said(100) == ("The score of 10.0 % is below chance (25.0 %).",)


def test_ten_points_are_measured_at_the_lower_end_of_the_interval():
    """380 of 1,000 reaches down to 35.04 %, 379 to 34.95 %."""
    assert len(said(990, longest=credits(380))) == 1
    assert said(990, longest=credits(379)) == ()


def test_the_best_shortcut_is_the_one_to_clear():
    assert (
        "always picking the first option (53.3 %)"
        in said(540, guessing=exact(0.5, 1000), first=credits(533), longest=credits(483))[0]
    )


@pytest.mark.parametrize("name", ["oracle", "chance"])
def test_oracle_and_chance_are_no_shortcuts(name):
    assert said(990, **{name: credits(1000)}) == ()


def test_without_chance_only_the_shortcut_counts():
    assert said(500, guessing=None, longest=credits(500))[0].startswith("The score of 50.0 % is not distinguishable")


def test_no_items_no_sentence():
    assert said(0, n=0) == ()


def test_several_tasks_are_named():
    facts = dataclasses.replace(GENERATE, chance=CHANCE)
    rows = [sample(i, Outcome.WRONG) for i in range(50)] + [sample(i, task="cross") for i in range(50)]
    assert notices(summarise(rows, {"contextual": facts, "cross": facts})) == (
        "contextual: The score of 0.0 % is below chance (25.0 %).",
    )


@pytest.mark.parametrize(
    ("share", "text"), [(0.9035, "90.4 %"), (0.483, "48.3 %"), (1.0, "100.0 %"), (0.0, "0.0 %"), (0.00049, "0.0 %")]
)
def test_percent_rounds_halves_up(share, text):
    assert percent(share) == text
