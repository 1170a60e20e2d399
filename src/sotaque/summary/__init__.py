"""From scored samples to estimates: pure data, which every report renders."""

from sotaque.summary.notices import notices, percent
from sotaque.summary.results import NO_ANSWER, TIED, Summary, TaskFacts, TaskSummary
from sotaque.summary.summarise import summarise

__all__ = ["NO_ANSWER", "TIED", "Summary", "TaskFacts", "TaskSummary", "notices", "percent", "summarise"]
