"""Run folders: a run as a pure function of its manifest and replies, kept on disk."""

from sotaque.runs.folder import RunFolder, default_name, read_run, write_run
from sotaque.runs.manifest import (
    Cost,
    Environment,
    Manifest,
    ModelRecord,
    Provenance,
    ReplyCounts,
    SourceRecord,
    SuiteRecord,
    TaskRecord,
    Times,
    UsageTotals,
)
from sotaque.runs.samples import SampleLine

__all__ = [
    "Cost",
    "Environment",
    "Manifest",
    "ModelRecord",
    "Provenance",
    "ReplyCounts",
    "RunFolder",
    "SampleLine",
    "SourceRecord",
    "SuiteRecord",
    "TaskRecord",
    "Times",
    "UsageTotals",
    "default_name",
    "read_run",
    "write_run",
]
