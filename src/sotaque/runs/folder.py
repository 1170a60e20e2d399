"""A run folder: run.json, samples.jsonl and summary.json, written whole or not at all, never over another."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn, cast
from unicodedata import normalize

from pydantic import TypeAdapter, ValidationError

from sotaque.errors import RunFolderError
from sotaque.records import Sample
from sotaque.runs.manifest import FORMAT, Manifest, manifest_json
from sotaque.runs.samples import (
    BrokenLine,
    SampleLine,
    dump_samples,
    first_fault,
    kept_lines,
    load_samples,
    storable_json,
)
from sotaque.summary.results import Summary

MANIFEST, SAMPLES, SUMMARY = "run.json", "samples.jsonl", "summary.json"
LONGEST_SLUG = 60

_SUMMARY = TypeAdapter(Summary)


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A run as read from disk."""

    path: Path
    manifest: Manifest
    samples: tuple[SampleLine, ...]
    summary: Summary


def write_run(
    manifest: Manifest,
    samples: Sequence[Sample],
    summary: Summary,
    *,
    out: Path | None = None,
    runs: Path = Path("runs"),
    with_items: bool = False,
) -> RunFolder:
    """Write a run folder, and return it as it would be read.

    The files are written beside the target and then renamed, so that a folder is complete as soon as it exists.

    Args:
        manifest: its ``samples``, ``texts`` and ``private`` are set here.
        samples: each task's in the order of its items; tasks follow the manifest.
        summary: of these samples.
        out: the folder; it may exist if it is empty. Without it, ``default_name`` in ``runs``, with -2, -3 ...
            appended where that exists.
        runs: see ``out``.
        with_items: keep texts although the items may not be shared; the folder is then marked private.

    Raises:
        RunFolderError: ``out`` is in use, or the folder cannot be written.
    """
    texts = manifest.shareable or with_items
    facts = {
        "samples": len(samples),
        "texts": "included" if texts else "withheld",
        "private": texts and not manifest.shareable,
    }
    manifest = manifest.model_copy(update=facts)
    target = out.resolve() if out else runs / default_name(manifest)
    labelled = frozenset(name for name, task in manifest.tasks.items() if task.answer == "label")

    lines = tuple(kept_lines(_in_task_order(samples, manifest), texts=texts, labelled=labelled))

    def fill(folder: Path) -> None:
        (folder / MANIFEST).write_bytes(manifest_json(manifest))
        with (folder / SAMPLES).open("wb") as file:
            file.writelines(dump_samples(lines))
        (folder / SUMMARY).write_bytes(storable_json(summary, indent=2))

    if out:
        _refuse_used(target)
    with _explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        path = _in_one_step(target, fill, numbered=out is None)
    return RunFolder(path, manifest, lines, summary)


def read_run(path: Path) -> RunFolder:
    """Read a run folder.

    Raises:
        RunFolderError: a file is missing, incomplete, garbled, or written by a newer version.
    """
    manifest = _read_manifest(path / MANIFEST)
    samples = _read_samples(path / SAMPLES, manifest.samples)
    file = path / SUMMARY
    try:
        summary = _SUMMARY.validate_json(_bytes(file))
    except ValidationError as error:
        raise RunFolderError(first_fault(error), file=file, remedy=_REWRITE) from None
    if not all(share is None or 0 <= share <= 1 for share in _shares(summary)):
        raise RunFolderError("a share is not between 0 and 1", file=file, remedy=_REWRITE)
    return RunFolder(path, manifest, samples, summary)


def default_name(manifest: Manifest) -> str:
    """SUITE-SOURCE-MODEL-TIME, in letters that every file system takes; the time is when the run started, in UTC."""
    started = datetime.fromisoformat(manifest.times.started).astimezone(UTC)
    parts = (manifest.suite.name, manifest.source.name, manifest.model.name)
    return "-".join([*(_slug(part) for part in parts), f"{started:%Y%m%dT%H%M%SZ}"])


def _slug(text: str) -> str:
    """Lower-case ASCII; a name that loses letters, or its end, keeps a hash of the whole."""
    plain = normalize("NFKD", text).encode("ascii", "ignore").decode()
    slug = re.sub(r"[^a-z0-9_]+", "-", plain.lower().replace(".", "-")).strip("-_")
    letters = sum(character.isalnum() for character in text)
    kept = sum(character.isalnum() for character in slug)
    if kept >= letters and len(slug) <= LONGEST_SLUG:
        return slug
    return f"{slug[:LONGEST_SLUG]}-{sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}".strip("-")


