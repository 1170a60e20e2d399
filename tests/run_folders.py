"""Manifests and run folders for the tests of run folders and reports."""

import dataclasses

from scored_samples import GENERATE, sample
from sotaque.records import Finish, Outcome, RunSpec, Usage
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
    read_run,
    write_run,
)
from sotaque.stats.intervals import exact, proportion
from sotaque.summary import summarise

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


def published_data_run(folder, *, right=910, model="openai/m-small", about="m-small at example.org", **given):
    """A run on 1,000 items where the longest option wins 903.5, cut off on 6 items, with 20 irregular rows."""
    rows = [
        sample(
            i,
            Outcome.CORRECT if i < right else Outcome.TRUNCATED if i >= 994 else Outcome.WRONG,
            picked=i % 2 + 1 if right <= i < 994 else None,
            usage=Usage(180, 3),
            seconds=0.43,
            irregular=("no speaker",) if i < 20 else (),
            finish=Finish.LENGTH if i >= 994 else Finish.STOP,
        )
        for i in range(1000)
    ]
    longest = proportion([1.0] * 899 + [0.5] * 9 + [0.0] * 92)
    facts = dataclasses.replace(
        GENERATE, chance=exact(0.25, 1000), baselines={"baseline/longest": longest}, max_tokens=64
    )
    tasks = {"contextual": manifest().tasks["contextual"]}
    about_model = ModelRecord(name=model, about=about)
    made = official(**({"tasks": tasks, "model": about_model, "spec": RunSpec("masalbench", model)} | given))
    return read_run(write_run(made, rows, summarise(rows, {"contextual": facts}), out=folder).path)
