"""Text, token by token: greedy or sampled, with stop strings, and nothing from a model's generation defaults."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sotaque.errors import Rejected
from sotaque.models.local_library import Cache, Tensor, library
from sotaque.models.local_network import Network, OutOfRoom
from sotaque.records import Finish, Sampling


@dataclass(frozen=True, slots=True)
class Task:
    """What to write.

    Attributes:
        prompt: token ids to continue.
        ends: token ids that end a text.
        text: token ids -> text, as it reads behind the prompt.
    """

    prompt: Sequence[int]
    sampling: Sampling
    repeat: int
    ends: frozenset[int]
    text: Callable[[Sequence[int]], str]


@dataclass(frozen=True, slots=True)
class Written:
    """The text, without the stop string; ``tokens`` counts all that were drawn, the ending one among them."""

    text: str
    finish: Finish
    tokens: int


def write(network: Network, task: Task) -> Written:
    """Continue the prompt. Between two tokens Python is in charge, so a signal ends it within one step.

    Raises:
        Rejected: prompt and token limit exceed the window, no memory, or the logits are not numbers.
    """
    _check_window(network, task)
    try:
        return _write(network, task)
    except OutOfRoom as error:
        raise Rejected(
            f"no memory for a prompt of {len(task.prompt)} tokens ({error})", "free memory, or choose a smaller model"
        ) from error


def _write(network: Network, task: Task) -> Written:
    pick = _picker(task.sampling, task.repeat)
    drawn: list[int] = []
    cache: Cache = None
    for count in range(1, task.sampling.max_tokens + 1):
        feed = [*task.prompt, *drawn] if cache is None else drawn[-1:]
        logits, cache = network.step([feed], cache)
        token = pick(logits[0, -1])
        if token in task.ends:
            return Written(task.text(drawn), Finish.STOP, count)
        drawn.append(token)
        if (cut := _cut(task, drawn)) is not None:
            return Written(cut, Finish.STOP, count)
    return Written(task.text(drawn), Finish.LENGTH, len(drawn))


def _cut(task: Task, drawn: Sequence[int]) -> str | None:
    """The text up to the first stop string, ``None`` while there is none."""
    stops = [stop for stop in task.sampling.stop if stop]
    if not stops:
        return None
    # A token has at least one byte, so a stop string that has just ended lies within this tail.
    reach = max(len(stop.encode()) for stop in stops) + 8
    tail = task.text(drawn[-reach:])
    if not any(stop in tail for stop in stops):
        return None
    text = task.text(drawn)
    places = [place for place in (text.find(stop) for stop in stops) if place >= 0]
    return text[: min(places)] if places else None


def _picker(sampling: Sampling, repeat: int) -> Callable[[Tensor], int]:
    """How the next token is chosen from logits of shape (vocabulary,).

    Sampling runs on the CPU from a seed of its own for every repeat: the same request gives the same text.
    """
    torch = library("torch")

    def checked(logits: Tensor) -> Tensor:
        if bool(torch.isnan(logits).any()):
            raise Rejected("the network gives no numbers (NaN) for this text", "try --dtype float32")
        return logits

    if sampling.temperature <= 0:
        return lambda logits: int(checked(logits).argmax())
    generator = torch.Generator().manual_seed(_seed(sampling.seed, repeat))

    def sampled(logits: Tensor) -> int:
        chances = torch.softmax(checked(logits).cpu() / sampling.temperature, -1)
        ranked, order = chances.sort(descending=True, stable=True)
        # The token that crosses top_p stays in, and so does the first.
        dropped = (ranked.cumsum(-1) - ranked) >= sampling.top_p
        dropped[0] = False
        ranked[dropped] = 0
        return int(order[torch.multinomial(ranked, 1, generator=generator)])

    return sampled


def _seed(seed: int | None, repeat: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{repeat}".encode()).digest()[:7], "big")


def _check_window(network: Network, task: Task) -> None:
    wanted = len(task.prompt) + task.sampling.max_tokens
    if network.window is not None and wanted > network.window:
        raise Rejected(
            f"the prompt is {len(task.prompt)} tokens and up to {task.sampling.max_tokens} are to be written, "
            f"the model's window is {network.window}",
            "lower --max-tokens, use fewer examples, or a model with a longer window",
        )
