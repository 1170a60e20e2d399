"""Which files of a repository, or of a folder that was copied from one, hold a split.

The repository's card says so where it names its files (``configs`` in the head of README.md); else names do:
``test.csv``, ``data/test-00000-of-00002.parquet``, ``test/0000.parquet``, ``CONFIG/test.jsonl``, ``CONFIG-test.csv``. A
config whose files name no split at all is its "train".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import cast

KINDS = (".parquet", ".jsonl", ".json", ".csv")
"""What can be read; where a split is there in several kinds, the first is taken."""

_USUAL = ("train", "test", "validation", "valid", "dev")
_NOT_DATA = frozenset({"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"})
_SHARD = re.compile(r"-(\d+)-of-(\d+)\.\w+$")
_NUMBERED = re.compile(r"(?:^|/)\d+\.\w+$")
_GLOB = re.compile(r"\*\*/|\*\*|\*|\?|\[[^\]]+\]|[^*?\[]+|\[")


class NoSplit(Exception):
    """The files do not show which of them are the split."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


def split_files(names: Sequence[str], card: object, config: str, split: str) -> tuple[str, ...]:
    """The files of one split, in order.

    Args:
        names: paths inside the repository, with "/".
        card: ``configs`` of the card, as found there; ``None`` without.
        config: its name; empty for the only or default one.
        split: its name.

    Raises:
        NoSplit: no file, or no way to tell which; it says what there is instead.
    """
    data = sorted(name for name in names if _is_data(name))
    entries = [cast("dict[str, object]", entry) for entry in _list(card) if isinstance(entry, dict)]
    if entries:
        entry = _entry(entries, config)
        declared = list(_declared(entry, data))
        if declared:
            return _chosen(declared, split)
    return _by_name(data, config, split)


def _is_data(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = path.is_absolute() or any(part.startswith(".") for part in path.parts)
    return path.suffix in KINDS and not hidden and path.name not in _NOT_DATA


def _list(value: object) -> list[object]:
    if isinstance(value, list):
        return cast("list[object]", value)
    return [] if value is None else [value]


def _entry(entries: list[dict[str, object]], config: str) -> Mapping[str, object]:
    named = {str(entry.get("config_name") or "default"): entry for entry in entries}
    if config in named:
        return named[config]
    if not config:
        flagged = next((entry for entry in entries if entry.get("default")), None)
        return flagged or named.get("default") or entries[0]
    raise NoSplit(f"there is no config '{config}'", f"its card names: {', '.join(named)}")


def _declared(entry: Mapping[str, object], data: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """(split, files) of a card's entry; files given without a split are "train"."""
    folder = str(entry.get("data_dir") or "").strip("/")
    for given in _list(entry.get("data_files")):
        table = cast("dict[str, object]", given) if isinstance(given, dict) else {"path": given}
        patterns = [_pattern(str(path), folder) for path in _list(table.get("path"))]
        found = [name for pattern in patterns for name in data if pattern.fullmatch(name)]
        yield str(table.get("split") or "train"), list(dict.fromkeys(found))


def _pattern(glob: str, folder: str) -> re.Pattern[str]:
    glob = f"{folder}/{glob}" if folder else glob
    special = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pieces = (
        special.get(piece) or (piece if piece.startswith("[") and len(piece) > 1 else re.escape(piece))
        for piece in _GLOB.findall(glob.removeprefix("./"))
    )
    return re.compile("".join(pieces))


def _chosen(declared: list[tuple[str, list[str]]], split: str) -> tuple[str, ...]:
    found = [name for named, files in declared if named == split for name in files]
    if split not in {named for named, _ in declared}:
        splits = ", ".join(dict.fromkeys(named for named, _ in declared))
        raise NoSplit(f"there is no split '{split}'", f"its card names: {splits}")
    if not found:
        raise NoSplit(f"split '{split}' has no file that can be read", f"read are: {', '.join(KINDS)}")
    return tuple(dict.fromkeys(found))


def _by_name(data: Sequence[str], config: str, split: str) -> tuple[str, ...]:
    of_config = [name for name in data if _has(name, config)] if config else list(data)
    pool = of_config or list(data)
    found = [name for name in pool if _has(name, split)]
    if not found and split == "train" and (of_config or not config):
        found = [] if any(_has(name, usual) for name in pool for usual in _USUAL) else pool
    kind = next((kind for kind in KINDS if any(name.endswith(kind) for name in found)), "")
    files = [name for name in found if kind and name.endswith(kind)]
    if not files:
        what = f"split '{split}'" + (f" of config '{config}'" if config else "")
        raise NoSplit(f"no file is named for {what}", f"files there: {', '.join(data[:20]) or 'none that can be read'}")
    _check_together(files, split)
    return tuple(files)


def _has(name: str, word: str) -> bool:
    return re.search(rf"(?:^|[/._-]){re.escape(word)}(?=[/.-]|_(?:{'|'.join(_USUAL)})[/.-]|$)", name) is not None


def _check_together(files: Sequence[str], split: str) -> None:
    """Several files are one split only where they are numbered, and then all of them must be there."""
    shards = [_SHARD.search(name) for name in files]
    if all(shards):
        numbers = [(int(shard[1]), int(shard[2])) for shard in shards if shard]
        if numbers != [(index, len(files)) for index in range(len(files))]:
            there = ", ".join(files)
            raise NoSplit(f"split '{split}' is not whole", f"get all its parts; there are: {there}")
    elif len(files) > 1 and not all(_NUMBERED.search(name) for name in files):
        raise NoSplit(f"several files could be split '{split}'", f"keep one of: {', '.join(files)}")
