"""A GGUF file on this computer: found, checked, and known by the hash of its bytes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sotaque.errors import UnknownModel
from sotaque.models.gguf_header import Broken, Header, read_header
from sotaque.models.local_place import known_hash

_PART = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<count>\d{5})\.gguf")
_SECOND_HALF = frozenset({"mmproj", "clip"})


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A whole GGUF model.

    Attributes:
        path: the file, or the first of its parts.
        digest: sha256 of the file; of several parts, over their names and digests.
        header: of the first part.
    """

    path: Path
    digest: str
    header: Header

    @property
    def about(self) -> str:
        """For people: the name of the model, its size and its architecture, as far as the file tells."""
        told = (self.header.text("general.name"), self.header.text("general.size_label"), self.header.architecture)
        return ", ".join(dict.fromkeys(filter(None, (self.path.name, *told))))


def check_gguf(where: str) -> tuple[Path, Header]:
    """Whether ``where`` is a GGUF model that can be asked, by its header and the names of its parts.

    Raises:
        UnknownModel: not there, a folder, no GGUF file, cut off, a later part, a part that lacks, not a language model.
    """
    try:
        return _checked(Path(where).expanduser())
    # "~name" of nobody, a name that is too long, a folder that may not be entered.
    except (OSError, RuntimeError) as error:
        raise UnknownModel(f"{where} cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _checked(path: Path) -> tuple[Path, Header]:
    if path.is_dir():
        found = sorted(each.name for each in path.glob("*.gguf"))[:3]
        hint = f"name one file in it: gguf/{path / found[0]}" if found else "there is no .gguf file in it"
        raise UnknownModel(f"{path} is a folder, not a GGUF file", hint)
    if not path.is_file():
        raise UnknownModel(f"{path}: there is no such file", _nearby(path))
    header = _header(path)
    for part in _parts(path)[1:]:
        _header(part)
    _check_kind(path, header)
    return path, header


def find_gguf(where: str) -> GgufFile:
    """The checked file of ``where`` with its hash, which is remembered: reading gigabytes at every start is slow.

    Raises:
        UnknownModel: as for ``check_gguf``.
    """
    path, header = check_gguf(where)
    digests = [known_hash(part) for part in _parts(path)]
    if len(digests) == 1:
        return GgufFile(path, digests[0], header)
    return GgufFile(path, hashlib.sha256("\n".join(digests).encode()).hexdigest(), header)


def _parts(path: Path) -> list[Path]:
    """All parts of a model that was split (gguf-split), the file alone where it was not."""
    match = _PART.fullmatch(path.name)
    if match is None:
        return [path]
    stem, count = match["stem"], int(match["count"])
    if count < 1:
        return [path]
    parts = [path.with_name(f"{stem}-{number:05}-of-{count:05}.gguf") for number in range(1, count + 1)]
    if int(match["number"]) != 1:
        raise UnknownModel(f"{path.name} is part {int(match['number'])} of {count}", f"name the first: {parts[0].name}")
    missing = [part.name for part in parts if not part.is_file()]
    if missing:
        raise UnknownModel(
            f"{path} is one of {count} parts, and {len(missing)} of them lack: {missing[0]} ...",
            "put all parts into one folder",
        )
    return parts


def _header(path: Path) -> Header:
    try:
        return read_header(path)
    except Broken as error:
        raise UnknownModel(
            f"{path} is not a whole GGUF file: {error}", "fetch it again, and compare its size"
        ) from None
    except OSError as error:
        raise UnknownModel(f"{path} cannot be read: {error.strerror or error}") from None


def _check_kind(path: Path, header: Header) -> None:
    values: Mapping[str, object] = header.values
    second = header.architecture in _SECOND_HALF or header.text("general.type") in ("adapter", "mmproj", "imatrix")
    causal = values.get(f"{header.architecture}.attention.causal", True)
    if second or not causal or not header.architecture:
        kind = header.text("general.type") or header.architecture or "nothing that its header names"
        raise UnknownModel(f"{path} holds no language model but {kind}", "name the file with the language model")


def _nearby(path: Path) -> str:
    folder = path.parent
    if not folder.is_dir():
        return f"there is no folder {folder} either: check the path"
    found = sorted(each.name for each in folder.glob("*.gguf"))[:5]
    return f"in {folder} there are: {', '.join(found)}" if found else f"no .gguf file is in {folder}"
