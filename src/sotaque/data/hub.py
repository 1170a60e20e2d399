"""Splits of data sets on the Hugging Face hub: fetched once, at one commit, which is kept on record.

A branch can move. What a run reads is the commit that the revision stood for when the split was fetched: beside the
files stands a note with the commit and each file's sha256, and every run records it. To follow a moved branch, name
its new commit, or fetch into another SOTAQUE_DOWNLOADS.

The hub is the one of ``HF_ENDPOINT``; private and gated data sets need the user's own ``HF_TOKEN``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from hashlib import sha1
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError

from sotaque.data.declared import DEFAULT_REVISION, FileSpec
from sotaque.data.files import Progress, appearing, sum_of
from sotaque.data.splits import NoSplit, split_files
from sotaque.errors import ChecksumError, DataError, MissingExtra, SotaqueError, UsageError
from sotaque.places import downloads_folder

Library: TypeAlias = Any  # huggingface_hub: imported late, and an extra
Listed: TypeAlias = Any

_FOLDER = "or fetch the split in another way, and give its folder with --source FOLDER"
_COMMIT = re.compile(r"[0-9a-f]{40}")


class Part(BaseModel):
    """One file of a split: its path inside the repository, and what its bytes must be."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    sha256: str
    bytes: int


class Fetched(BaseModel):
    """What was fetched, as the note beside the files says it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repository: str
    revision: str
    commit: str
    config: str
    split: str
    files: tuple[Part, ...]

    @property
    def folder(self) -> Path:
        """Where the files are, under the names they have in the repository."""
        return _home(self.repository) / self.commit

    @property
    def address(self) -> str:
        """Repository, commit and files, as people know them."""
        return f"{self.repository}@{self.commit}/{', '.join(part.name for part in self.files)}"


def fetched(spec: FileSpec) -> Fetched | None:
    """What is here of a split, whole; ``None`` when it has to be fetched. Nothing is sent."""
    note = _known(spec)
    return note if note and all(_is_sound(note.folder / part.name, part) for part in note.files) else None


def fetch(spec: FileSpec, progress: Progress) -> Fetched:
    """Resolve the revision to a commit and download the split's files, unless they are here.

    Raises:
        MissingExtra: without huggingface_hub.
        DataError: no such repository, revision, config or split; it is gated; the hub cannot be reached.
        ChecksumError: the bytes are not those that the hub lists.
    """
    found = fetched(spec)
    if found is not None:
        return found
    library, known, place = _library(), _known(spec), f"hub {spec.hub}"
    revision = known.commit if known else _revision(spec)
    with _explained(spec, place):
        info = _api(library).dataset_info(spec.hub, revision=revision, files_metadata=True)
    commit = str(info.sha)
    if not _COMMIT.fullmatch(commit):
        raise DataError(f"the hub names no commit for '{_revision(spec)}'", file=place, remedy=f"try again; {_FOLDER}")
    listed = {str(file.rfilename): file for file in info.siblings or ()}
    card = getattr(info.card_data, "configs", None) if info.card_data else None
    try:
        names = split_files(list(listed), card, spec.config, spec.split)
    except NoSplit as error:
        raise DataError(error.message, file=place, remedy=f"{error.remedy}; {_FOLDER}") from None
    with _explained(spec, place):
        parts = tuple(_part(library, spec, commit, listed[name], progress) for name in names)
    note = Fetched(
        repository=str(spec.hub),
        revision=_revision(spec),
        commit=commit,
        config=spec.config,
        split=spec.split,
        files=parts,
    )
    _keep(spec, note)
    return note


def in_folder(spec: FileSpec, folder: Path) -> tuple[Path, ...]:
    """The files of a split in a folder of the user's: a copy of the repository, or the split under its own name.

    Raises:
        UsageError: they are not there; it says what is.
    """
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    try:
        return tuple(folder / name for name in split_files(names, _card(folder), spec.config, spec.split))
    except NoSplit as error:
        raise UsageError(f"{folder}: {error.message}", error.remedy) from None


def _known(spec: FileSpec) -> Fetched | None:
    try:
        return Fetched.model_validate_json(_note(spec).read_bytes())
    except (OSError, ValidationError):
        return None


def _is_sound(path: Path, part: Part) -> bool:
    try:
        with path.open("rb") as stream:
            return sum_of(stream).sha256 == part.sha256
    except OSError:
        return False


def _home(repository: str) -> Path:
    return downloads_folder() / "hub" / repository.replace("/", "--")


def _revision(spec: FileSpec) -> str:
    return spec.revision or DEFAULT_REVISION


def _note(spec: FileSpec) -> Path:
    name = ".".join(quote(part, safe="") for part in (spec.config or "default", spec.split, _revision(spec)))
    return _home(str(spec.hub)) / f"{name}.json"


def _keep(spec: FileSpec, note: Fetched) -> None:
    target = _note(spec)
    try:
        with appearing(target) as stream:
            stream.write(note.model_dump_json(indent=2).encode())
    except OSError as error:
        raise _unwritable(error, target.parent) from None


def _part(library: Library, spec: FileSpec, commit: str, listed: Listed, progress: Progress) -> Part:
    """Download one file, and hold it to the sum by which the hub lists it."""
    name = str(listed.rfilename)
    folder = _home(str(spec.hub)) / commit
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).unlink(missing_ok=True)  # what is there is not what was noted: the library would keep it
    progress(name, 0, listed.size)
    path = Path(
        library.hf_hub_download(
            spec.hub, name, repo_type="dataset", revision=commit, local_dir=folder, endpoint=_endpoint()
        )
    )
    with path.open("rb") as stream:
        found = sum_of(stream)
    progress(name, found.bytes, found.bytes)
    if not _as_listed(path, listed, found.sha256):
        path.unlink()
        message = "the bytes are not those that the hub lists"
        raise ChecksumError(message, file=f"hub {spec.hub}, {name}", remedy="they were damaged on the way: try again")
    return Part(name=name, sha256=found.sha256, bytes=found.bytes)


def _as_listed(path: Path, listed: Listed, sha256: str) -> bool:
    if listed.lfs is not None:
        return str(listed.lfs.sha256) == sha256
    if listed.blob_id is None:
        return True
    body = path.read_bytes()  # files outside large-file storage are small
    return sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest() == listed.blob_id


def _library() -> Library:
    try:
        library = cast(Any, import_module("huggingface_hub"))
    except ImportError:
        raise MissingExtra("data from the Hugging Face hub", "hub") from None
    cast(Any, import_module("huggingface_hub.utils")).disable_progress_bars()
    return library


def _api(library: Library) -> Library:
    return library.HfApi(endpoint=_endpoint(), library_name="sotaque")


def _endpoint() -> str | None:
    """Read when it is needed: the library reads it only once, when it is imported."""
    return os.environ.get("HF_ENDPOINT") or None


def _card(folder: Path) -> object:
    """``configs`` of a README.md that came with the files; ``None`` without one, or without the extra."""
    try:
        library = cast(Any, import_module("huggingface_hub"))
        data: Mapping[str, object] = library.DatasetCard.load(folder / "README.md").data.to_dict()
    except (ImportError, OSError, ValueError):
        return None
    return data.get("configs")


@contextmanager
def _explained(spec: FileSpec, place: str) -> Generator[None]:
    """The library's errors as ours: what is wrong with which repository, and the way out."""
    errors = cast(Any, import_module("huggingface_hub.errors"))
    try:
        yield
    except SotaqueError:
        raise
    except errors.OfflineModeIsEnabled:
        raise DataError(
            "the hub may not be asked: HF_HUB_OFFLINE is set", file=place, remedy=f"unset it; {_FOLDER}"
        ) from None
    except errors.GatedRepoError:
        message = "its authors ask for consent first, and the hub has none of yours"
        remedy = f"accept its terms on its page on the hub, and set HF_TOKEN; {_FOLDER}"
        raise DataError(message, file=place, remedy=remedy) from None
    except errors.RepositoryNotFoundError:
        remedy = f"check 'hub' in suite.toml; a private one needs HF_TOKEN; {_FOLDER}"
        raise DataError("no such data set, or it is private", file=place, remedy=remedy) from None
    except errors.RevisionNotFoundError:
        remedy = f"check 'revision' in suite.toml; {_FOLDER}"
        raise DataError(f"it has no revision '{_revision(spec)}'", file=place, remedy=remedy) from None
    except Exception as error:
        known = _unreached(errors, error, place)
        if known is None:
            raise
        raise known from None


def _unreached(errors: Library, error: Exception, place: str) -> DataError | None:
    """Of an answer, a broken connection or the disk; anything else is a fault of ours."""
    again = f"try again; {_FOLDER}"
    if isinstance(error, errors.HfHubHTTPError):
        status = getattr(getattr(error, "response", None), "status_code", "an error")
        return DataError(f"the hub answers {status}", file=place, remedy=again)
    if isinstance(error, errors.LocalEntryNotFoundError) or type(error).__module__.startswith(("httpx", "httpcore")):
        reason = error.__cause__ or error
        return DataError(f"the hub cannot be reached ({type(reason).__name__}: {reason})", file=place, remedy=again)
    if isinstance(error, OSError) and error.filename is not None:
        return _unwritable(error, Path(str(error.filename)))
    if isinstance(error, OSError):
        return DataError(f"the hub cannot be reached ({error})", file=place, remedy=again)
    return None


def _unwritable(error: OSError, path: Path) -> DataError:
    remedy = "set SOTAQUE_DOWNLOADS to a folder that can be written"
    return DataError(f"cannot be written ({error.strerror})", file=path, remedy=remedy)
