"""``sotaque run``: one run folder for each suite and each model, and one table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

MOST_REPEATS = 1000
WHAT, MODEL, ASKING, MONEY, SERVER, OUTPUT = (
    "What to run", "The model", "How to ask", "Plan and cost", "Servers", "Output"
)  # fmt: skip


def option(*names: str, panel: str, text: str) -> Any:  # noqa: ANN401 - typer takes whatever it made
    """One option of the command, in its panel of the help page."""
    return typer.Option(*names, help=text, rich_help_panel=panel)


def run(
    suites: Annotated[str, typer.Argument(help="Suites, separated by commas: bundled names, or folders with a suite.toml.")],
    model: Annotated[list[str], option("--model", "-m", panel=MODEL, text="PROVIDER/NAME, hf/ID-or-PATH, gguf/PATH, local, or baseline/NAME; may be repeated.")],
    source: Annotated[str, option("--source", panel=WHAT, text="A source of the suite (bundled, official), or a folder with its files.")] = "bundled",
    task: Annotated[list[str] | None, option("--task", "-t", panel=WHAT, text="Only this task; may be repeated.")] = None,
    mode: Annotated[Literal["generate", "choose", "judge", "all"] | None, option("--mode", panel=WHAT, text="Tasks of one mode, or all; without it, the suite's default tasks.")] = None,
    limit: Annotated[int | None, option("--limit", panel=WHAT, text="That many items per task, drawn by seeded hash.")] = None,
    first: Annotated[int | None, option("--first", panel=WHAT, text="The first that many items per task.")] = None,
    items: Annotated[Path | None, option("--items", panel=WHAT, text="A file of item ids (ID or TASK/ID), one a line.")] = None,
    protocol: Annotated[Literal["published", "default"], option("--protocol", panel=ASKING, text="What the paper states, or what we recommend.")] = "default",
    as_: Annotated[Literal["chat", "text"] | None, option("--as", panel=ASKING, text="Send prompts as chat or as plain text; by default chat where the model can.")] = None,
    max_tokens: Annotated[int | None, option("--max-tokens", panel=ASKING, text="New tokens per reply, instead of the protocol's.")] = None,
    shots: Annotated[int | None, option("--shots", panel=ASKING, text="Worked examples before each question, instead of the protocol's.")] = None,
    shuffle: Annotated[int | None, option("--shuffle", panel=ASKING, text="Reorder each item's options by this seed.")] = None,
    permute: Annotated[bool, option("--permute", panel=ASKING, text="Ask each item in every rotation of its options.")] = False,
    repeat: Annotated[int, option("--repeat", panel=ASKING, text="Ask everything that often.")] = 1,
    seed: Annotated[int, option("--seed", panel=ASKING, text="For --limit and for examples in prompts.")] = 0,
    base_url: Annotated[str | None, option("--base-url", panel=SERVER, text="Address of an OpenAI-compatible server.")] = None,
    api_key_env: Annotated[str | None, option("--api-key-env", panel=SERVER, text="The environment variable that holds the API key.")] = None,
    reasoning_effort: Annotated[str | None, option("--reasoning-effort", panel=SERVER, text="Sent to the server as it is.")] = None,
    extra_body: Annotated[str | None, option("--extra-body", panel=SERVER, text="JSON object merged into every request.")] = None,
    concurrency: Annotated[int, option("--concurrency", panel=SERVER, text="Requests in flight, at most; adapts below that.")] = 32,
    timeout: Annotated[float, option("--timeout", panel=SERVER, text="Seconds for one try of one request.")] = 600.0,
    tries: Annotated[int, option("--tries", panel=SERVER, text="Tries per request for other failures than overload.")] = 10,
    reuse: Annotated[bool, option("--reuse", panel=SERVER, text="Take stored replies also of a local server that does not tell which weights it runs.")] = False,
    revision: Annotated[str | None, option("--revision", panel=MODEL, text="Of a Hugging Face repository.")] = None,
    dtype: Annotated[str | None, option("--dtype", panel=MODEL, text="Of local weights; float32 by default.")] = None,
    kv: Annotated[Literal["exact", "fast"], option("--kv", panel=MODEL, text="What llama.cpp has read of a GGUF model's prompt is kept in float32, or in float16 with flash attention.")] = "exact",
    trust_remote_code: Annotated[bool, option("--trust-remote-code", panel=MODEL, text="Run Python that comes with a Hugging Face repository.")] = False,
    plan: Annotated[bool, option("--plan", panel=MONEY, text="Say what would be asked and what it may cost; send nothing.")] = False,
    encoder: Annotated[str, option("--encoder", panel=MODEL, text="A folder or hub id, instead of the encoder that a task names for BERTScore.")] = "",
    encoder_layer: Annotated[int | None, option("--encoder-layer", panel=MODEL, text="Layer of the encoder, instead of the task's.")] = None,
    prices: Annotated[Path | None, option("--prices", panel=MONEY, text="A price file (TOML), see the documentation.")] = None,
    max_cost: Annotated[float | None, option("--max-cost", panel=MONEY, text="Stop when that much is spent, in the price file's currency.")] = None,
    out: Annotated[Path, option("--out", panel=OUTPUT, text="The folder in which run folders are made.")] = Path("runs"),
    with_items: Annotated[bool, option("--with-items", panel=OUTPUT, text="Keep texts in the run folder although the items may not be shared: a private copy.")] = False,
    max_unscored: Annotated[float, option("--max-unscored", panel=OUTPUT, text="Share of items without a score above which the exit code is 1.")] = 0.01,
    json: Annotated[bool, option("--json", panel=OUTPUT, text="Print one JSON document instead of the table.")] = False,
) -> None:  # fmt: skip
    """Run suites on models and print what came out.

    Replies are stored as they arrive: an interrupted run is resumed by running it again.
    """
    from sotaque.engine.pace import Settings
    from sotaque.models.providers import ModelOptions
    from sotaque.records import RunSpec

    if not 1 <= repeat <= MOST_REPEATS:
        raise typer.BadParameter(f"give 1 to {MOST_REPEATS}", param_hint="--repeat")
    if not 0 <= max_unscored <= 1:
        raise typer.BadParameter("give a share between 0 and 1", param_hint="--max-unscored")
    if max_tokens is not None and max_tokens < 1:
        raise typer.BadParameter("give 1 or more", param_hint="--max-tokens")
    if encoder_layer is not None and encoder_layer < 1:
        raise typer.BadParameter("give 1 or more", param_hint="--encoder-layer")
    if shots is not None and shots < 0:
        raise typer.BadParameter("give 0 or more", param_hint="--shots")
    options = ModelOptions(
        base_url=base_url,
        api_key_env=api_key_env,
        revision=revision,
        dtype=dtype,
        reasoning_effort=reasoning_effort,
        extra_body=_json_object(extra_body),
        as_=as_,
        trust_remote_code=trust_remote_code,
        kv=kv,
    )
    spec = RunSpec(
        suite="",
        model="",
        source=source,
        protocol=protocol,
        tasks=tuple(task or ()),
        mode=None if mode == "all" else mode,
        limit=limit,
        first=first,
        items=_ids(items),
        shuffle=shuffle,
        permute=permute,
        rendering=as_,
        repeat=repeat,
        seed=seed,
        max_tokens=max_tokens,
        shots=shots,
        encoder=encoder,
        encoder_layer=encoder_layer,
    )
    settings = Settings(concurrency=concurrency, timeout=timeout, tries=tries, reuse=reuse)
    chosen = [name.strip() for name in suites.split(",") if name.strip()]
    from sotaque.cli.running import Session

    session = Session(chosen, model, options, spec, settings, prices, max_cost, every_task=mode == "all")
    if plan:
        session.plan(json=json)
    else:
        raise typer.Exit(session.run(out, with_items=with_items, max_unscored=max_unscored, json=json))


def _json_object(text: str | None) -> dict[str, object]:
    from json import loads

    if text is None:
        return {}
    try:
        value: object = loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"not JSON ({error})", param_hint="--extra-body") from None
    if not isinstance(value, dict):
        raise typer.BadParameter('not a JSON object like {"top_k": 1}', param_hint="--extra-body")
    return {str(name): each for name, each in cast("dict[object, object]", value).items()}


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a value of JSON")


def _ids(path: Path | None) -> frozenset[str]:
    from sotaque.errors import DataError

    if path is None:
        return frozenset()
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"cannot be read ({error})", file=path, remedy="--items takes a text file, one id a line"
        ) from None
    ids = frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))
    if not ids:
        raise DataError("names no items", file=path, remedy="write one id a line, as ID or TASK/ID")
    return ids