# ---------------------------------------------------------------- writing


def _in_task_order(samples: Sequence[Sample], manifest: Manifest) -> Iterator[Sample]:
    tasks: dict[str, list[Sample]] = {name: [] for name in manifest.tasks}
    for sample in samples:
        tasks.setdefault(sample.task, []).append(sample)
    return chain.from_iterable(tasks.values())


def _in_one_step(target: Path, fill: Callable[[Path], None], *, numbered: bool) -> Path:
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        part.mkdir()
        fill(part)
        name, number = target.name, 1
        while True:
            try:
                return _rename(part, target)
            except FileExistsError:
                if not numbered:
                    raise
            number += 1
            target = target.with_name(f"{name}-{number}")
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _rename(part: Path, target: Path) -> Path:
    """Rename onto nothing, or onto an empty folder.

    Raises:
        FileExistsError: something is there, perhaps since a moment ago.
    """
    if target.is_dir():
        try:
            target.rmdir()
        except OSError:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
    elif target.exists() or target.is_symlink():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    try:
        return part.rename(target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        raise


def _refuse_used(target: Path) -> None:
    with _explained(target):
        if target.is_dir() and next(target.iterdir(), None) is None:
            return
        if target.exists():
            _refuse(target)


def _refuse(target: Path) -> NoReturn:
    what = "the folder is not empty" if target.is_dir() else "there is a file of that name"
    raise RunFolderError(f"{what}; a run never overwrites anything", file=target, remedy="Choose another folder.")


@contextmanager
def _explained(target: Path) -> Generator[None]:
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "Free some space" if full else "Choose another folder"
        raise RunFolderError(
            f"cannot write the run folder: {reason}",
            file=target,
            remedy=f"{remedy} and run again: all replies are stored, none is asked for twice.",
        ) from error


# ---------------------------------------------------------------- reading

_REWRITE = "Write the folder anew from the stored replies, by running again."


def _read_manifest(file: Path) -> Manifest:
    raw = _bytes(file)
    try:
        tree: Any = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise RunFolderError(f"not readable as JSON ({error})", file=file, remedy=_REWRITE) from None
    found = cast(dict[str, Any], tree).get("format") if isinstance(tree, dict) else None
    if isinstance(found, int) and found > FORMAT:
        message = f"written by a newer sotaque: it has format {found}, this version reads {FORMAT}"
        raise RunFolderError(message, file=file, place="format", remedy="Update sotaque.")
    try:
        return Manifest.model_validate_json(raw)
    except ValidationError as error:
        raise RunFolderError(first_fault(error), file=file, remedy=_REWRITE) from None


def _read_samples(path: Path, expected: int) -> tuple[SampleLine, ...]:
    try:
        with path.open("rb") as file:
            samples = tuple(load_samples(file))
    except BrokenLine as error:
        raise RunFolderError(str(error), file=path, place=f"line {error.number}", remedy=_REWRITE) from None
    except OSError as error:
        _missing(path, error)
    if len(samples) != expected:
        message = f"{len(samples)} lines, where run.json counts {expected}"
        raise RunFolderError(message, file=path, remedy=_REWRITE)
    for number, line in enumerate(samples, 1):
        if not _is_coherent(line):
            message = "order, roles, gold and picked do not fit together"
            raise RunFolderError(message, file=path, place=f"line {number}", remedy=_REWRITE)
    return samples


def _is_coherent(line: SampleLine) -> bool:
    places = range(len(line.order))
    chosen = (line.gold, line.score.picked)
    return (
        sorted(line.order) == list(places)
        and len(line.roles) == len(places)
        and all(place is None or place in places for place in chosen)
    )


def _shares(summary: Summary) -> Iterator[float | None]:
    for task in summary.tasks.values():
        yield from task.roles.values()
        groups = (value for values in task.groups.values() for value in values.values())
        for mark in (
            *task.metrics.values(),
            *task.baselines.values(),
            *groups,
            *([task.chance] if task.chance else []),
        ):
            yield from (mark.value, mark.low, mark.high)


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        _missing(file, error)


def _missing(file: Path, error: OSError) -> NoReturn:
    remedy = "Name a folder that `sotaque run` wrote; it holds run.json, samples.jsonl and summary.json."
    raise RunFolderError((error.strerror or str(error)).lower(), file=file, remedy=remedy) from None
