"""``sotaque models``: which names there are, and the small model that needs nothing."""

from __future__ import annotations

import typer

app = typer.Typer(
    help="Models: the names that --model takes; prepare the small local one.", invoke_without_command=True
)


@app.callback()
def models(context: typer.Context) -> None:
    """List the forms of model names, with server addresses and key variables."""
    if context.invoked_subcommand is None:
        from sotaque.report.listing import print_models

        print_models()


@app.command()
def prepare(name: str = typer.Argument(help="Which model: local.")) -> None:
    """Fetch the small local model (98 MB, Apache-2.0) and make it ready. Needs the extra 'local'."""
    from sotaque.errors import UnknownModel

    if name != "local":
        raise UnknownModel(f"only 'local' can be prepared, not '{name}'", "sotaque models prepare local")
    from sotaque.models.local_library import require_extra
    from sotaque.models.prepare import prepare_local

    require_extra("sotaque models prepare local", "torch", "transformers", "gguf", "accelerate")
    folder = prepare_local(lambda line: typer.echo(line, err=True))
    typer.echo(f"ready: {folder}")
