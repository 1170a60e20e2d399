"""``sotaque report``, ``rescore`` and ``export``: from finished run folders; none of them needs a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Runs = Annotated[list[Path], typer.Argument(help="Run folders.")]


def report(
    runs: Runs,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print the table of one or more run folders."""
    from sotaque.cli.printing import print_results
    from sotaque.runs import read_run

    found = [read_run(path) for path in runs]
    print_results(found, json=json)


def rescore(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    source: Annotated[str | None, typer.Option("--source", help="Where the items are now, if elsewhere.")] = None,
    suite: Annotated[str | None, typer.Option("--suite", help="Where the suite is now, if elsewhere.")] = None,
    encoder: Annotated[
        str, typer.Option("--encoder", help="A folder or hub id, instead of the run's encoder for BERTScore.")
    ] = "",
    encoder_layer: Annotated[int | None, typer.Option("--encoder-layer", min=1, help="Layer of the encoder.")] = None,
    out: Annotated[Path, typer.Option("--out", help="The folder in which run folders are made.")] = Path("runs"),
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Score the stored replies of a run anew, and write a new run folder. Asks no model."""
    from sotaque import places
    from sotaque.cli.printing import print_results
    from sotaque.engine.store import Store
    from sotaque.evaluate.evaluate import Desk, uncollected
    from sotaque.evaluate.evaluate import rescore as score_anew
    from sotaque.runs import read_run
    from sotaque.suites.suite import load_suite

    with uncollected():
        before = read_run(run)
    with Store(places.store_path()) as store:
        desk = Desk(store, runs=out, with_items=before.manifest.private)
        known = load_suite(suite or before.manifest.spec.suite)
        after = score_anew(before, known, desk, source=source, encoder=encoder, encoder_layer=encoder_layer)
    print_results([after], json=json)


def export(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    to: Annotated[Literal["csv", "parquet"], typer.Option("--to", help="The format.")] = "csv",
    out: Annotated[Path | None, typer.Option("--out", help="The file; by default samples.csv or samples.parquet here.")] = None,
    no_spreadsheet_safe: Annotated[bool, typer.Option("--no-spreadsheet-safe", help="Leave cells that begin with = + - @ as they are: a spreadsheet would run them.")] = False,
) -> None:  # fmt: skip
    """Write one row per sample, for other tools."""
    from sotaque.report.export import export as write
    from sotaque.runs import read_run

    path = out or Path(f"samples.{to}")
    found = read_run(run)
    written = write(found, to, path, guard=not no_spreadsheet_safe)
    typer.echo(f"{written}: {len(found.samples)} rows")
