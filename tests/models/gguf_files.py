"""GGUF files for tests: small ones written byte by byte, and changed copies of a real one."""

import struct
from pathlib import Path

F32 = 0


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def entry(name: str, value: object) -> bytes:
    if isinstance(value, bool):
        return text(name) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return text(name) + struct.pack("<II", 4, value)
    if isinstance(value, list):
        return text(name) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value))
    return text(name) + struct.pack("<I", 8) + text(str(value))


def write_gguf(path: Path, values: dict[str, object], *, version: int = 3) -> Path:
    """A file with one tensor of 64 numbers: enough of a model for everything but loading it."""
    values = {"general.architecture": "llama", "llama.context_length": 2048} | values
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(values))
    head += b"".join(entry(name, value) for name, value in values.items())
    head += text("token_embd.weight") + struct.pack("<IQQIQ", 2, 8, 8, F32, 0)
    path.write_bytes(head + bytes(-len(head) % 32) + bytes(64 * 4))
    return path


def changed_copy(source: Path, target: Path, **values: object) -> Path:
    """``source`` with other metadata (names with _ for the first dot), written by the package gguf."""
    from gguf import GGUFReader, GGUFWriter
    from gguf.constants import GGUFValueType
    from gguf.scripts.gguf_new_metadata import MetadataDetails, copy_with_new_metadata

    kinds = {bool: GGUFValueType.BOOL, str: GGUFValueType.STRING, int: GGUFValueType.UINT32}
    reader = GGUFReader(source)
    writer = GGUFWriter(target, arch="llama", endianess=reader.endianess)
    details = {name.replace("__", "."): MetadataDetails(kinds[type(value)], value) for name, value in values.items()}
    copy_with_new_metadata(reader, writer, details, [])
    return target
