"""One row per sample, for spreadsheets (CSV) and data frames (Parquet).

CSV is UTF-8 without a byte-order mark, with a header, commas, double quotes where needed, and a line feed after each
row. A spreadsheet runs a cell that begins with ``=``, ``+``, ``-`` or ``@`` as a formula, and text here may come from
a model: such text gets a leading apostrophe. Text that begins with an apostrophe, tab or carriage return gets one as
well, so that taking one leading apostrophe away (``unguarded``) gives every text back. Numbers are left alone.
"""

from __future__ import annotations

import csv
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, cast

from sotaque.errors import MissingExtra, UsageError
from sotaque.records import Failure
from sotaque.runs import RunFolder, SampleLine

FORMULA = ("=", "+", "-", "@", "'", "\t", "\r")

Cell = str | int | float | bool | None
Row = dict[str, Cell]

COLUMNS: dict[str, type] = {
    "suite": str, "suite_version": str, "source": str, "protocol": str, "model": str, "rendering": str,
    "private": bool, "task": str, "item": str, "repeat": int, "cluster": str, "outcome": str, "picked": int,
    "picked_role": str, "gold": int, "read": str, "ties": int, "tied": str, "note": str, "order": str, "roles": str,
    "irregular": str, "finish": str, "error": str, "seconds": float, "prompt_tokens": int, "completion_tokens": int,
    "reasoning_tokens": int, "cached_tokens": int, "reported_model": str, "reply_notes": str, "text": str,
    "reasoning": str, "withheld": bool, "logprobs": str, "option_tokens": str, "item_hash": str, "prompt_hash": str,
    "scoring_hash": str, "reply_id": str,
}  # fmt: skip


def export(run: RunFolder, to: Literal["csv", "parquet"], path: Path, *, guard: bool = True) -> Path:
    """Write the samples of a run to one file.

    Columns are ``COLUMNS``, then ``value_METRIC`` for each metric and ``group_NAME`` for each breakdown. Lists are
    JSON. What is unknown or withheld is empty (CSV) or null (Parquet).

    Args:
        run: as read from disk.
        to: the kind of file.
        path: the file; never overwritten.
        guard: keep spreadsheets from running cells as formulas (CSV only).

    Raises:
        UsageError: the file exists or cannot be written.
        MissingExtra: Parquet without pyarrow.
    """
    columns = COLUMNS | _own_columns(run)
    rows = (_row(run, sample) for sample in run.samples)
    if to == "csv":
        return _written(path, lambda part: _csv(part, columns, rows, guard=guard))
    return _written(path, _parquet(columns, list(rows)))


def guarded(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text


def unguarded(cell: str) -> str:
    """The text that ``guarded`` was given."""
    return cell.removeprefix("'")


def _own_columns(run: RunFolder) -> dict[str, type]:
    metrics = dict.fromkeys(name for sample in run.samples for name in sample.score.values)
    groups = dict.fromkeys(name for sample in run.samples for name in sample.groups)
    values: dict[str, type] = {f"value_{name}": float for name in metrics}
    return values | {f"group_{name}": str for name in groups}


def _row(run: RunFolder, sample: SampleLine) -> Row:
    manifest, score = run.manifest, sample.score
    task = manifest.tasks.get(sample.task)
    return {
        "suite": manifest.suite.name,
        "suite_version": manifest.suite.version,
        "source": manifest.source.name,
        "protocol": manifest.protocol,
        "model": manifest.model.name,
        "rendering": task.rendering if task else None,
        "private": manifest.private,
        "task": sample.task,
        "item": sample.item,
        "repeat": sample.repeat,
        "cluster": sample.cluster,
        "outcome": score.outcome.value,
        "picked": score.picked,
        "picked_role": sample.roles[score.picked] if score.picked is not None and sample.roles else None,
        "gold": sample.gold,
        "read": score.read,
        "ties": score.ties,
        "tied": _listed(score.tied),
        "note": score.note,
        "order": _listed(sample.order),
        "roles": _listed(sample.roles),
        "irregular": _listed(sample.irregular),
        "withheld": sample.withheld,
        "item_hash": sample.item_hash,
        "prompt_hash": sample.prompt_hash,
        "scoring_hash": sample.scoring_hash,
        "reply_id": sample.reply_id,
        **_reply(sample),
        **{f"value_{name}": value for name, value in score.values.items()},
        **{f"group_{name}": value for name, value in sample.groups.items()},
    }


def _reply(sample: SampleLine) -> Row:
    reply = sample.reply
    if isinstance(reply, Failure):
        return {"error": reply.message}
    row: Row = {
        "finish": reply.finish.value,
        "seconds": reply.seconds,
        "reported_model": reply.model,
        "reply_notes": _listed(reply.notes),
        "text": reply.text,
        "reasoning": reply.reasoning,
    }
    if reply.scores is not None:
        row["logprobs"] = _listed([option.logprob for option in reply.scores])
        row["option_tokens"] = _listed([option.tokens for option in reply.scores])
    return row | {f"{kind}_tokens": count for kind, count in asdict(reply.usage).items()}


def _listed(values: Iterable[object]) -> str:
    return json.dumps(list(values), ensure_ascii=False)


# ---------------------------------------------------------------- files


def _csv(part: Path, columns: dict[str, type], rows: Iterable[Row], *, guard: bool) -> None:
    def cell(value: Cell) -> Cell:
        return guarded(value) if guard and isinstance(value, str) else value

    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([cell(name) for name in columns])
        writer.writerows([cell(row.get(name)) for name in columns] for row in rows)


def _parquet(columns: dict[str, type], rows: Sequence[Row]) -> Callable[[Path], None]:
    try:
        pyarrow = cast(Any, import_module("pyarrow"))
        files = cast(Any, import_module("pyarrow.parquet"))
    except ImportError:
        raise MissingExtra("Parquet", "parquet") from None
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    arrays = [pyarrow.array([row.get(name) for row in rows], types[kind]) for name, kind in columns.items()]
    table = pyarrow.table(dict(zip(columns, arrays, strict=True)))
    return lambda part: files.write_table(table, str(part))


def _written(path: Path, write: Callable[[Path], None]) -> Path:
    """Write beside the target, then rename: the file is whole as soon as it exists."""
    if path.exists() or path.is_symlink():
        raise UsageError(f"{path} exists", "Choose another name, or remove it first: nothing is overwritten.")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        write(part)
        return part.rename(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            f"{path} cannot be written: {reason}", "Choose a file in a folder that you may write to."
        ) from error
    finally:
        # The part is gone after the rename, and may not be reachable where it could not be written.
        with suppress(OSError):
            part.unlink()
