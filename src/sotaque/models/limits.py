"""What every model in this process holds to: the window that it reads, and where a text ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sotaque.errors import Rejected
from sotaque.models.boundary import Split

Text = Callable[[Sequence[int]], str]
"""Token ids -> text, as it reads behind its prompt."""


def check_options(window: int | None, cut: Split) -> None:
    """Refuse a context with options that the network cannot read whole: cut silently, it would be another text.

    Raises:
        Rejected: names the longest continuation.
    """
    lengths = [len(cut.prefix) + len(rest) for rest in cut.rests]
    longest = max(lengths)
    if window is not None and longest > window:
        raise Rejected(
            f"the context with continuation {lengths.index(longest) + 1} is {longest} tokens, "
            f"the model's window is {window}",
            "use fewer examples, or a model with a longer window",
        )


def check_prompt(window: int | None, prompt: int, max_tokens: int) -> None:
    """Refuse a prompt of so many tokens that does not leave room for the text that may follow.

    Raises:
        Rejected: gives both numbers.
    """
    if window is not None and prompt + max_tokens > window:
        raise Rejected(
            f"the prompt is {prompt} tokens and up to {max_tokens} are to be written, the model's window is {window}",
            "lower --max-tokens, use fewer examples, or a model with a longer window",
        )


def stopped(text: Text, drawn: Sequence[int], stops: Sequence[str]) -> str | None:
    """The text of ``drawn`` up to the first stop string, ``None`` while there is none."""
    wanted = [stop for stop in stops if stop]
    if not wanted:
        return None
    # A token has at least one byte, so a stop string that has just ended lies within this tail.
    reach = max(len(stop.encode()) for stop in wanted) + 8
    tail = text(drawn[-reach:])
    if not any(stop in tail for stop in wanted):
        return None
    whole = text(drawn)
    places = [place for place in (whole.find(stop) for stop in wanted) if place >= 0]
    return whole[: min(places)] if places else None
