"""What ``run --plan`` prints: requests, tokens and cost, before anything is sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from sotaque.evaluate.price import Estimated

Plans = Sequence[tuple[str, str, Estimated]]
"""(suite, model, estimate)."""


def print_plans(plans: Plans) -> None:
    """A table; tokens are upper estimates."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("suite", "model"):
        table.add_column(title)
    for title in ("requests", "prompt tokens", "at most", "new, at most", "cost"):
        table.add_column(title, justify="right")
    for suite, model, plan in plans:
        cost = "no price" if plan.cost is None else f"{plan.cost:.4f} to {plan.cost_at_most:.4f} {plan.currency}"
        numbers = (plan.requests, plan.prompt_tokens, plan.prompt_tokens_at_most, plan.completion_tokens_at_most)
        table.add_row(escape(suite), escape(model), *(f"{number:,}" for number in numbers), escape(cost))
    console = Console(highlight=False)
    console.print(table)
    console.print(
        "Nothing was sent, and stored replies, which cost nothing, were not taken off. Prompt tokens: about a third of "
        "the bytes, at most one for each byte (small tokenizers do come near that). New tokens: the whole limit.",
        style="dim",
    )


def plans_as_json(plans: Plans) -> str:
    """The same as one JSON document."""
    rows = [{"suite": suite, "model": model, **asdict(plan)} for suite, model, plan in plans]
    return json.dumps(rows, ensure_ascii=False, indent=2)
