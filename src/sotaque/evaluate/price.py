"""What a run will ask and cost before it starts, and the limit that stops it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sotaque.errors import DataError, Fatal, UsageError
from sotaque.evaluate.questions import Asking
from sotaque.models.model import Identity, ServedModel
from sotaque.records import Ability, Choose, Generate, Reply, Request, Usage

BYTES_PER_TOKEN = 3.0
"""Rough, and rather too low than too high, so that estimates err upwards: English has about 4, Persian 2 to 5."""

MILLION = 1_000_000


class Price(BaseModel):
    """Per million tokens, in the file's currency; ``cached`` tokens of the prompt cost the same unless given."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    def of(self, usage: Usage) -> float:
        """What these tokens cost."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = max(0, usage.prompt - usage.cached)
        return (fresh * self.prompt + usage.cached * cached + usage.completion * self.completion) / MILLION


class PriceFile(BaseModel):
    """A user's price file: ``currency`` and a table ``[prices."PROVIDER/NAME"]`` for each model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    currency: str
    prices: dict[str, Price]


def read_prices(path: Path) -> PriceFile:
    """Read a price file (TOML).

    Raises:
        DataError: it is missing, no TOML, or has other keys than it should.
    """
    remedy = 'write currency = "USD" and, for each model, [prices."openai/NAME"] with prompt and completion per million'
    try:
        return PriceFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise DataError(fault["msg"], file=path, place=place, remedy=remedy) from None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(str(error), file=path, remedy=remedy) from None


@dataclass(frozen=True, slots=True)
class Estimated:
    """Before a run: requests, and the tokens that they can take at most.

    ``cost`` is ``None`` where no price is known.
    """

    requests: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    currency: str = ""


def estimate(asking: Asking, price: Price | None, currency: str = "") -> Estimated:
    """Count what a run would send if the store held nothing of it."""
    requests = [question.prompt.request for question in asking.questions]
    usage = sum((_at_most(request) for request in requests), Usage())
    cost = price.of(usage) if price else None
    return Estimated(len(requests), usage.prompt, usage.completion, cost, currency)


def _at_most(request: Request) -> Usage:
    if isinstance(request, Generate):
        texts: Sequence[str] = [message.content for message in request.messages] or [request.text]
        return Usage(prompt=_tokens(texts), completion=request.sampling.max_tokens)
    if isinstance(request, Choose):
        return Usage(prompt=sum(_tokens([request.context, option]) for option in request.continuations))
    return Usage()


def _tokens(texts: Sequence[str]) -> int:
    return round(sum(len(text.encode()) for text in texts) / BYTES_PER_TOKEN) + 4 * len(texts)


class Metered:
    """A served model that adds up what its replies cost, and ends the run when a limit is reached.

    Args:
        model: the model that is really asked.
        price: per million tokens.
        limit: in the price's currency; counts what is asked in this run, not what the store held.
    """

    def __init__(self, model: ServedModel, price: Price, limit: float, currency: str) -> None:
        if not limit > 0:  # which "nan" is not either
            raise UsageError(f"--max-cost {limit} is no limit", "give an amount above 0")
        self._model, self._price, self._limit, self._currency = model, price, limit, currency
        self.spent = 0.0

    @property
    def identity(self) -> Identity:
        """The model's."""
        return self._model.identity

    @property
    def abilities(self) -> frozenset[Ability]:
        """The model's."""
        return self._model.abilities

    def prepare(self, needs: frozenset[Ability]) -> None:
        """As the model does."""
        self._model.prepare(needs)

    def preview(self, request: Request) -> str:
        """As the model does."""
        return self._model.preview(request)

    def refusal(self, ability: Ability) -> str:
        """As the model does."""
        return self._model.refusal(ability)

    async def ask(self, request: Request) -> Reply:
        """As the model does, unless the money is spent.

        Raises:
            Fatal: the limit is reached.
        """
        if self.spent >= self._limit:
            raise Fatal(
                f"--max-cost {self._limit:g} {self._currency} is spent ({self.spent:.4f}); what was answered is stored",
                "run again with a higher limit: only what is missing is asked",
            )
        reply = await self._model.ask(request)
        # A server that tells no usage still sends a bill: the limit then counts the most it can have been.
        told = reply.usage.prompt or reply.usage.completion
        self.spent += self._price.of(reply.usage if told else _at_most(request))
        return reply

    async def close(self) -> None:
        """As the model does."""
        await self._model.close()
