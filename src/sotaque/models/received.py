"""Reading what a server sent without trusting its shape: what does not fit comes back as something empty."""

from __future__ import annotations

from typing import Any, cast

JsonObject = dict[str, Any]


def mapping(value: object) -> JsonObject:
    """The JSON object, or an empty one."""
    return cast(JsonObject, value) if isinstance(value, dict) else {}


def listing(value: object) -> list[Any]:
    """The JSON array, or an empty one."""
    return cast(list[Any], value) if isinstance(value, list) else []


def string(value: object) -> str:
    """The string; numbers as they are written; anything else is empty."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def count(value: object) -> int:
    """A number of tokens: an integer of at least 0."""
    return max(0, int(value)) if isinstance(value, int | float) and abs(value) < 1e15 else 0


def writable(text: str) -> str:
    """The text with lone surrogates (half an emoji, cut off by a token limit) replaced by U+FFFD.

    JSON may carry them and Python's decoder lets them pass, but no file or database could hold the reply.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
