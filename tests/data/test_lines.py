"""Lines of files that people made: encodings, BOMs, endless lines."""

import io
import tracemalloc

import pytest

from sotaque.data.broken import BrokenRows
from sotaque.data.lines import LONGEST, numbered_lines
from sotaque.errors import ItemError


def lines(raw: bytes) -> list[tuple[int, str]]:
    broken = BrokenRows("quiz.jsonl")
    found = list(numbered_lines(io.BytesIO(raw), broken))
    broken.check()
    return found


def test_a_bom_and_crlf_are_accepted():
    assert lines("\ufeffolá\r\nعلی\r\n".encode()) == [(1, "olá"), (2, "علی")]


def test_line_separators_inside_a_text_do_not_break_a_line():
    assert lines("a\u2028b\u0085c\n".encode()) == [(1, "a\u2028b\u0085c")]


def test_the_first_byte_that_is_not_utf8_is_named():
    with pytest.raises(ItemError, match=r"line 2: byte 3 of the line \(0xE1\) is not UTF-8") as caught:
        lines(b"ok\nol" + "á\n".encode("latin-1"))
    assert caught.value.remedy == "save the file as UTF-8"


def test_a_utf16_file_is_recognised():
    with pytest.raises(ItemError, match="the file is UTF-16"):
        lines("olá\n".encode("utf-16"))


class Endless(io.RawIOBase):
    """50 MB without a line break, then a good line; made as it is read."""

    def __init__(self) -> None:
        self.left, self.tail = 50_000_000, b"\nok\n"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:
        chunk = b"x" * min(len(buffer), self.left) or self.tail[: len(buffer)]
        if chunk[:1] == b"x":
            self.left -= len(chunk)
        else:
            self.tail = self.tail[len(chunk) :]
        buffer[: len(chunk)] = chunk
        return len(chunk)


def test_a_50_mb_line_is_refused_without_being_held_in_memory():
    broken = BrokenRows("quiz.jsonl")
    tracemalloc.start()
    try:
        found = list(numbered_lines(io.BufferedReader(Endless()), broken))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == [(2, "ok")]
    assert peak < 5 * LONGEST
    with pytest.raises(ItemError, match=r"line 1: the line is 50,000,001 bytes long; the limit is 4,194,304") as caught:
        broken.check()
    assert caught.value.remedy == "write one item per line"
