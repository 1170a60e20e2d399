"""What run.json will say of a run: suite, source, protocol, model, tokens, times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import JsonValue

from sotaque.engine.store import Stored
from sotaque.evaluate.questions import Asking
from sotaque.models.model import Model
from sotaque.prompts.render import Plan, reconstructed
from sotaque.records import Ability, Failure, Usage
from sotaque.runs.manifest import (
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
from sotaque.suites.asked import SuiteItems
from sotaque.suites.schema import Protocol, Suite
from sotaque.summary.results import Summary

PROTOCOL_FIELDS = ("shots", "pick", "exclude", "max_tokens", "temperature", "top_p", "stop")


def protocol_fields(protocol: Protocol) -> tuple[str, ...]:
    """The fields that mean something: without shots it does not matter how they would be picked."""
    return tuple(name for name in PROTOCOL_FIELDS if protocol.shots or name not in ("pick", "exclude"))


@dataclass(frozen=True, slots=True)
class Timer:
    """When a run began."""

    started: datetime

    @classmethod
    def start(cls) -> Timer:
        """Now."""
        return cls(datetime.now(UTC))

    def times(self) -> Times:
        """From then to now."""
        ended = datetime.now(UTC)
        return Times(
            started=self.started.isoformat(timespec="seconds"),
            ended=ended.isoformat(timespec="seconds"),
            seconds=round((ended - self.started).total_seconds(), 3),
        )


def manifest_of(
    asking: Asking, model: Model, answers: Sequence[Stored | Failure], summary: Summary, timer: Timer
) -> Manifest:
    """Everything that shaped the run."""
    identity = model.identity
    return Manifest(
        suite=suite_record(asking.suite),
        source=source_record(asking.suite, asking.loaded),
        protocol=asking.spec.protocol,
        tasks={name: _task(asking, plan, model) for name, plan in asking.plans.items()},
        model=ModelRecord(
            name=identity.name,
            about=identity.about,
            details=dict(identity.details),
            stable=identity.stable,
            reported=dict(summary.reported),
        ),
        spec=asking.spec,
        times=timer.times(),
        usage=UsageTotals(all_replies=summary.usage, asked_now=_fresh_usage(answers)),
        replies=_counts(answers),
        warnings=summary.warnings,
        left_out=asking.left_out,
    )


def suite_record(suite: Suite) -> SuiteRecord:
    """The suite's name, version and hash."""
    return SuiteRecord(
        name=suite.name, title=suite.title, version=suite.version, hash=suite.sha256, citation=suite.citation
    )


def source_record(suite: Suite, loaded: SuiteItems) -> SourceRecord:
    """A folder that holds exactly the pinned files is that source; any other folder is just a folder."""
    spec = loaded.spec
    known = loaded.source in suite.sources or spec.comparable
    return SourceRecord(
        name=loaded.declared if known else "folder",
        provenance=Provenance(
            author=spec.provenance.author,
            review=spec.provenance.review,
            licence=spec.provenance.licence,
            share=spec.provenance.share,
            notice=spec.notice,
        ),
        revision=spec.revision,
        files={key: file.sha256 for key, file in loaded.files.items()},
    )


def _task(asking: Asking, plan: Plan, model: Model) -> TaskRecord:
    task, inforce = plan.task, plan.protocol
    published = task.protocol.published
    generates = task.mode != "choose"
    return TaskRecord(
        mode=task.mode,
        rendering=None if Ability.GUESS in model.abilities else (plan.rendering if generates else "text"),
        answer=task.form,
        fields={**_fields(inforce), **_how(plan)},
        reconstructed=reconstructed(task, asking.loaded, inforce),
        published=_differing(published, inforce) if published else {},
        why=inforce.why,
    )


def _how(plan: Plan) -> dict[str, JsonValue]:
    task = plan.task
    how: dict[str, JsonValue] = {"prompt": plan.template, "system": task.system, "delimiter": task.delimiter}
    if task.gold:
        how["gold"] = task.gold
    if task.classes:
        how["classes"] = list(task.classes)
    if plan.protocol.shots:
        how["examples"] = task.examples if plan.pool.source.examples else task.source
    return how


def _fields(protocol: Protocol) -> dict[str, JsonValue]:
    return {name: _json(getattr(protocol, name)) for name in protocol_fields(protocol)}


def _differing(published: Protocol, inforce: Protocol) -> dict[str, JsonValue]:
    ours = _fields(inforce)
    return {name: value for name, value in _fields(published).items() if name in ours and value != ours[name]}


def _json(value: int | float | tuple[str, ...]) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


def _fresh_usage(answers: Sequence[Stored | Failure]) -> Usage:
    return sum(_unique_fresh(answers).values(), Usage())


def _unique_fresh(answers: Sequence[Stored | Failure]) -> dict[str, Usage]:
    """Equal requests share one reply, which was paid for once."""
    return {each.reply_id: each.reply.usage for each in answers if isinstance(each, Stored) and each.fresh}


def _counts(answers: Sequence[Stored | Failure]) -> ReplyCounts:
    stored = [each for each in answers if isinstance(each, Stored)]
    fresh = sum(each.fresh for each in stored)
    return ReplyCounts(from_store=len(stored) - fresh, fresh=fresh, failed=len(answers) - len(stored))
