"""``--json``: manifest and summary of each run as one JSON document, for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sotaque.report.wording import private_line
from sotaque.runs import RunFolder
from sotaque.runs.manifest import manifest_tree
from sotaque.runs.samples import storable_json
from sotaque.summary import notices

FORMAT = 1


def to_json(runs: Sequence[RunFolder]) -> str:
    """``{"format": 1, "runs": [{"folder", "private", "manifest", "summary", "unscored_share", "notices"}]}``.

    ``manifest`` is run.json, ``summary`` is summary.json, ``notices`` are the sentences that the table shows. Shares
    are in [0, 1]; ``null`` is a number that could not be had.
    """
    return storable_json({"format": FORMAT, "runs": [_run(run) for run in runs]}, indent=2).decode("utf-8")


def _run(run: RunFolder) -> dict[str, Any]:
    return {
        "folder": str(run.path),
        "private": private_line(run.manifest),
        "manifest": manifest_tree(run.manifest),
        "summary": asdict(run.summary),
        "unscored_share": run.summary.unscored_share,
        "notices": list(notices(run.summary)),
    }
