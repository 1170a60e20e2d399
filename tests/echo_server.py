"""What vLLM's /v1/completions does with ``echo`` and ``logprobs``, over a toy byte tokenizer with known numbers.

The tokenizer takes the longest entry of its vocabulary at each byte: all 256 bytes, and a few longer ones. So a
Persian letter is two tokens unless it is listed, and a listed word that spans context and option is one token.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fault_server import Answer, Seen, status

BOS = 1000


@dataclass(frozen=True)
class ToyTokenizer:
    """``bos`` decides whether each text begins with the token BOS."""

    words: tuple[str, ...] = ()
    bos: bool = True

    def encode(self, text: str) -> list[int]:
        entries = sorted(enumerate([word.encode() for word in self.words], 256), key=lambda entry: -len(entry[1]))
        data, ids = text.encode(), [BOS] if self.bos else []
        while data:
            number, length = next(((n, len(e)) for n, e in entries if data.startswith(e)), (data[0], 1))
            ids.append(number)
            data = data[length:]
        return ids

    def decode(self, number: int) -> str:
        """One token as a string: a part of a character shows as U+FFFD, as it does in vLLM."""
        if number == BOS:
            return "<s>"
        return self.words[number - 256] if number >= 256 else bytes([number]).decode(errors="replace")


def logprob(before: Sequence[int], token: int) -> float:
    """A token's log-probability after others: any fixed function will do."""
    return -(zlib.crc32(repr((list(before), token)).encode()) % 9973 + 1) / 1000


@dataclass(frozen=True)
class EchoBehaviour:
    """A behaviour for ``FaultServer``.

    Attributes:
        token_ids: whether "token_id:17" is understood.
        strict: answer 400 to parameters that OpenAI does not have.
        usage: whether the reply counts its tokens.
        smallest: the smallest max_tokens that is taken, the largest is 1.
    """

    tokenizer: ToyTokenizer
    token_ids: bool = True
    strict: bool = False
    usage: bool = True
    largest: int = 1

    def __call__(self, seen: Seen) -> Answer:
        body = seen.body
        if seen.path != "/v1/completions":
            return status(404, "Not Found")
        if self.strict and "return_tokens_as_token_ids" in body:
            return status(400, "Unrecognized request argument supplied: return_tokens_as_token_ids")
        if body["max_tokens"] > self.largest:
            return status(400, f"max_tokens must be at most {self.largest} with echo", param="max_tokens")
        ids = self.tokenizer.encode(body["prompt"])
        generated = ids[:0] if body["max_tokens"] == 0 else [33]
        return Answer(body=self._reply(body, ids, generated))

    def _reply(self, body: dict[str, Any], ids: list[int], generated: list[int]) -> dict[str, Any]:
        every = ids + generated
        as_ids = self.token_ids and body.get("return_tokens_as_token_ids")
        tokens = [f"token_id:{number}" if as_ids else self.tokenizer.decode(number) for number in every]
        values = [logprob(every[:place], number) if place else None for place, number in enumerate(every)]
        offsets = [sum(map(len, tokens[:place])) for place in range(len(tokens))]
        logprobs = {"tokens": tokens, "token_logprobs": values, "text_offset": offsets, "top_logprobs": None}
        choice = {"index": 0, "text": body["prompt"] + "!", "finish_reason": "length", "logprobs": logprobs}
        usage = {"prompt_tokens": len(ids), "completion_tokens": len(generated), "total_tokens": len(every)}
        reply = {"object": "text_completion", "model": "toy", "choices": [choice]}
        return {**reply, "usage": usage} if self.usage else reply
