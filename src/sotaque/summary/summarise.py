"""Scored samples -> estimates.

An item that was asked several times (repeats, permuted options) is one item: its credits are averaged first, over the
samples that have a score, and the items then enter the estimate with equal weight, clustered as the suite says. So
asking more often makes an item's credit firmer; it never makes the interval pretend to more items.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from types import MappingProxyType

from sotaque.records import OUTSIDE_DENOMINATOR, Outcome, Reply, Sample, Usage
from sotaque.stats.intervals import Estimate
from sotaque.summary.across import Headline, averages_of, twins_of
from sotaque.summary.cautions import run_cautions, task_cautions
from sotaque.summary.credits import Credits, confusion_of, credits_of, estimate_of
from sotaque.summary.results import CORRECT, NO_ANSWER, NO_ROLE, TIED, AverageFacts, Summary, TaskFacts, TaskSummary

NO_AVERAGES: Mapping[str, AverageFacts] = MappingProxyType({})


def summarise(
    samples: Sequence[Sample], tasks: Mapping[str, TaskFacts], averages: Mapping[str, AverageFacts] = NO_AVERAGES
) -> Summary:
    """Summarise one run.

    Args:
        samples: of all tasks, in any order.
        tasks: facts by task name, in the order to report; a task without samples gets "no items".
        averages: over tasks, as the suite declares them.

    Raises:
        ValueError: a sample of a task without facts, or a scored sample without one of its task's metrics.
    """
    by_task: dict[str, list[Sample]] = {name: [] for name in tasks}
    for sample in samples:
        if sample.task not in by_task:
            raise ValueError(f"a sample of task '{sample.task}', which is not among {', '.join(tasks) or 'no tasks'}")
        by_task[sample.task].append(sample)
    reported = Counter(sample.reply.model for sample in samples if isinstance(sample.reply, Reply))
    del reported[""]
    made = {name: _task(by_task[name], facts) for name, facts in tasks.items()}
    heads = {name: Headline(tasks[name], task.headline, credits) for name, (task, credits) in made.items()}
    return Summary(
        tasks={name: task for name, (task, _) in made.items()},
        reported=dict(sorted(reported.items())),
        usage=_usage(samples),
        warnings=run_cautions(reported),
        averages=averages_of(heads, averages),
        twins=twins_of(heads),
    )


def _task(samples: Sequence[Sample], facts: TaskFacts) -> tuple[TaskSummary, Credits]:
    counted = _counted(samples, facts)
    headline = facts.metrics[0]
    credits = credits_of(counted, headline, facts)
    tally = Counter(sample.score.outcome for sample in samples)
    seconds = [sample.reply.seconds for sample in samples if isinstance(sample.reply, Reply)]
    summary = TaskSummary(
        about=facts.about,
        mode=facts.mode,
        items=len({sample.item for sample in samples}),
        samples=len(samples),
        counted=len(counted),
        metrics={metric.value: _estimate(counted, metric, facts) for metric in facts.metrics},
        outcomes={outcome: tally[outcome] for outcome in Outcome},
        ties=sum(sample.score.ties > 1 for sample in samples),
        roles=_roles(counted),
        groups=_groups(counted, headline, facts),
        chance=facts.chance,
        baselines=dict(facts.baselines),
        median_seconds=median(seconds) if seconds else None,
        usage=_usage(samples),
        irregular=len({sample.item for sample in samples if sample.irregular}),
        warnings=task_cautions(samples, facts),
        reads_nothing=facts.reads_nothing,
        classes=facts.classes,
        confusion=confusion_of(credits, len(facts.classes)) if credits.golds else (),
        not_applicable=facts.not_applicable,
        notes=_notes(samples),
    )
    return summary, credits


def _counted(samples: Sequence[Sample], facts: TaskFacts) -> list[Sample]:
    """Samples in the denominator. Without a judge none is: an empty answer alone would be the whole score."""
    if facts.mode == "judge":
        return [sample for sample in samples if facts.metrics[0] in sample.score.values]
    return [sample for sample in samples if sample.score.outcome not in OUTSIDE_DENOMINATOR]


def _estimate(counted: Sequence[Sample], metric: str, facts: TaskFacts) -> Estimate:
    return estimate_of(credits_of(counted, metric, facts), metric, facts)


def _groups(counted: Sequence[Sample], metric: str, facts: TaskFacts) -> dict[str, dict[str, Estimate]]:
    members: dict[str, dict[str, list[Sample]]] = {}
    for sample in counted:
        for by, value in sample.groups.items():
            members.setdefault(by, {}).setdefault(value, []).append(sample)
    return {
        by: {value: _estimate(group, metric, facts) for value, group in sorted(values.items())}
        for by, values in members.items()
    }


def _roles(counted: Sequence[Sample]) -> dict[str, float]:
    if not any(role for sample in counted for role in sample.roles):
        return {}
    gold = [_role(sample, sample.gold) for sample in counted if sample.gold is not None]
    others = [_role(sample, index) for sample in counted for index in range(len(sample.roles))]
    tally = Counter(_picked_role(sample) for sample in counted)
    tied = [TIED] if tally[TIED] else []
    names: dict[str, None] = dict.fromkeys([*gold, *others, *tied, NO_ANSWER])
    return {name: tally[name] / len(counted) for name in names}


def _picked_role(sample: Sample) -> str:
    if sample.score.picked is not None:
        return _role(sample, sample.score.picked)
    return TIED if sample.score.ties > 1 else NO_ANSWER


def _role(sample: Sample, index: int) -> str:
    """The right option needs no role to be called correct."""
    return sample.roles[index] or (CORRECT if index == sample.gold else NO_ROLE)


def _notes(samples: Iterable[Sample]) -> dict[str, int]:
    tally = Counter(note for sample in samples if isinstance(sample.reply, Reply) for note in set(sample.reply.notes))
    return dict(sorted(tally.items(), key=lambda pair: (-pair[1], pair[0])))


def _usage(samples: Iterable[Sample]) -> Usage:
    return sum((sample.reply.usage for sample in samples if isinstance(sample.reply, Reply)), Usage())
