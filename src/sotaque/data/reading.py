"""One file of a source, read: from the suite's folder, a folder of the user's, the downloads, or the hub's."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sotaque.data.declared import FileSpec, SourceSpec
from sotaque.data.files import opened, place_of
from sotaque.data.formats import FORMATS
from sotaque.data.hub import fetched, in_folder
from sotaque.data.parsed import Parsed
from sotaque.errors import DataError, ItemError
from sotaque.language.normalize import key
from sotaque.records import Item

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """One file of items; a split of the hub may be spread over several, which are read one after the other.

    Attributes:
        place: URL, repository or path, as people know it.
        sha256: of all bytes, in the order they were read.
        lines: for each item where it stands, from 1.
        unit: what ``lines`` counts: "line", or "row" where a file has no lines.
        commit: of the hub's repository.
    """

    place: str
    path: Path
    sha256: str
    bytes: int
    items: tuple[Item, ...]
    lines: tuple[int, ...]
    unit: str = "line"
    commit: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A source as it is to be read.

    Attributes:
        source: its name, or the folder that the user gave.
        declared: the source of suite.toml that it is.
        folder: where its paths start.
        suite: what to write for the suite on the command line.
        given: whether ``folder`` is the user's, so that splits of the hub are looked for there.
    """

    source: str
    declared: str
    spec: SourceSpec
    folder: Path
    suite: str
    given: bool = False


def read_file(file: FileSpec, place: Place, language: str) -> LoadedFile:
    """The items of one file, and what is known of its bytes.

    Raises:
        DataError: it is missing, has not been fetched, or has no item that the task's ``only`` asks for.
        ChecksumError: it is not the pinned one.
        ItemError: broken rows, or an id that two parts of a split share.
    """
    found = _find(file, place)
    with ExitStack() as stack:
        streams = [opened(path, pin, found.remedy) for path, pin in found.parts]
        for stream, _ in streams:
            stack.enter_context(stream)
        read = FORMATS[place.spec.format].read
        parsed: list[Parsed] = []
        for (path, _), (stream, _) in zip(found.parts, streams, strict=True):
            parsed.append(read(stream, path, language, sum(len(part.items) for part in parsed)))
        items, lines = _together(file, found, parsed, language)
        total = streams[0][1].sha256 if len(streams) == 1 else _sum([path for path, _ in found.parts])
    size = sum(part.bytes for _, part in streams)
    return LoadedFile(found.address, found.parts[0][0], total, size, items, lines, parsed[0].unit, found.commit)


@dataclass(frozen=True, slots=True)
class _Found:
    """Where a file is: its parts, each with its pin."""

    parts: Sequence[tuple[Path, FileSpec]]
    address: str
    remedy: str
    commit: str = ""


def _find(file: FileSpec, place: Place) -> _Found:
    pull = f"run 'sotaque data pull {place.suite}' first, or give a folder that holds the file with --source FOLDER"
    if file.hub is None:
        path = place_of(file, place.folder)
        return _Found([(path, file)], file.url or str(path), pull if file.url else "check the path in suite.toml")
    if place.given:
        paths = in_folder(file, place.folder)
        return _Found([(path, FileSpec(path=path.name)) for path in paths], str(place.folder / file.name), pull)
    note = fetched(file)
    if note is None:
        raise DataError("has not been fetched, or is damaged", file=file.address, remedy=pull)
    parts = [(note.folder / part.name, FileSpec(path=part.name, sha256=part.sha256)) for part in note.files]
    return _Found(parts, note.address, pull, note.commit)


def _together(
    file: FileSpec, found: _Found, parsed: Sequence[Parsed], language: str
) -> tuple[tuple[Item, ...], tuple[int, ...]]:
    kept: list[tuple[Item, int]] = []
    seen: set[str] = set()
    for (path, _), part in zip(found.parts, parsed, strict=True):
        for item, line in zip(part.items, part.lines, strict=True):
            if item.id in seen:
                message = f"the id '{item.id}' was used before"
                raise ItemError(message, file=path, place=f"{part.unit} {line}", remedy="give each item its own id")
            seen.add(item.id)
            if all(_same(item.metadata.get(name), wanted, language) for name, wanted in file.only.items()):
                kept.append((item, line))
    if not kept:
        wanted = ", ".join(f"{name} = '{value}'" for name, value in file.only.items())
        raise DataError(f"no item with {wanted}", file=found.address, remedy=_there(file, parsed))
    return tuple(item for item, _ in kept), tuple(line for _, line in kept)


def _same(found: str | None, wanted: str, language: str) -> bool:
    return found is not None and key(found, language) == key(wanted, language)


def _there(file: FileSpec, parsed: Sequence[Parsed]) -> str:
    values = {item.metadata.get(name, "none") for name in file.only for part in parsed for item in part.items}
    return f"there is: {', '.join(sorted(values))}"


def _sum(paths: Sequence[Path]) -> str:
    digest = sha256()
    for path in paths:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()
