"""Manifests and run folders for the tests of run folders and reports."""

from sotaque.records import RunSpec, Usage
from sotaque.runs import (
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

OURS = Provenance(
    author="model-written",
    review="unreviewed",
    licence="CC-BY-4.0",
    share="yes",
    notice="our own items, unreviewed; not comparable with published numbers",
)
THEIRS = Provenance(author="the authors", review="authors", licence="not stated", share="unknown")
WHY = "five tokens cut off reasoning models"


def manifest(**given):
    """A run of two generation tasks on the bundled items."""
    task = TaskRecord(
        mode="generate", rendering="chat", fields={"max_tokens": 64, "shots": 0}, published={"max_tokens": 5}, why=WHY
    )
    fields = {
        "sotaque": "0.1.0",
        "suite": SuiteRecord(name="masalbench", title="MasalBench: Persian proverbs", version="1.0.0", hash="ab12"),
        "source": SourceRecord(name="bundled", provenance=OURS, files={"contextual": "c0ffee"}),
        "protocol": "default",
        "tasks": {"contextual": task, "cross": task},
        "model": ModelRecord(name="openai/m-small", about="m-small at example.org", details={"base_url": "x"}),
        "spec": RunSpec("masalbench", "openai/m-small", items=frozenset({"b", "a", "c"})),
        "environment": Environment(python="3.11.7", platform="Linux x86_64"),
        "times": Times(started="2026-02-03T04:05:06+00:00", ended="2026-02-03T04:06:06+00:00", seconds=60.0),
        "usage": UsageTotals(all_replies=Usage(100, 10), asked_now=Usage(50, 5)),
        "replies": ReplyCounts(from_store=5, fresh=5),
    }
    return Manifest(**(fields | given))


def official(**given):
    source = SourceRecord(name="official", provenance=THEIRS, revision="493841a6eaf16e89", files={"contextual": "ac01"})
    return manifest(source=source, **given)
