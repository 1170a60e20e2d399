"""Hashes by which two runs know whether they asked the same: of an item, and of a prompt."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from sotaque.checks import as_json
from sotaque.records import Item

_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def item_hash(item: Item) -> str:
    """Of what makes the question: fields, options with their roles, gold, answers and checks; not id and metadata.

    Checks count only where there are any, so that the hashes of all other items stay what they were.
    """
    return digest(
        {
            "fields": dict(item.fields),
            "options": [[option.text, option.role] for option in item.options],
            "gold": item.gold,
            "answers": list(item.answers),
            **({"checks": [as_json(check) for check in item.checks]} if item.checks else {}),
        }
    )


def digest(value: object) -> str:
    """16 hex digits of the SHA-256 of a value's canonical JSON."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()[:16]


def shuffled(count: int, seed: int, *parts: object) -> Iterator[int]:
    """The numbers below ``count`` in a seeded random order (Fisher and Yates), drawn only as far as they are wanted."""
    moved: dict[int, int] = {}
    for at in range(count):
        drawn = at + int.from_bytes(rank(seed, *parts, at)[:8]) % (count - at)
        yield moved.get(drawn, drawn)
        moved[drawn] = moved.get(at, at)


def rank(seed: int, *parts: object) -> bytes:
    """Where something stands in a seeded random order; independent of what else is there."""
    return hashlib.sha256("\x1f".join([str(seed), *map(str, parts)]).encode()).digest()
