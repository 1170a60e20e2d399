"""Numbered lines of a file that a person may have written: BOMs, foreign encodings and endless lines included."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import BinaryIO

from sotaque.data.broken import BrokenRows

LONGEST = 4 * 1024 * 1024
"""Bytes in one line; a longer one is a file without line breaks, and is never held in memory."""

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def numbered_lines(stream: BinaryIO, broken: BrokenRows) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its line break); unreadable lines go to ``broken`` instead."""
    number = 0
    while raw := stream.readline(LONGEST + 1):
        number += 1
        if number == 1 and raw.startswith(_UTF16):
            broken.add(1, "the file is UTF-16", "save it as UTF-8")
            return
        if number == 1:
            raw = raw.removeprefix(codecs.BOM_UTF8)
        if len(raw) > LONGEST:
            size = len(raw) + _skip_rest(stream, raw)
            broken.add(number, f"the line is {size:,} bytes long; the limit is {LONGEST:,}", "write one item per line")
            continue
        text = decoded(raw, number, broken)
        if text is not None:
            yield number, text.rstrip("\r\n")


def decoded(raw: bytes, number: int, broken: BrokenRows) -> str | None:
    """The line as text, or ``None`` with the place of the first bad byte noted."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        broken.add(number, f"byte {error.start + 1} of the line (0x{byte:02X}) is not UTF-8", "save the file as UTF-8")
        return None


def _skip_rest(stream: BinaryIO, raw: bytes) -> int:
    """Read on to the end of the line without keeping it; bytes skipped."""
    skipped = 0
    while not raw.endswith(b"\n"):
        raw = stream.readline(LONGEST)
        if not raw:
            break
        skipped += len(raw)
    return skipped
