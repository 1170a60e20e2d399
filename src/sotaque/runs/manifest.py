"""run.json: everything that shaped a run, so that its numbers can be checked and repeated."""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, field_serializer

from sotaque import __version__
from sotaque.records import AnswerForm, Mode, ProtocolName, Rendering, RunSpec, Usage
from sotaque.runs.samples import storable_json

FORMAT = 1


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SuiteRecord(_Record):
    """Which benchmark: ``hash`` covers suite.toml, prompts included."""

    name: str
    title: str
    version: str
    hash: str
    citation: str = ""


class Provenance(_Record):
    """Who wrote the items and what may be done with them; ``notice`` is shown wherever the numbers are."""

    author: str
    review: str
    licence: str
    share: Literal["yes", "no", "unknown"]
    notice: str = ""


class SourceRecord(_Record):
    """Where the items came from: ``name`` is "bundled", "official" or "folder"; ``files`` maps names to sha256."""

    name: str
    provenance: Provenance
    revision: str = ""
    files: dict[str, str] = {}


class TaskRecord(_Record):
    """How one task was asked.

    Attributes:
        fields: what was in force ("shots": 0, "max_tokens": 64, "prompt": "...").
        reconstructed: names of fields that the authors leave open and we had to fill.
        published: the authors' value, for each field whose value in force differs from it.
        why: why ours differ.
    """

    mode: Mode
    rendering: Rendering | None = None
    answer: AnswerForm = "label"
    fields: dict[str, JsonValue] = {}
    reconstructed: tuple[str, ...] = ()
    published: dict[str, JsonValue] = {}
    why: str = ""


class ModelRecord(_Record):
    """Who answered, as ``models.model.Identity`` tells it; ``reported`` counts the names its server reported."""

    name: str
    about: str = ""
    details: dict[str, str] = {}
    stable: bool = True
    reported: dict[str, int] = {}


class Times(_Record):
    """ISO 8601 in UTC; ``seconds`` is the wall time of the run, of which replies from the store take next to none."""

    started: str
    ended: str
    seconds: float


class UsageTotals(_Record):
    """Tokens: of all replies of the run, and of those that were asked for this time."""

    all_replies: Usage = Usage()
    asked_now: Usage = Usage()


class ReplyCounts(_Record):
    """Where the replies came from."""

    from_store: int = 0
    fresh: int = 0
    failed: int = 0


class Environment(_Record):
    """The software underneath; no host, user or path."""

    python: str = Field(default_factory=platform.python_version)
    platform: str = Field(default_factory=lambda: f"{platform.system()} {platform.machine()}")


class Manifest(_Record):
    """run.json. The last three fields are filled in by ``write_run``.

    Attributes:
        protocol: which of the suite's protocols; each task's record says what it came to.
        left_out: tasks that were wanted, but on which the model, a baseline, has nothing to say.
        samples: lines of samples.jsonl, so that a file that lost its end is noticed.
        texts: whether the samples hold the replies' texts, which could quote items.
        private: texts are included although the items may not be shared.
        rescored_from: name of the run folder whose stored replies were scored anew; empty for a run.
    """

    format: Literal[1] = FORMAT
    sotaque: str = __version__
    suite: SuiteRecord
    source: SourceRecord
    protocol: ProtocolName
    tasks: dict[str, TaskRecord]
    model: ModelRecord
    spec: RunSpec
    environment: Environment = Field(default_factory=Environment)
    times: Times
    usage: UsageTotals = UsageTotals()
    replies: ReplyCounts = ReplyCounts()
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    samples: int = 0
    texts: Literal["included", "withheld"] = "withheld"
    private: bool = False
    rescored_from: str = ""

    @field_serializer("spec")
    def _spec(self, spec: RunSpec) -> dict[str, Any]:
        """A set has no order, a file has: the same spec must give the same bytes."""
        fields = {name: getattr(spec, name) for name in RunSpec.__slots__}
        return fields | {"items": sorted(spec.items)}

    @property
    def shareable(self) -> bool:
        """Whether the suite's provenance lets texts be passed on."""
        return self.source.provenance.share == "yes"


def manifest_json(manifest: Manifest) -> bytes:
    """run.json's content: the user's home folder reads ``~``, so that a shared file does not tell who ran it."""
    return storable_json(manifest_tree(manifest), indent=2)


def manifest_tree(manifest: Manifest) -> object:
    """The same as dicts and lists."""
    return _without_home(manifest.model_dump(), _home_pattern())


def _home_pattern() -> re.Pattern[str] | None:
    """The home folder as a whole path, not as a piece of a URL or of a longer name."""
    try:
        home = str(Path.home())
    except RuntimeError:
        return None
    return re.compile(rf"(?<![\w.:/\\-]){re.escape(home)}(?=[/\\]|\W|$)") if len(home) > 1 else None


def _without_home(tree: object, home: re.Pattern[str] | None) -> object:
    if isinstance(tree, str):
        return home.sub("~", tree) if home else tree
    if isinstance(tree, list | tuple):
        return [_without_home(value, home) for value in cast(list[object], tree)]
    if isinstance(tree, dict):
        return {key: _without_home(value, home) for key, value in cast(dict[str, object], tree).items()}
    return tree
