"""``sotaque data``: official files, fetched once and checked."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(help="Official data: fetched from where its authors publish it, never bundled.", no_args_is_help=True)


@app.callback()
def data() -> None:
    """Official data: fetched from where its authors publish it, never bundled."""


@app.command()
def pull(
    suite: Annotated[str, typer.Argument(help="A bundled name, or a folder with a suite.toml.")],
    source: Annotated[str, typer.Option("--source", help="Which source of the suite.")] = "official",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before downloading.")] = False,
) -> None:
    """Show licence, citation and size, then download a source's files and check their sha256."""
    from sotaque.data.sources import preview
    from sotaque.data.sources import pull as pull_files
    from sotaque.report.listing import print_preview
    from sotaque.suites.items import find_source
    from sotaque.suites.suite import load_suite

    loaded = load_suite(suite)
    place = find_source(loaded, source)
    what = preview(place)
    print_preview(loaded, what)
    if not what.files or all(file.present for file in what.files):
        typer.echo("nothing to download: everything is here, and its sha256 is right")
        return
    if not yes:
        _ask_first()
    from sotaque.cli.progress import Download

    with Download() as progress:
        paths = pull_files(place, progress)
    for path in paths:
        typer.echo(f"checked: {path}")


def _ask_first() -> None:
    from sotaque.errors import UsageError

    try:
        agreed = typer.confirm("Download?", err=True)
    except typer.Abort:  # nobody is there to answer
        agreed = False
    if not agreed:
        raise UsageError("nothing was downloaded", "answer y, or give --yes to download without being asked")
