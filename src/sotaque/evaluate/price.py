"""What a run will ask and cost before it starts, and the limit that stops it."""

from __future__ import annotations

import asyncio
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
"""Rough: English has about 4, Persian 2 to 5 with the tokenizers of large models; a small English one has 1 to 2."""

PER_REQUEST = 64
"""Tokens that a chat template may add to a prompt, at most."""

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


@dataclass(frozen=True, slots=True)
class Tariff:
    """One model's price, and the currency it is in."""

    price: Price
    currency: str


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
    """Before a run: requests, tokens, and what they cost.

    Attributes:
        prompt_tokens: about; a third of the bytes.
        prompt_tokens_at_most: a token for every byte, and what a chat template may add.
        completion_tokens_at_most: every reply as long as it may be.
        cost: about, with replies as long as they may be; ``None`` where no price is known.
        cost_at_most: by the two numbers above.
    """

    requests: int
    prompt_tokens: int
    prompt_tokens_at_most: int
    completion_tokens_at_most: int
    cost: float | None
    cost_at_most: float | None
    currency: str = ""


def estimate(asking: Asking, tariff: Tariff | None) -> Estimated:
    """Count what a run would send if the store held nothing of it."""
    requests = [question.prompt.request for question in asking.questions]
    most = sum((_at_most(request) for request in requests), Usage())
    about = Usage(round(sum(_bytes(request) for request in requests) / BYTES_PER_TOKEN), most.completion)
    return Estimated(
        requests=len(requests),
        prompt_tokens=about.prompt,
        prompt_tokens_at_most=most.prompt,
        completion_tokens_at_most=most.completion,
        cost=tariff.price.of(about) if tariff else None,
        cost_at_most=tariff.price.of(most) if tariff else None,
        currency=tariff.currency if tariff else "",
    )


def _at_most(request: Request) -> Usage:
    sent = len(request.continuations) if isinstance(request, Choose) else 1
    written = request.sampling.max_tokens if isinstance(request, Generate) else 0
    return Usage(prompt=_bytes(request) + sent * PER_REQUEST, completion=written)


def _bytes(request: Request) -> int:
    if isinstance(request, Generate):
        texts: Sequence[str] = [message.content for message in request.messages] or [request.text]
    elif isinstance(request, Choose):
        texts = [request.context + option for option in request.continuations]
    else:
        return 0
    return sum(len(text.encode("utf-8", "replace")) for text in texts)


def check_limit(limit: float) -> None:
    """Refuse what is no amount of money.

    Raises:
        UsageError: zero, negative, or not a number.
    """
    if not limit > 0:  # which "nan" is not either
        raise UsageError(f"--max-cost {limit} is no limit", "give an amount above 0")


class Metered:
    """A served model that adds up what its replies cost, and ends the run before a limit is passed.

    A request is sent only if all that is under way, and it, cannot pass the limit even if each reply is as long as it
    may be; until then it waits for replies that turn out cheaper.

    Args:
        model: the model that is really asked.
        tariff: what its tokens cost.
        limit: in the tariff's currency; counts what is asked in this run, not what the store held.
    """

    def __init__(self, model: ServedModel, tariff: Tariff, limit: float) -> None:
        check_limit(limit)
        self._model, self._price, self._limit, self._currency = model, tariff.price, limit, tariff.currency
        self.spent = 0.0
        self._reserved = 0.0
        self._landed: asyncio.Event | None = None

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
        """As the model does, unless the money would be spent.

        Raises:
            Fatal: the limit leaves no room for this request.
        """
        most = self._price.of(_at_most(request))
        await self._room_for(most)
        self._reserved += most
        try:
            reply = await self._model.ask(request)
            # A server that tells no usage still sends a bill: the limit then counts the most it can have been.
            told = reply.usage.prompt or reply.usage.completion
            self.spent += self._price.of(reply.usage) if told else most
        finally:
            self._reserved -= most
            if self._landed is not None:
                self._landed.set()
        return reply

    async def _room_for(self, most: float) -> None:
        while self.spent + self._reserved + most > self._limit:
            if self._reserved <= 1e-12:
                raise Fatal(
                    f"--max-cost {self._limit:g} {self._currency}: {self.spent:.4f} is spent, and one more request may "
                    f"cost {most:.4f}; what was answered is stored",
                    "run again with a higher limit: only what is missing is asked",
                )
            if self._landed is None or self._landed.is_set():
                self._landed = asyncio.Event()  # one for all that wait
            await self._landed.wait()

    async def close(self) -> None:
        """As the model does."""
        await self._model.close()
