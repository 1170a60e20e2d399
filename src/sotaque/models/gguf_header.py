"""The head of a GGUF file: what the model is, and whether the file is whole, before any library opens it.

Format: github.com/ggml-org/ggml, docs/gguf.md. Versions 2 and 3, little-endian.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GGUF"
VERSIONS = (2, 3)
_SCALARS: Mapping[int, str] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_STRING, _ARRAY = 8, 9
_LONGEST_NAME = 1 << 16
_LONGEST_TEXT = 1 << 26
_LARGEST = 1 << 40
# Elements and bytes of one block, by the number of ggml's types; of others only the place is checked.
_BLOCKS: Mapping[int, tuple[int, int]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 20: (32, 18), 23: (256, 136),
    24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 30: (1, 2),
}  # fmt: skip

Value = str | int | float | bool


class Broken(ValueError):
    """Not a GGUF file, or not the whole of one; says what is wrong."""


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata's single values and the bytes that the file must have; arrays (the vocabulary) are left out."""

    values: Mapping[str, Value]
    bytes_needed: int

    @property
    def architecture(self) -> str:
        """Of the network ("llama", "qwen2" ...)."""
        return self.text("general.architecture")

    @property
    def chat_template(self) -> str:
        """The Jinja template; empty where the file has none."""
        return self.text("tokenizer.chat_template")

    @property
    def window(self) -> int:
        """Tokens the model was made to read; 0 where the file does not say."""
        return self.number("context_length")

    @property
    def cache_values(self) -> int:
        """Numbers in the key-value cache for each token, at most."""
        heads = self.number("attention.head_count") or 1
        width = self.number("embedding_length") // heads
        key = self.number("attention.key_length") or width
        value = self.number("attention.value_length") or width
        return self.number("block_count") * (self.number("attention.head_count_kv") or heads) * (key + value)

    def text(self, name: str) -> str:
        """A string, or nothing."""
        return value if isinstance(value := self.values.get(name), str) else ""

    def number(self, name: str) -> int:
        """A number of the architecture ("context_length"), or 0."""
        value = self.values.get(f"{self.architecture}.{name}")
        return int(value) if isinstance(value, int | float) and math.isfinite(value) else 0

    def flag(self, name: str, default: bool) -> bool:
        """A truth value by its full name."""
        return value if isinstance(value := self.values.get(name), bool) else default


def read_header(path: Path) -> Header:
    """Read the head of ``path``, and compare the file's size with what the head promises.

    Raises:
        Broken: no GGUF file, another version, cut off.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        try:
            header = _read(file, size)
        except (struct.error, RecursionError) as error:
            raise Broken(f"its header is damaged or cut off ({error})") from None
    if size < header.bytes_needed:
        raise Broken(f"it is cut off: {size:,} bytes of at least {header.bytes_needed:,}")
    return header


def _read(file: BinaryIO, size: int) -> Header:
    if (magic := file.read(4)) != MAGIC:
        raise Broken("it is empty" if not magic else f"it begins with {magic!r}, a GGUF file with {MAGIC!r}")
    (version,) = _take(file, "<I")
    if version not in VERSIONS:
        raise Broken(f"it is GGUF version {version}, known are {VERSIONS[0]} and {VERSIONS[1]} (little-endian)")
    tensors, entries = _take(file, "<QQ")
    if tensors * 24 + entries * 12 > size:
        raise Broken("its header is damaged or cut off (it promises more than the file can hold)")
    values: dict[str, Value] = {}
    for _ in range(entries):
        name = _text(file, _LONGEST_NAME)
        (kind,) = _take(file, "<I")
        if (value := _value(file, kind)) is not None:
            values[name] = value
    end = max((_tensor_end(file) for _ in range(tensors)), default=0)
    step = values.get("general.alignment", 32)
    step = step if isinstance(step, int) and step > 0 else 32
    return Header(values, -(-file.tell() // step) * step + end if tensors else file.tell())


def _take(file: BinaryIO, form: str) -> tuple[int, ...]:
    return struct.unpack(form, file.read(struct.calcsize(form)))


def _text(file: BinaryIO, most: int = _LONGEST_TEXT) -> str:
    (length,) = _take(file, "<Q")
    if length > most:
        raise Broken("its header is damaged (a text of impossible length)")
    raw = file.read(length)
    if len(raw) < length:
        raise Broken("its header is cut off")
    # A template with a broken byte is still shown; names are plain ASCII.
    return raw.decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Value | None:
    if kind == _STRING:
        return _text(file)
    if kind == _ARRAY:
        _skip_array(file)
        return None
    return _take(file, _form(kind))[0]


def _skip_array(file: BinaryIO) -> None:
    (kind,) = _take(file, "<I")
    (count,) = _take(file, "<Q")
    if kind not in (_STRING, _ARRAY):
        _skip(file, count * struct.calcsize(_form(kind)))
        return
    for _ in range(count):
        if kind == _ARRAY:
            _skip_array(file)
        else:
            (length,) = _take(file, "<Q")
            _skip(file, length)


def _skip(file: BinaryIO, length: int) -> None:
    if length > _LARGEST:
        raise Broken("its header is damaged (an array of impossible length)")
    file.seek(length, 1)


def _form(kind: int) -> str:
    if kind not in _SCALARS:
        raise Broken(f"its header is damaged (a value of unknown kind {kind})")
    return _SCALARS[kind]


def _tensor_end(file: BinaryIO) -> int:
    """Where a tensor ends, in bytes from the first one's beginning."""
    _text(file, _LONGEST_NAME)
    (dimensions,) = _take(file, "<I")
    if dimensions > 8:
        raise Broken(f"its header is damaged (a tensor of {dimensions} dimensions)")
    count = 1
    for extent in _take(file, f"<{dimensions}Q"):
        count *= extent
    kind, offset = struct.unpack("<IQ", file.read(12))
    elements, size = _BLOCKS.get(kind, (1, 0))
    return offset + count // elements * size
