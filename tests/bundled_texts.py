"""Every text that the bundled suites ship, and where it stands, for the tests that look at all of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from sotaque.suites.catalog import BUNDLED
from sotaque.suites.check import templates
from sotaque.suites.schema import Suite
from sotaque.suites.suite import load_suite

PORTUGUESE = tuple(name for name in BUNDLED if load_suite(name).languages[0].startswith("pt"))
# Checks also accept what others write: spellings of before the agreement, say.
ABOUT_AN_ITEM = frozenset({"id", "author", "review", "version", "checks"})
OTHER_VARIETY = "other_variety"
"""The metadata by which an item declares that another variety is its subject: its name, "pt-BR" or "pt-PT"."""


@dataclass(frozen=True)
class Shipped:
    """One text: of an item ("prompts.jsonl:3 options[1]"), or of a task ("suite.toml tasks.pts.prompt")."""

    suite: str
    language: str
    place: str
    field: str
    text: str
    allowed: str = ""


def shipped(name: str) -> list[Shipped]:
    """All texts of a suite, examples that are never scored included."""
    suite = load_suite(name)
    return [*_prompts(suite), *_items(suite)]


def rows(suite: Suite) -> Iterator[tuple[str, dict[str, object]]]:
    """Every row of every file of items beside suite.toml, and where it stands."""
    for file in sorted(suite.folder.rglob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            yield f"{file.relative_to(suite.folder)}:{number}", json.loads(line)


def _items(suite: Suite) -> Iterator[Shipped]:
    for place, row in rows(suite):
        metadata = row.get("metadata")
        declared = row.get(OTHER_VARIETY) or (metadata.get(OTHER_VARIETY) if isinstance(metadata, dict) else "")
        for field, text in _leaves(row, ""):
            yield Shipped(suite.name, suite.languages[0], place, field, text, str(declared or ""))


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _leaves(each, f"{path}[{number}]")
    elif isinstance(value, dict):
        for name, each in value.items():
            if name not in ABOUT_AN_ITEM:
                yield from _leaves(each, f"{path}.{name}" if path else name)


def _prompts(suite: Suite) -> Iterator[Shipped]:
    for task in suite.tasks.values():
        found = {".".join(place): text for place, text in templates(task).items()}
        found |= {"anchor": task.anchor, "option_format": task.option_format}
        found |= {f"classes[{number}]": text for number, text in enumerate(task.classes)}
        for field, text in found.items():
            if text:
                yield Shipped(suite.name, suite.languages[0], "suite.toml", f"tasks.{task.name}.{field}", text)
