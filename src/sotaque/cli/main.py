"""The ``sotaque`` command: its groups, and how an error reaches the user."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Annotated, NoReturn

import typer

from sotaque import __version__
from sotaque.cli import data, models, results, run, suites
from sotaque.cli.streams import discard_output, print_anything
from sotaque.errors import Interrupted, SotaqueError, UsageError

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


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if version:
        typer.echo(f"sotaque {__version__}")
    elif context.invoked_subcommand is None:
        raise UsageError("no command was given", "sotaque --help lists them")


def main() -> NoReturn:
    """Run the command; every error that sotaque foresees becomes one message on standard error and an exit code."""
    print_anything()
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup stays nohup
            signal.signal(number, _stop)
    try:
        code = _run()
        sys.stdout.flush()
    except SotaqueError as error:
        _say("" if isinstance(error, Interrupted) else "error: ", error)
        code = error.exit_code
    except _Stopped as stop:
        _say("", Interrupted(str(stop), "what was finished is kept: run the same command again"))
        code = Interrupted.exit_code
    except BrokenPipeError:
        discard_output()
        code = 0
    if code == Interrupted.exit_code:
        _leave_at_once(code)
    sys.exit(code)


def _leave_at_once(code: int) -> NoReturn:
    """Who pressed Ctrl-C does not wait for a look-up in a thread, or for torch to take itself apart.

    The store and all files are closed by now.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _run() -> int:
    try:
        app()
    except SystemExit as end:
        # typer takes a reader that went away (head, less) for a failure.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        return end.code if isinstance(end.code, int) else 0
    return 0


class _Stopped(BaseException):
    """A signal came while no request was under way (the engine handles those): while a model loads, say."""


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    raise _Stopped(f"stopped by {'Ctrl-C' if number == signal.SIGINT else 'SIGTERM'}")


def _say(what: str, error: SotaqueError) -> None:
    """Names of files and what servers say may hold control sequences: a terminal must not obey them."""
    from sotaque.report.display import spelt_out

    print(f"{what}{spelt_out(str(error), lines=True)}", file=sys.stderr)
