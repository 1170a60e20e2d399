"""From a declared source to items: read from the suite's folder, a folder of the user's, or the downloads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from sotaque.data.declared import FileSpec, Provenance, SourceSpec
from sotaque.data.files import Progress, download, is_present, opened, place_of
from sotaque.data.formats import FORMATS
from sotaque.errors import UsageError
from sotaque.records import Item


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """One file of items.

    Attributes:
        place: URL or path, as people know it.
        lines: for each item the line it begins in, from 1.
    """

    place: str
    path: Path
    sha256: str
    bytes: int
    items: tuple[Item, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """All that was read of one source, and what is known of it.

    Attributes:
        source: its name in the suite, or the folder that the user gave.
        declared: the source of suite.toml whose prompts apply.
        files: by the name that tasks use in their ``source``.
    """

    source: str
    declared: str
    spec: SourceSpec
    files: Mapping[str, LoadedFile]

    @property
    def items(self) -> dict[str, tuple[Item, ...]]:
        """All items, by file key."""
        return {key: file.items for key, file in self.files.items()}

    @property
    def irregular(self) -> tuple[tuple[str, str, str], ...]:
        """(file key, item id, what is odd about it), in the order of the files."""
        return tuple(
            (key, item.id, note) for key, file in self.files.items() for item in file.items for note in item.irregular
        )


@dataclass(frozen=True, slots=True)
class Place:
    """A source as it is to be read.

    Attributes:
        source: its name, or the folder that the user gave.
        declared: the source of suite.toml that it is.
        folder: where its paths start.
        suite: what to write for the suite on the command line.
    """

    source: str
    declared: str
    spec: SourceSpec
    folder: Path
    suite: str


def load(place: Place, language: str, keys: Collection[str] = ()) -> Loaded:
    """Read a source's files.

    Args:
        place: what to read.
        language: of the items; decides what counts as the same text.
        keys: only these files; empty for all.

    Raises:
        DataError: a file is missing (a pinned one has not been downloaded), or cannot be read.
        ChecksumError: a file is not the pinned one.
        ItemError: broken rows, all of them at once.
    """
    chosen = {key: file for key, file in place.spec.files.items() if not keys or key in keys}
    files = {key: _load_file(file, place, language) for key, file in chosen.items()}
    return Loaded(place.source, place.declared, place.spec, files)


def in_folder(sources: Mapping[str, SourceSpec], folder: Path, keys: Collection[str], suite: str) -> Place:
    """The declared source whose files lie in a folder of the user's, under their published names.

    A pinned file must be the pinned one, and keeps its provenance. Of others nothing is known, whatever they are
    called: they count as the user's own.

    Raises:
        UsageError: no such folder, or it holds no source's files.
    """
    if not folder.is_dir():
        raise UsageError(f"--source {folder}: neither a source of this suite nor a folder", _choices(sources))
    for name, spec in sources.items():
        files = {key: file for key, file in spec.files.items() if not keys or key in keys}
        if all((folder / file.name).is_file() for file in files.values()):
            return Place(str(folder), name, _as_found(spec, folder), folder, suite)
    wanted = "; ".join(
        f"{name}: {', '.join(file.name for file in spec.files.values())}" for name, spec in sources.items()
    )
    raise UsageError(f"--source {folder}: the folder holds the files of no source of this suite", f"needed: {wanted}")


@dataclass(frozen=True, slots=True)
class PullFile:
    """A file to be downloaded: ``present`` when it is already here with the pinned bytes."""

    key: str
    url: str
    bytes: int | None
    path: Path
    present: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """What a person should see before anything is downloaded."""

    source: str
    provenance: Provenance
    notice: str
    revision: str
    files: tuple[PullFile, ...]

    @property
    def missing_bytes(self) -> int:
        """What is still to be downloaded, as far as sizes are declared."""
        return sum(file.bytes or 0 for file in self.files if not file.present)


def preview(place: Place) -> Preview:
    """What ``pull`` would download; nothing is sent."""
    files = tuple(
        PullFile(key, file.url, file.bytes, place_of(file, place.folder), is_present(file, place.folder))
        for key, file in place.spec.files.items()
        if file.url is not None
    )
    return Preview(place.source, place.spec.provenance, place.spec.notice, place.spec.revision, files)


def pull(place: Place, progress: Progress) -> tuple[Path, ...]:
    """Download all pinned files of a source that are not here yet; their paths.

    Raises:
        DataError, ChecksumError: see ``files.download``. Files fetched before the failing one stay.
    """
    return tuple(download(file, progress) for file in place.spec.files.values() if file.url is not None)


def _load_file(file: FileSpec, place: Place, language: str) -> LoadedFile:
    path = place_of(file, place.folder)
    remedy = "check the path in suite.toml"
    if file.url is not None:
        remedy = (
            f"run 'sotaque data pull {place.suite}' first, or give a folder that holds the file with --source FOLDER"
        )
    stream, found = opened(path, file, remedy)
    with stream:
        parsed = FORMATS[place.spec.format].read(stream, path, language)
    return LoadedFile(file.url or str(path), path, found.sha256, found.bytes, parsed.items, parsed.lines)


def _as_found(spec: SourceSpec, folder: Path) -> SourceSpec:
    files = {key: FileSpec(path=file.name, sha256=file.sha256, bytes=file.bytes) for key, file in spec.files.items()}
    if all(file.sha256 for file in spec.files.values()):
        return spec.model_copy(update={"files": files})
    unknown = Provenance(author="unknown", review="unknown", licence="not stated", share="unknown")
    notice = f"items from {folder}: not those of the suite, and not comparable with published numbers"
    return spec.model_copy(
        update={"files": files, "provenance": unknown, "comparable": False, "notice": notice, "revision": ""}
    )


def _choices(sources: Mapping[str, SourceSpec]) -> str:
    return f"sources of this suite: {', '.join(sources)}; or the folder that holds their files"
