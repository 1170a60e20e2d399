"""The tree of commands as typer holds it, for tests that walk it."""

from collections.abc import Iterator
from typing import Any

import typer

from sotaque.cli.main import app


def commands(command: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with its path: () for sotaque itself, ("data", "pull") ..."""
    command = command or typer.main.get_command(app)
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, (*path, name))


def leaves() -> list[tuple[str, ...]]:
    """What a user can call: commands that are no mere group."""
    return [path for path, command in commands() if path and not getattr(command, "no_args_is_help", False)]


def options(command: Any) -> set[str]:
    """The long options of one command, ``--no-...`` forms included."""
    names = {name for each in command.params for name in [*each.opts, *each.secondary_opts]}
    return {name for name in names if name.startswith("--")} | {"--help"}
