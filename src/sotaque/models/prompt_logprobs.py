"""Option scores from a server that echoes a prompt with the log-probabilities of its tokens (vLLM and its like)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sotaque.errors import Rejected
from sotaque.models.received import JsonObject, count, listing, mapping, string
from sotaque.records import OptionScore

# Begins with a character that no option begins with, so that a first token it shares with one is a begin-of-text token.
PROBE = "§ água mole em pedra dura, tanto bate até que fura"
_UNKNOWN_PART = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, slots=True)
class Echoed:
    """A text as the server's tokenizer sees it.

    Attributes:
        tokens: what the server calls them: "token_id:17", or strings.
        logprobs: natural logs, one per token; ``None`` for a first token that follows nothing.
    """

    tokens: tuple[str, ...]
    logprobs: tuple[float | None, ...]


def read_echo(payload: object, prompt: str, max_tokens: int) -> Echoed | str:
    """The prompt's tokens out of a completion with ``echo`` and ``logprobs``; else, in words, why there are none.

    Args:
        payload: the body of a success.
        prompt: the text that was sent.
        max_tokens: how many tokens were generated at most; they are not part of the result.
    """
    body = mapping(payload)
    choice = mapping(next(iter(listing(body.get("choices"))), None))
    logprobs = mapping(choice.get("logprobs"))
    tokens = [string(token) for token in listing(logprobs.get("tokens"))]
    values = [_number(value) for value in listing(logprobs.get("token_logprobs"))]
    if not logprobs:
        return "returns no log-probabilities"
    length = _prompt_length(body, tokens, prompt, max_tokens)
    if len(tokens) != len(values) or length < 1:
        return "returns log-probabilities of generated tokens only"
    if length > 1 and all(value is None for value in values[1:length]):
        return "echoes the prompt without log-probabilities of its tokens"
    return Echoed(tuple(tokens[:length]), tuple(values[:length]))


def probe_refusal(echoed: Echoed | str) -> str:
    """Why the answer to ``PROBE`` does not allow option scoring; empty when it does."""
    if isinstance(echoed, str):
        return echoed
    values = echoed.logprobs[1:]
    if len(values) < 2:
        return "returns log-probabilities of generated tokens only"
    if any(value is None or value > 1e-6 for value in values) or not any(values):
        return "returns something else than log-probabilities for the tokens of a prompt"
    return ""


def score_options(context: Sequence[str], options: Sequence[Echoed]) -> tuple[OptionScore, ...]:
    """Sum each option's log-probabilities from where its tokens leave the context's.

    The boundary is one for all options of an item: the longest token prefix that the context alone and all texts
    of context + option share. So a token that spans the boundary ("saud" + "ade") counts wholly to the option, a
    token that depends on the option ("Eu" before "ro") does so in all options, and no option is ever empty.

    Args:
        context: the tokens of the context alone.
        options: the texts of context + option, echoed.

    Raises:
        Rejected: an option begins with the text's first token and the server puts no begin-of-text token before it,
            or a log-probability is missing.
    """
    start = boundary(context, [option.tokens for option in options])
    return tuple(_sum(option, start) for option in options)


def boundary(context: Sequence[str], options: Sequence[Sequence[str]]) -> int:
    """How many leading tokens belong to the context, for all options alike."""
    shared = 0
    for column in zip(context, *options, strict=False):
        if len(set(column)) > 1:
            break
        shared += 1
    # Parts of different characters look the same as strings, so a shared prefix must not end on one.
    while shared and _UNKNOWN_PART in context[shared - 1]:
        shared -= 1
    return min([shared, *(len(tokens) - 1 for tokens in options)])


def opening_token(probe: Echoed, options: Sequence[Echoed]) -> tuple[str, ...]:
    """The tokens of an empty context: the begin-of-text token, if the server adds one."""
    first = probe.tokens[:1]
    return first if all(option.tokens[:1] == first for option in options) else ()


def _sum(option: Echoed, start: int) -> OptionScore:
    values: list[float] = []
    for place, value in enumerate(option.logprobs[start:], start):
        if value is None and place == 0:
            raise Rejected(
                "An option begins with the first token of the text, for which the server has no log-probability.",
                "Let the prompt end at a word's end, or let some text stand before the options.",
            )
        if value is None:
            raise Rejected("The server left out the log-probability of one of the option's tokens.")
        values.append(value)
    return OptionScore(math.fsum(values), len(values))


def _prompt_length(body: JsonObject, tokens: Sequence[str], prompt: str, max_tokens: int) -> int:
    """How many of the tokens are the prompt's: by the usage, else by their text."""
    usage = mapping(body.get("usage"))
    prompt_tokens, generated = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    if prompt_tokens and len(tokens) in (prompt_tokens, prompt_tokens + generated):
        return prompt_tokens
    if prompt_tokens:
        return len(tokens) - generated
    text = ""
    for place, token in enumerate(tokens, 1):
        text += token
        if text == prompt:
            return place
    return len(tokens) - max_tokens


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and (-1e300 < value < 1e300 or value == -math.inf) else None
