"""Files on this computer and behind URLs: found, fetched once, and checked against their pins every time."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from sotaque import __version__
from sotaque.data.declared import FileSpec
from sotaque.errors import ChecksumError, DataError
from sotaque.places import downloads_folder

Progress = Callable[[str, int, int | None], None]
"""(file name, bytes so far, bytes in all if known)."""

_CHUNK = 1 << 16
_LARGEST = 4 << 30
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Sum:
    """SHA-256 and size of what was read."""

    sha256: str
    bytes: int


def place_of(spec: FileSpec, folder: Path) -> Path:
    """Where the file is, or will be once downloaded: each pinned content has its own folder."""
    if spec.path is not None:
        return folder / spec.path
    return downloads_folder() / str(spec.sha256) / spec.name


def opened(path: Path, spec: FileSpec, remedy: str) -> tuple[BinaryIO, Sum]:
    """Open a file for bytes after checking it against its pin; the bytes checked are the bytes read.

    Args:
        path: the file.
        spec: its pin.
        remedy: what to do when it is not there.

    Raises:
        DataError: it is not there, or cannot be read.
        ChecksumError: it is not what was pinned.
    """
    if _is_device(path):
        raise DataError("is no file, but a pipe or a device", file=path, remedy=remedy)
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise DataError("no such file", file=path, remedy=remedy) from None
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror})", file=path, remedy=remedy) from None
    found = sum_of(stream)
    stream.seek(0)
    if spec.sha256 not in (None, found.sha256):
        stream.close()
        raise _mismatch(path, spec, found)
    return stream, found


def download(spec: FileSpec, progress: Progress) -> Path:
    """Fetch a pinned URL into the downloads folder, unless it is there already with the right bytes.

    The file appears under its name only when it is whole and checked: an interrupted download leaves nothing behind.

    Raises:
        DataError: the address does not answer, or the downloads folder cannot be written.
        ChecksumError: the bytes are not the pinned ones.
    """
    target = place_of(spec, Path())
    if is_present(spec, Path()):
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with appearing(target) as partial:
            found = _fetch(spec, partial, progress)
            if found.sha256 != spec.sha256:
                raise _mismatch(spec.url, spec, found)
    except HTTPError as error:
        error.close()
        raise _not_downloaded(spec, f"the server answers {error.code} {error.reason}") from None
    except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
        raise _not_downloaded(spec, getattr(error, "reason", "") or error) from None
    except OSError as error:
        remedy = "set SOTAQUE_DOWNLOADS to a folder that can be written"
        raise DataError(f"cannot be written ({error.strerror})", file=target.parent, remedy=remedy) from None
    return target


def is_present(spec: FileSpec, folder: Path) -> bool:
    """Whether the file is there, with the pinned bytes if it is pinned."""
    path = place_of(spec, folder)
    if _is_device(path):
        return False
    try:
        with path.open("rb") as stream:
            return spec.sha256 in (None, sum_of(stream).sha256)
    except OSError:
        return False


def _is_device(path: Path) -> bool:
    """Neither file nor folder: opening it might wait for ever, and reading it never end."""
    return path.exists() and not (path.is_file() or path.is_dir())


@contextmanager
def appearing(target: Path) -> Generator[IO[bytes]]:
    """A stream whose bytes stand under ``target`` once all are written; otherwise nothing is left behind."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def sum_of(stream: BinaryIO) -> Sum:
    """SHA-256 and size of what is left of a stream."""
    digest, size = hashlib.sha256(), 0
    while chunk := stream.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
    return Sum(digest.hexdigest(), size)


def _fetch(spec: FileSpec, partial: IO[bytes], progress: Progress) -> Sum:
    request = Request(str(spec.url), headers={"User-Agent": f"sotaque/{__version__}"})
    digest, size = hashlib.sha256(), 0
    with _opener().open(request, timeout=_SECONDS) as response:
        while chunk := response.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if size > (spec.bytes or _LARGEST):
                message = f"longer than the {spec.bytes or _LARGEST:,} bytes it should have"
                raise ChecksumError(message, file=spec.url, remedy=_CHANGED)
            partial.write(chunk)
            progress(spec.name, size, spec.bytes)
        promised = response.headers.get("Content-Length", "")
    if promised.isdecimal() and size < int(promised):
        raise _not_downloaded(spec, f"the connection ended after {size:,} of {int(promised):,} bytes")
    return Sum(digest.hexdigest(), size)


def _opener() -> OpenerDirector:
    """Only http and https, also after a redirect: urllib's default opener would follow one to ftp."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPRedirectHandler(),
        HTTPDefaultErrorHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _not_downloaded(spec: FileSpec, reason: object) -> DataError:
    remedy = "try again; or fetch the file in another way, and give its folder with --source FOLDER"
    return DataError(f"cannot be downloaded ({reason})", file=spec.url, remedy=remedy)


_CHANGED = "the publisher has changed the file, or it was damaged on the way; the pin is in suite.toml"


def _mismatch(file: object, spec: FileSpec, found: Sum) -> ChecksumError:
    message = f"sha256 is {found.sha256} ({found.bytes:,} bytes), pinned is {spec.sha256}"
    if spec.bytes:
        message += f" ({spec.bytes:,} bytes)"
    remedy = f"{_CHANGED}. For items of your own, write a suite of your own" if spec.path else _CHANGED
    return ChecksumError(message, file=file, remedy=remedy)
