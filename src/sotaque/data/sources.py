"""From a declared source to items: read from the suite's folder, a folder of the user's, or the downloads."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from sotaque.data.declared import DEFAULT_REVISION, FileSpec, Provenance, SourceSpec
from sotaque.data.files import Progress, download, is_present, place_of
from sotaque.data.hub import fetch, fetched
from sotaque.data.hub import in_folder as split_in
from sotaque.data.reading import LoadedFile, Place, read_file
from sotaque.errors import UsageError
from sotaque.records import Item

__all__ = ["Loaded", "LoadedFile", "Place", "Preview", "PullFile", "in_folder", "load", "preview", "pull"]


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
    files = {key: read_file(file, place, language) for key, file in chosen.items()}
    return Loaded(place.source, place.declared, _at_commit(place.spec, files), files)


def in_folder(sources: Mapping[str, SourceSpec], folder: Path, keys: Collection[str], suite: str) -> Place:
    """The declared source whose files lie in a folder of the user's, under their published names.

    A split of the hub may be there as Parquet, JSONL, JSON or CSV, in a copy of its repository or under its own name.

    A pinned file must be the pinned one, and keeps its provenance. Of others nothing is known, whatever they are
    called: they count as the user's own.

    Raises:
        UsageError: no such folder, or it holds no source's files.
    """
    if not folder.is_dir():
        raise UsageError(f"--source {folder}: neither a source of this suite nor a folder", _choices(sources))
    for name, spec in sources.items():
        files = {key: file for key, file in spec.files.items() if not keys or key in keys}
        if all(_is_in(file, folder) for file in files.values()):
            return Place(str(folder), name, _as_found(spec, folder), folder, suite, given=True)
    wanted = "; ".join(f"{name}: {', '.join(_names(spec, keys))}" for name, spec in sources.items())
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
    files = {file.address: _pull_file(key, file, place) for key, file in place.spec.files.items() if file.address}
    commits = {note.commit for file in place.spec.files.values() if file.hub and (note := fetched(file))}
    revision = place.spec.revision or ", ".join(sorted(commits)) or _declared_revisions(place.spec)
    return Preview(place.source, place.spec.provenance, place.spec.notice, revision, tuple(files.values()))


def pull(place: Place, progress: Progress) -> tuple[Path, ...]:
    """Download all pinned files and all splits of a source that are not here yet; their paths.

    Raises:
        DataError, ChecksumError: see ``files.download`` and ``hub.fetch``. What was fetched before the fault stays.
        MissingExtra: splits of the hub without huggingface_hub.
    """
    paths: dict[Path, None] = {}
    for file in place.spec.files.values():
        if file.url is not None:
            paths[download(file, progress)] = None
        if file.hub is not None:
            note = fetch(file, progress)
            paths |= dict.fromkeys(note.folder / part.name for part in note.files)
    return tuple(paths)


def _pull_file(key: str, file: FileSpec, place: Place) -> PullFile:
    if file.hub is None:
        path = place_of(file, place.folder)
        return PullFile(key, file.address, file.bytes, path, is_present(file, place.folder))
    note = fetched(file)
    if note is None:
        return PullFile(file.name, file.address, None, Path(), present=False)
    return PullFile(file.name, note.address, sum(part.bytes for part in note.files), note.folder, present=True)


def _declared_revisions(spec: SourceSpec) -> str:
    names = dict.fromkeys(file.revision or DEFAULT_REVISION for file in spec.files.values() if file.hub)
    return f"{', '.join(names)}: the commit it stands for is recorded when it is fetched" if names else ""


def _at_commit(spec: SourceSpec, files: Mapping[str, LoadedFile]) -> SourceSpec:
    commits = sorted({file.commit for file in files.values() if file.commit})
    return spec.model_copy(update={"revision": ", ".join(commits)}) if commits else spec


def _is_in(file: FileSpec, folder: Path) -> bool:
    if file.hub is None:
        return (folder / file.name).is_file()
    try:
        return bool(split_in(file, folder))
    except UsageError:
        return False


def _names(spec: SourceSpec, keys: Collection[str]) -> dict[str, None]:
    files = {key: file for key, file in spec.files.items() if not keys or key in keys}
    hub = "as Parquet, JSONL, JSON or CSV"
    return dict.fromkeys(f"{file.name} ({hub})" if file.hub else file.name for file in files.values())


def _as_found(spec: SourceSpec, folder: Path) -> SourceSpec:
    files = {key: _found_file(file) for key, file in spec.files.items()}
    if all(file.sha256 for file in spec.files.values()):
        return spec.model_copy(update={"files": files})
    unknown = Provenance(author="unknown", review="unknown", licence="not stated", share="unknown")
    notice = f"items from {folder}: not those of the suite, and not comparable with published numbers"
    return spec.model_copy(
        update={"files": files, "provenance": unknown, "comparable": False, "notice": notice, "revision": ""}
    )


def _found_file(file: FileSpec) -> FileSpec:
    if file.hub is not None:
        return file
    return FileSpec(path=file.name, sha256=file.sha256, bytes=file.bytes, only=file.only)


def _choices(sources: Mapping[str, SourceSpec]) -> str:
    return f"sources of this suite: {', '.join(sources)}; or the folder that holds their files"
