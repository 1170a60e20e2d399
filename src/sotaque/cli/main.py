"""The ``sotaque`` command: its groups, and how an error reaches the user."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer

from sotaque import __version__
from sotaque.cli import data, models, results, run, suites
from sotaque.errors import Interrupted, SotaqueError

app = typer.Typer(
    name="sotaque",
    help="Does a language model speak like someone from here? Run native-language benchmarks; get numbers that hold up.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("run")(run.run)
app.command("suites")(suites.suites)
app.command("show")(suites.show)
app.add_typer(models.app, name="models")
app.add_typer(data.app, name="data")
app.command("report")(results.report)
app.command("rescore")(results.rescore)
app.command("export")(results.export)


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"sotaque {__version__}")
        raise typer.Exit


def main() -> NoReturn:
    """Run the command; every error that sotaque foresees becomes one message on standard error and an exit code."""
    try:
        app()
    except SotaqueError as error:
        _say("stopped" if isinstance(error, Interrupted) else "error", error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader (head, less) went away: not an error, but Python would complain while closing stdout.
        sys.stderr.close()
        sys.exit(0)
    sys.exit(0)


def _say(what: str, error: SotaqueError) -> None:
    print(f"{what}: {error}", file=sys.stderr)
