"""The seam between sotaque and whatever answers: one Protocol with two ways to be asked.

A model is a pure translation of requests into replies. It does not schedule, retry, or store: the engine does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from sotaque.errors import ModelError
from sotaque.records import Ability, Reply, Request


@dataclass(frozen=True, slots=True)
class Identity:
    """Who answers: all of it goes into the request key, so it never holds a secret.

    Attributes:
        name: as the user wrote it ("openai/gpt-4o-mini", "local", "baseline/longest").
        details: base URL without credentials, model name asked for, name the server reports, weights hash or
            revision, dtype, extra body, reasoning effort ...: whatever can change a reply.
        stable: whether the same identity is sure to mean the same weights tomorrow. A server on localhost that tells
            nothing about its weights is not: the engine then asks anew unless told to reuse.
        about: shown to people, not part of the key ("SmolLM2-135M-Instruct, Q4_1, dequantised to float32").
    """

    name: str
    details: Mapping[str, str] = field(default_factory=dict[str, str])
    stable: bool = True
    about: str = ""


class Model(Protocol):
    """What every model has. ``identity`` and ``abilities`` are final once ``prepare`` has returned."""

    @property
    def identity(self) -> Identity:
        """Who answers."""
        ...

    @property
    def abilities(self) -> frozenset[Ability]:
        """What it can be asked."""
        ...

    def prepare(self, needs: frozenset[Ability]) -> None:
        """Learn who answers and what it can do: load weights, ask the server for its models, probe log-probabilities.

        Called once before the first request; never by ``--plan``. Only the abilities in ``needs`` are probed.

        Raises:
            Fatal: the server refuses us or is not there, the weights cannot be read.
            MissingKey, MissingExtra, UnknownModel: before anything is sent.
        """
        ...

    def preview(self, request: Request) -> str:
        """Exactly what would be sent for this request, as text (a JSON body, or the rendered prompt)."""
        ...

    def refusal(self, ability: Ability) -> str:
        """Why this model lacks an ability: one sentence that a user understands."""
        ...


@runtime_checkable
class BatchModel(Model, Protocol):
    """Runs in this process and likes several requests at once (a local network, a baseline)."""

    @property
    def batch_size(self) -> int:
        """How many requests the engine should claim and hand over at a time."""
        ...

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply | ModelError]]:
        """Answer every request once, in any order, yielding each as soon as it is known.

        A request that cannot be answered alone (longer than the window) is yielded with ``Rejected``;
        an exception raised from the iterator ends the run.
        """
        ...


@runtime_checkable
class ServedModel(Model, Protocol):
    """Lives behind a network: one coroutine per request; the engine runs many at once in one event loop."""

    async def ask(self, request: Request) -> Reply:
        """One request, one try.

        Raises:
            Fatal, Rejected, Transient: what the engine should do about it.
        """
        ...

    async def close(self) -> None:
        """Close the connections that ``ask`` opened in the running event loop."""
        ...
