"""Estimates, outcomes, roles and groups out of scored samples."""

import pytest

from scored_samples import GENERATE, failed, sample
from sotaque.records import Metric, Outcome, Usage
from sotaque.stats.intervals import no_items, wilson
from sotaque.summary import NO_ANSWER, TIED, TaskFacts, summarise


def only_task(samples, facts=GENERATE):
    return summarise(samples, {"contextual": facts}).tasks["contextual"]


def test_silence_is_in_the_denominator_and_errors_are_not():
    kinds = [Outcome.CORRECT, Outcome.EMPTY, Outcome.INVALID, Outcome.TRUNCATED, Outcome.REFUSED, Outcome.CONFLICT]
    task = only_task([sample(i, kind) for i, kind in enumerate(kinds)] + [failed(6), sample(7, Outcome.UNSCORED)])
    assert task.headline.value == pytest.approx(1 / 6)
    assert (task.items, task.samples, task.counted, task.headline.n) == (8, 8, 6, 6)


def test_every_outcome_is_listed_even_at_zero():
    task = only_task([sample(0), sample(1, Outcome.WRONG), sample(2, Outcome.WRONG)])
    assert set(task.outcomes) == set(Outcome)
    assert task.outcomes[Outcome.WRONG] == 2
    assert task.outcomes[Outcome.REFUSED] == 0


def test_longest_option_with_ties_scores_as_measured_on_the_published_data():
    """899 items won outright, 9 shared between two: 903.5 of 1,000, Wilson .884-.920."""
    rows = [sample(i) for i in range(899)] + [sample(899 + i, Outcome.TIE, credit=0.5, ties=2) for i in range(9)]
    rows += [sample(908 + i, Outcome.WRONG) for i in range(92)]
    task = only_task(rows)
    assert task.headline.value == pytest.approx(0.9035)
    assert (task.headline.low, task.headline.high) == (pytest.approx(0.884, abs=5e-4), pytest.approx(0.920, abs=5e-4))
    assert task.ties == 9


def test_repeats_of_an_item_are_averaged_and_count_once():
    rows = [sample(i, Outcome.CORRECT if (i + r) % 2 else Outcome.WRONG, repeat=r) for i in range(30) for r in range(4)]
    task = only_task(rows)
    assert (task.samples, task.items, task.headline.n, task.headline.clusters) == (120, 30, 30, 30)
    assert task.headline.value == 0.5
    assert (task.headline.low, task.headline.high) == wilson(0.5, 30)


def test_a_lost_repeat_does_not_weaken_its_item():
    task = only_task([sample(0, repeat=0), sample(0, Outcome.UNSCORED, repeat=1), sample(1, Outcome.WRONG)])
    assert task.headline.value == 0.5
    assert task.headline.n == 2


def test_items_of_one_proverb_are_clustered():
    rows = [sample(i, Outcome.CORRECT if i // 3 % 2 else Outcome.WRONG, cluster=f"p{i // 3}") for i in range(90)]
    task = only_task(rows)
    assert (task.headline.n, task.headline.clusters) == (90, 30)
    assert task.headline.deff == pytest.approx(3.0, rel=0.05)


def test_a_cluster_named_like_an_item_is_not_that_item():
    assert only_task([sample(0), sample(1, cluster="0")]).headline.clusters == 2


def test_roles_are_shares_of_all_answers_right_one_first():
    rows = [sample(0), sample(1), sample(2, Outcome.WRONG, picked=1), sample(3, Outcome.INVALID), failed(4)]
    assert only_task(rows).roles == {"correct": 0.5, "plausible": 0.25, "literal": 0.0, NO_ANSWER: 0.25}


def test_tied_answers_pick_no_role():
    roles = only_task([sample(0), sample(1, Outcome.TIE, credit=0.5, ties=2)]).roles
    assert roles[TIED] == 0.5
    assert sum(roles.values()) == 1.0


def test_options_without_roles_have_no_shares():
    assert only_task([sample(0, roles=("", "", ""))]).roles == {}


def test_groups_break_down_the_headline():
    rows = [sample(i, Outcome.CORRECT if i < 3 else Outcome.WRONG, groups={"region": "NE"}) for i in range(4)]
    rows += [sample(9, Outcome.WRONG, groups={"region": "Geral - NE"})]
    regions = only_task(rows).groups["region"]
    assert {name: (mark.value, mark.n) for name, mark in regions.items()} == {"Geral - NE": (0.0, 1), "NE": (0.75, 4)}


def test_each_metric_has_its_own_estimate():
    facts = TaskFacts(mode="choose", metrics=(Metric.ACCURACY, Metric.ACCURACY_PER_BYTE))
    values = {Metric.ACCURACY.value: 1.0, Metric.ACCURACY_PER_BYTE.value: 0.0}
    metrics = only_task([sample(0, values=values)], facts).metrics
    assert [(name, mark.value) for name, mark in metrics.items()] == [("accuracy", 1.0), ("accuracy_per_byte", 0.0)]


def test_time_is_the_median_and_tokens_are_the_sum():
    rows = [sample(i, seconds=s, usage=Usage(10, 2, 1)) for i, s in enumerate([0.1, 0.3, 60.0])] + [failed(3)]
    summary = summarise(rows, {"contextual": GENERATE})
    assert summary.tasks["contextual"].median_seconds == 0.3
    assert summary.usage == Usage(30, 6, 3)


def test_irregular_rows_are_counted_once_per_item():
    odd = ("first turn has no speaker",)
    assert only_task([sample(0, irregular=odd), sample(0, repeat=1, irregular=odd), sample(1)]).irregular == 1


def test_a_task_without_samples_says_no_items():
    task = only_task([])
    assert task.headline == no_items()
    assert task.median_seconds is None


def test_all_failed_is_no_estimate_and_all_unscored():
    summary = summarise([failed(0), failed(1)], {"contextual": GENERATE})
    assert summary.tasks["contextual"].headline.value is None
    assert summary.unscored_share == 1.0


def test_unscored_share_counts_errors_and_unread_verdicts():
    rows = [sample(i) for i in range(97)] + [failed(97), failed(98), sample(99, Outcome.UNSCORED)]
    assert summarise(rows, {"contextual": GENERATE}).unscored_share == 0.03
    assert summarise([], {"contextual": GENERATE}).unscored_share == 0.0


def test_tasks_keep_the_given_order_whatever_the_samples_do():
    facts = {"cross": GENERATE, "contextual": GENERATE}
    assert list(summarise([sample(0), sample(1, task="cross")], facts).tasks) == ["cross", "contextual"]


def test_a_sample_of_an_unknown_task_is_refused():
    with pytest.raises(ValueError, match="task 'other', which is not among contextual"):
        summarise([sample(0, task="other")], {"contextual": GENERATE})


def test_a_scored_sample_without_a_value_is_refused_not_zero():
    with pytest.raises(ValueError, match="contextual/7 is scored, but has no value for accuracy"):
        only_task([sample(7, values={})])


def test_notes_of_replies_are_counted_most_first():
    rows = [sample(i, notes=("read alone",) if i else ("read alone", "margin below")) for i in range(3)]
    assert list(only_task([*rows, sample(3), failed(4)]).notes.items()) == [("read alone", 3), ("margin below", 1)]
