"""What a model in this process would read, as text."""

from __future__ import annotations

from sotaque.models.local_prompt import Prompter
from sotaque.records import Choose, Generate


def shown(prompter: Prompter, request: Generate | Choose) -> str:
    """The exact prompt; for Choose the context, and each continuation marked, with what is scored of it."""
    if isinstance(request, Generate):
        rendered, _ = prompter.rendered(request)
        return prompter.front_text(rendered) + rendered
    cut, notes = prompter.choice(request)
    lines = [prompter.front_text(request.context) + request.context, "", "--- continuations, each scored ---"]
    for place, (text, rest) in enumerate(zip(request.continuations, cut.rests, strict=True), 1):
        lines.append(f"[{place}] {text!r} ({len(rest)} tokens)")
    if cut.overlap > 0:
        lines.append(f"(tokens span the seam: the last {cut.overlap} of the context are scored with each)")
    return "\n".join([*lines, *(f"({note})" for note in notes)])
