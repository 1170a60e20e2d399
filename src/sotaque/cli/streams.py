"""Standard output and error that print any text: Persian on an ASCII terminal, a file name that is no UTF-8."""

from __future__ import annotations

import codecs
import io
import os
import sys

ESCAPING = "sotaque-escaping"


def print_anything() -> None:
    """Escape what a stream's encoding lacks, in place of ending with an error after the work is done."""
    codecs.register_error(ESCAPING, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPING)


def discard_output() -> None:
    """For a reader that went away (head, less): Python would complain while it closes standard output."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    r"""UTF-16 units as ``\uXXXX``: in JSON, which prints through the same streams, they are still the same text."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    raw = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{raw[at : at + 2].hex()}" for at in range(0, len(raw), 2)), error.end
