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
    """

    mode: Mode
    metrics: tuple[Metric, ...]
    about: str = ""
    chance: Estimate | None = None
    baselines: Estimates = field(default_factory=dict[str, Estimate])
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    reads_nothing: bool = False


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

    @property
    def headline(self) -> Estimate:
        """The estimate of the task's first metric."""
        return next(iter(self.metrics.values()))


@dataclass(frozen=True, slots=True)
class Summary:
    """All tasks of one run; no number is averaged over tasks unless the suite's authors do so.

    Attributes:
        tasks: in the suite's order.
        reported: names of the model as its server reports them, with the number of replies; empty if it reports none.
        usage: tokens of all replies, whether asked now or earlier.
        warnings: about the run as a whole; each task has its own.
    """

    tasks: Mapping[str, TaskSummary]
    reported: Mapping[str, int]
    usage: Usage
    warnings: tuple[str, ...]

    @property
    def samples(self) -> int:
        """Answers asked for in all tasks."""
        return sum(task.samples for task in self.tasks.values())

    @property
    def unscored_share(self) -> float:
        """Share of samples without a score (error and unscored), in [0, 1]; 0 when nothing was asked."""
        lost = sum(task.samples - task.counted for task in self.tasks.values())
        return lost / self.samples if lost else 0.0
