"""Scoring the options of one item through a server: what to send, all at once, and whether it can work at all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sotaque.errors import Fatal, Rejected, Transient
from sotaque.models.dialect import Dialect
from sotaque.models.exchange import TEXT, Exchange
from sotaque.models.prompt_logprobs import PROBE, Echoed, opening_token, probe_refusal, read_echo, score_options
from sotaque.models.received import JsonObject, string
from sotaque.models.replies import read_usage
from sotaque.records import Choose, Reply, Usage

_T = TypeVar("_T")
_PROBE_TRIES = 3


@dataclass(frozen=True, slots=True)
class EchoScorer:
    """How a server scores options; ``refusal`` is empty when it can.

    Attributes:
        refusal: why it cannot, as the end of a sentence about the server.
        max_tokens: how many tokens to let it generate: 1, or 0 where it insists.
        probe: how it split ``PROBE`` into tokens.
    """

    refusal: str = ""
    max_tokens: int = 1
    probe: Echoed | None = None

    def bodies(self, dialect: Dialect, request: Choose) -> list[JsonObject]:
        """What is sent for a request, one body per text."""
        return [dialect.echo(text, self.max_tokens) for text in _texts(request)]

    async def score(self, exchange: Exchange, request: Choose) -> Reply:
        """Score all options of a request.

        Raises:
            Fatal, Rejected, Transient: the first fault of any of its texts; the others are cancelled.
        """
        started = time.perf_counter()
        texts = _texts(request)
        # Together, so that a server with a prefix cache computes the context once.
        heard = await _together([_echo(exchange, text, self.max_tokens) for text in texts])
        echoes = {text: echoed for text, (echoed, _, _) in zip(texts, heard, strict=True)}
        options = [echoes[request.context + continuation] for continuation in request.continuations]
        if request.context:
            context = echoes[request.context].tokens
        else:
            context = opening_token(self.probe, options) if self.probe else ()
        return Reply(
            scores=score_options(context, options),
            usage=sum((usage for _, usage, _ in heard), Usage()),
            model=heard[0][2],
            seconds=time.perf_counter() - started,
        )


async def probe(exchange: Exchange) -> EchoScorer:
    """Find out, with one small request, whether log-probabilities of a prompt's own tokens really come back.

    Raises:
        Fatal: the server does not accept us, or gives no answer.
    """
    max_tokens = 1
    said = await _probed(exchange, max_tokens)
    if isinstance(said, Rejected):
        max_tokens = 0
        said = await _probed(exchange, max_tokens)
    if isinstance(said, Rejected | Fatal):
        return EchoScorer(f"does not take such requests ({said.message})")
    return EchoScorer(probe_refusal(said), max_tokens, said if isinstance(said, Echoed) else None)


async def _probed(exchange: Exchange, max_tokens: int) -> Echoed | str | Rejected | Fatal:
    said = ""
    for pause in range(1, _PROBE_TRIES + 1):
        status = 0
        try:
            answer, _ = await exchange.send(TEXT, lambda dialect: dialect.echo(PROBE, max_tokens))
            status = answer.status
            return read_echo(exchange.success(answer, TEXT), PROBE, max_tokens)
        except Transient as error:
            said = error.message
            await asyncio.sleep(min(error.retry_after or pause, 5.0))
        except (Rejected, Fatal) as error:
            if status in (0, 401, 402, 403):
                raise
            return error
    raise Fatal(f"{exchange.server} did not tell whether it can score options: {said}")


async def _echo(exchange: Exchange, text: str, max_tokens: int) -> tuple[Echoed, Usage, str]:
    answer, _ = await exchange.send(TEXT, lambda dialect: dialect.echo(text, max_tokens))
    payload = exchange.success(answer, TEXT)
    echoed = read_echo(payload, text, max_tokens)
    if isinstance(echoed, str):
        raise Transient(f"{exchange.server} at {exchange.url(TEXT)} {echoed}")
    return echoed, read_usage(payload), exchange.hide(string(payload.get("model")))


def _texts(request: Choose) -> list[str]:
    """What must be echoed to score a request: the context alone, if there is any, and each different whole text."""
    texts = [request.context] if request.context else []
    return list(dict.fromkeys([*texts, *(request.context + continuation for continuation in request.continuations)]))


async def _together(jobs: Sequence[Coroutine[Any, Any, _T]]) -> list[_T]:
    """Run all at once; when one fails, or we are cancelled, none is left running."""
    tasks = [asyncio.ensure_future(job) for job in jobs]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
