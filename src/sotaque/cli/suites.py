"""``sotaque suites`` and ``sotaque show``: what there is, and what a model would be sent."""

from __future__ import annotations

from typing import Annotated, Literal

import typer


def suites(
    names: Annotated[list[str] | None, typer.Argument(help="Only these: bundled names, or folders with a suite.toml.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:  # fmt: skip
    """List suites with their tasks, sources, licences and review state."""
    from sotaque.report.listing import print_suites, suites_as_json
    from sotaque.suites.catalog import BUNDLED
    from sotaque.suites.suite import load_suite

    found = [load_suite(name) for name in names or BUNDLED]
    if json:
        print(suites_as_json(found))
    else:
        print_suites(found)


def show(
    suite: Annotated[str, typer.Argument(help="A bundled name, or a folder with a suite.toml.")],
    item: Annotated[str | None, typer.Argument(help="TASK/ID; without it, the suite's tasks and its first items.")] = None,
    model: Annotated[str, typer.Option("--model", "-m", help="As for this model.")] = "openai/NAME",
    source: Annotated[str, typer.Option("--source", help="A source of the suite, or a folder with its files.")] = "bundled",
    protocol: Annotated[Literal["published", "default"], typer.Option("--protocol", help="As in run.")] = "default",
    as_: Annotated[Literal["chat", "text"] | None, typer.Option("--as", help="As in run.")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", help="As in run.")] = None,
    shots: Annotated[int | None, typer.Option("--shots", min=0, help="As in run.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="As in run.")] = 0,
    shuffle: Annotated[int | None, typer.Option("--shuffle", help="As in run.")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="As in run.")] = None,
) -> None:  # fmt: skip
    """Print exactly what a model would be sent for an item. Nothing is sent."""
    from sotaque.cli.showing import show_item, show_suite
    from sotaque.records import RunSpec

    spec = RunSpec(
        suite=suite,
        model=model,
        source=source,
        protocol=protocol,
        rendering=as_,
        shuffle=shuffle,
        max_tokens=max_tokens,
        shots=shots,
        seed=seed,
    )
    if item is None:
        show_suite(suite, spec)
    else:
        show_item(suite, item, spec, base_url)
