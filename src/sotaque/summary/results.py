"""What a summary is made from and what it holds. Frozen, free of pydantic and numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sotaque.records import Metric, Mode, Outcome, Usage
from sotaque.stats.intervals import Estimate

NO_ANSWER = "no readable answer"
NO_ROLE = "no role"
CORRECT = "correct"
TIED = "tied"

Estimates = Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """What the summary must know of a task besides its samples.

    Attributes:
        about: the task in one line, as suite.toml says it.
        metrics: the first is the headline.
        chance: the headline's value for blind guessing.
        baselines: other models that read no question ("baseline/longest"), by the headline metric, on the same items.
        max_tokens: the limit that was in force; ``None`` where nothing is generated.
        stop: the stop strings that were in force.
        reads_nothing: the model is itself such a baseline.
        source: the file of the items; tasks on one file ask about the same items.
        cluster: the metadata that clusters are named by; tasks that name the same share clusters.
        classes: the options of every item, where they are fixed.
        not_applicable: items of the file that have no answer to this task's question.
        shots: worked examples before each question.
        twin: the task that asks the same in the other mode.
    """

    mode: Mode
    metrics: tuple[Metric, ...]
    about: str = ""
    chance: Estimate | None = None
    baselines: Estimates = field(default_factory=dict[str, Estimate])
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    reads_nothing: bool = False
    source: str = ""
    cluster: str = ""
    classes: tuple[str, ...] = ()
    not_applicable: int = 0
    shots: int = 0
    twin: str = ""


@dataclass(frozen=True, slots=True)
class AverageFacts:
    """An average that a suite's authors report: the plain mean of the headlines of tasks, or of other averages."""

    about: str
    of: tuple[str, ...]
    group: str = ""


@dataclass(frozen=True, slots=True)
class TaskSummary:
    """One task of one run.

    Attributes:
        items: distinct items that were asked.
        samples: answers asked for; more than ``items`` with repeats or permuted options.
        counted: samples in the denominator, that is all but error and unscored.
        metrics: the headline first; an estimate's ``n`` counts items.
        outcomes: samples per outcome, all outcomes, zeros included.
        ties: samples where several options shared the top, right or wrong.
        roles: share of each option role among the counted samples, with ``TIED`` and ``NO_ANSWER``; adds up to 1;
            empty where options have no roles.
        groups: breakdowns of the headline: "region" -> "NE" -> estimate.
        median_seconds: per reply; ``None`` without replies.
        irregular: items whose source row is odd; they are counted like all others.
        warnings: sentences about what went wrong or may mislead.
        reads_nothing: the model is a baseline.
        classes: the options of every item, where they are fixed.
        confusion: for weighted F1: a row for each right class, a column for each class that was read and a last one for
            what could not be read; items, of which ties and repeats give parts.
        not_applicable: items of the file that have no answer to this task's question; they were not asked.
        notes: what the model's adapter noted of its replies ("margin below what bfloat16 was measured to change ..."),
            and of how many samples, most first.
    """

    about: str
    mode: Mode
    items: int
    samples: int
    counted: int
    metrics: Estimates
    outcomes: Mapping[Outcome, int]
    ties: int
    roles: Mapping[str, float]
    groups: Mapping[str, Estimates]
    chance: Estimate | None
    baselines: Estimates
    median_seconds: float | None
    usage: Usage
    irregular: int
    warnings: tuple[str, ...]
    reads_nothing: bool = False
    classes: tuple[str, ...] = ()
    confusion: tuple[tuple[float, ...], ...] = ()
    not_applicable: int = 0
    notes: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def headline(self) -> Estimate:
        """The estimate of the task's first metric."""
        return next(iter(self.metrics.values()))

    @property
    def awaiting(self) -> int:
        """Answers that wait for a judge."""
        return self.outcomes.get(Outcome.AWAITING, 0)

    @property
    def lost(self) -> int:
        """Samples that should have a score and have none: no reply, or one that could not be scored."""
        return self.outcomes.get(Outcome.ERROR, 0) + self.outcomes.get(Outcome.UNSCORED, 0)


@dataclass(frozen=True, slots=True)
class AverageSummary:
    """One average. The estimate's ``n`` counts the items of all tasks in it, ``clusters`` the groups they share."""

    about: str
    group: str
    of: tuple[str, ...]
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class TwinSummary:
    """One task against the same in the other mode, paired by item.

    Attributes:
        first: the task that generates.
        second: the task that chooses by log-probability.
        shots: examples in prompts of the one and of the other.
        difference: mean over the items that both scored of credit in the first minus credit in the second, in [-1, 1].
    """

    first: str
    second: str
    shots: tuple[int, int]
    difference: Estimate


@dataclass(frozen=True, slots=True)
class TwinsSummary:
    """All pairs of twins, and what they come to.

    Attributes:
        of: what differs between the two sides: "mode", or "mode and shots".
        mean: plain mean of the pairs' differences; ``None`` for a single pair.
    """

    of: str
    pairs: tuple[TwinSummary, ...]
    mean: Estimate | None


@dataclass(frozen=True, slots=True)
class Summary:
    """All tasks of one run; no number is averaged over tasks unless the suite's authors do so.

    Attributes:
        tasks: in the suite's order.
        averages: those whose parts were all run and have a score.
        twins: ``None`` where no pair was run.
        reported: names of the model as its server reports them, with the number of replies; empty if it reports none.
        usage: tokens of all replies, whether asked now or earlier.
        warnings: about the run as a whole; each task has its own.
    """

    tasks: Mapping[str, TaskSummary]
    reported: Mapping[str, int]
    usage: Usage
    warnings: tuple[str, ...]
    averages: Mapping[str, AverageSummary] = field(default_factory=dict[str, AverageSummary])
    twins: TwinsSummary | None = None

    @property
    def samples(self) -> int:
        """Answers asked for in all tasks."""
        return sum(task.samples for task in self.tasks.values())

    @property
    def unscored_share(self) -> float:
        """Share of samples without a score (error and unscored), in [0, 1]; 0 when nothing was asked."""
        lost = sum(task.lost for task in self.tasks.values())
        return lost / self.samples if lost else 0.0
