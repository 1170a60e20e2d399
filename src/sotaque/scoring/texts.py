"""Which option's text a reply repeats. All texts here are keys of one language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sotaque.language.announce import Cues

_SEPARATORS = re.compile(r"[\s)\]}(\[{.,:–—\-\"'«»“”]*")
_END = re.compile(r"[\"'»”’)\]}\s]*(?:\Z|[.,;:!?،؛(\[–—-](?!\w))")
_OPENING_END = re.compile(r"\s*(?:\Z|[.,;:!،؛–—-](?!\w))")


@dataclass(frozen=True, slots=True)
class Span:
    """Where an option's text stands in a reply."""

    position: int
    start: int
    end: int


def whole(reply: str, options: Sequence[str]) -> list[int]:
    """The options that the reply consists of; two only if two options have the same text."""
    return [position for position, option in enumerate(options) if option and option == reply]


def occurrences(reply: str, options: Sequence[str]) -> list[Span]:
    """Every option's text in the reply, on token boundaries, without those that stand inside a longer one's text."""
    spans = [
        Span(position, start, start + len(option))
        for position, option in enumerate(options)
        if option
        for start in _starts(reply, option)
    ]
    if len(spans) < 2:
        return spans
    longest = sorted(spans, key=lambda s: s.start - s.end)
    kept: list[Span] = []
    for span in longest:
        if not any(k.start <= span.start and span.end <= k.end and len(span_of(k)) > len(span_of(span)) for k in kept):
            kept.append(span)
    return sorted(kept, key=lambda s: s.start)


def span_of(span: Span) -> range:
    """The character positions of a span."""
    return range(span.start, span.end)


def attached(rest: str, options: Sequence[str], own: int, cues: Cues) -> int | None:
    """The option whose text follows a label directly; ``None`` when none does.

    Args:
        rest: what follows the label, up to the end of its line.
        options: their keys.
        own: the label's own option. Its text counts however the line goes on; another's only when the line or clause
            ends with it, because an explanation may well begin with another option's words.
        cues: of the languages of the reply.
    """
    saying = cues.saying.match(rest)
    lead = _SEPARATORS.match(rest, saying.end() if saying else 0)
    start = lead.end() if lead else 0
    best: int | None = None
    for position, option in enumerate(options):
        end = start + len(option)
        if not option or not rest.startswith(option, start) or not _boundary(rest, end - 1, end):
            continue
        if position != own and not (_END.match(rest, end) or cues.said.match(rest, end)):
            continue
        if position != own and "," in rest[:start] and cues.function.match(option):
            continue
        longer = best is None or len(option) > len(options[best])
        if longer or (position == own and best is not None and option == options[best]):
            best = position
    return best


def evident(reply: str, spans: Sequence[Span], cues: Cues, options: Sequence[str]) -> list[Span]:
    """The spans that may be an answer: not negated or rejected, and no function word in the middle of a sentence."""
    return [
        span
        for span in spans
        if not cues.denies(reply[: span.start])
        and not cues.wrong(reply[span.end : span.end + 200])
        and not _function_word(reply, span, cues, options[span.position])
    ]


def _function_word(reply: str, span: Span, cues: Cues, option: str) -> bool:
    if len(option) > 2 and not cues.function.match(option):
        return False
    return not (reply[: span.start].strip() == "" and _OPENING_END.match(reply, span.end))


def _starts(reply: str, option: str) -> list[int]:
    found: list[int] = []
    at = reply.find(option)
    while at >= 0:
        if _boundary(reply, at - 1, at) and _boundary(reply, at + len(option) - 1, at + len(option)):
            found.append(at)
        at = reply.find(option, at + 1)
    return found


def _boundary(text: str, left: int, right: int) -> bool:
    """Whether two neighbouring characters do not belong to one word; a hyphen binds what it stands between."""
    if left < 0 or right >= len(text):
        return True
    if text[left].isalnum() and text[right].isalnum():
        return False
    if text[right] == "-" and text[left].isalnum():
        return not text[right + 1 : right + 2].isalnum()
    if text[left] == "-" and text[right].isalnum():
        return not text[left - 1 : left].isalnum()
    return True
