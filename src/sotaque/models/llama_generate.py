"""Text with llama.cpp, token by token: greedy or sampled, with stop strings. The rules of ``local_generate``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sotaque.errors import Rejected
from sotaque.models.limits import Text, check_prompt, stopped
from sotaque.models.llama_decode import Logits, Reader
from sotaque.models.next_token import seed_of
from sotaque.records import Finish, Sampling


@dataclass(frozen=True, slots=True)
class Written:
    """The text, without the stop string; ``tokens`` counts all that were drawn, the ending one among them."""

    text: str
    finish: Finish
    tokens: int


def write(
    reader: Reader, prompt: Sequence[int], sampling: Sampling, *, repeat: int, ends: Callable[[int], bool], text: Text
) -> Written:
    """Continue the prompt. Between two tokens Python is in charge, so a signal ends it within one step.

    Args:
        reader: of the model.
        prompt: token ids, never empty.
        sampling: how tokens are drawn.
        repeat: each has a seed of its own.
        ends: whether a token ends a text.
        text: token ids -> text, as it reads behind the prompt.

    Raises:
        Rejected: prompt and token limit exceed the window, no memory, or the logits are not numbers.
    """
    check_prompt(reader.window, len(prompt), sampling.max_tokens)
    reader.reserve(len(prompt) + sampling.max_tokens)
    pick = _picker(sampling, repeat)
    drawn: list[int] = []
    logits = reader.behind(prompt)
    for count in range(1, sampling.max_tokens + 1):
        token = pick(logits)
        if ends(token):
            return Written(text(drawn), Finish.STOP, count)
        drawn.append(token)
        if (cut := stopped(text, drawn, sampling.stop)) is not None:
            return Written(cut, Finish.STOP, count)
        if count < sampling.max_tokens:
            logits = reader.go_on(token)
    return Written(text(drawn), Finish.LENGTH, len(drawn))


def _picker(sampling: Sampling, repeat: int) -> Callable[[Logits], int]:
    """How the next token is chosen from logits of shape (vocabulary,), with a seed for every repeat."""
    generator = np.random.Generator(np.random.PCG64(seed_of(sampling.seed, repeat)))

    def pick(logits: Logits) -> int:
        if np.isnan(logits).any():
            raise Rejected("the network gives no numbers (NaN) for this text", "try another quantisation of the model")
        if sampling.temperature <= 0:
            return int(logits.argmax())
        scaled = logits.astype(np.float64) / sampling.temperature
        chances = np.exp(scaled - scaled.max())
        order = np.argsort(-chances, kind="stable")
        ranked = chances[order] / chances.sum()
        # The token that crosses top_p stays in, and so does the first.
        below = np.cumsum(ranked) - ranked < sampling.top_p
        below[0] = True
        ranked = np.where(below, ranked, 0.0)
        return int(order[generator.choice(len(ranked), p=ranked / ranked.sum())])

    return pick
