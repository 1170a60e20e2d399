"""Any server that speaks OpenAI's chat and completions API, as a model: single tries, no scheduling."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from sotaque.errors import Rejected
from sotaque.models.connection import Answer
from sotaque.models.exchange import CHAT, TEXT, Exchange
from sotaque.models.faults import read_complaint
from sotaque.models.model import Identity
from sotaque.models.option_scoring import EchoScorer, probe
from sotaque.models.providers import ModelOptions, Provider
from sotaque.models.replies import read_reply
from sotaque.records import Ability, Choose, Finish, Generate, Rendering, Reply, Request

_FILTERED = frozenset({"content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"})


class OpenAICompatibleModel:
    """A ``ServedModel`` behind HTTP.

    Args:
        name: as the user wrote it ("openai/gpt-4o-mini").
        model: the name the server is asked for.
        provider: what is known of the server.
        options: what the user said.

    Raises:
        UsageError: the base URL is none, or ``extra_body`` sets what it must not.
    """

    def __init__(self, name: str, model: str, provider: Provider, options: ModelOptions) -> None:
        self._name = name
        self._provider = provider
        self._options = options
        self._exchange = Exchange(model, provider, options)
        self._scorer: EchoScorer | None = None

    @property
    def identity(self) -> Identity:
        """Who answers; what the server tells of its weights is in it after ``prepare``."""
        facts = self._exchange.facts
        extra = dict(self._options.extra_body)
        details = {
            "base_url": self._exchange.url(""),
            "model": self._exchange.dialect.model,
            "reasoning_effort": self._options.reasoning_effort or "",
            "extra_body": json.dumps(extra, ensure_ascii=False, sort_keys=True) if extra else "",
            **facts.details,
        }
        return Identity(self._name, {key: value for key, value in details.items() if value}, facts.stable, facts.about)

    @property
    def rendering(self) -> Rendering:
        """How prompts are sent unless the run says otherwise."""
        return self._options.as_ or self._provider.rendering

    @property
    def abilities(self) -> frozenset[Ability]:
        """Before ``prepare``: all that the table of providers does not rule out."""
        return frozenset(ability for ability in Ability if not self.refusal(ability))

    def refusal(self, ability: Ability) -> str:
        """Why an ability is missing; empty when it is there."""
        where = f"{self._exchange.server} at {self._exchange.url('')}"
        if ability is Ability.GUESS:
            return f"{self._name} answers prompts; only baselines guess from the options alone."
        if ability is Ability.CHAT:
            return f"{self._name} was opened with --as text." if self._options.as_ == "text" else ""
        if not self._provider.completions:
            return f"{where} is a chat-only API: it neither continues a text nor returns log-probabilities of a prompt."
        if ability is Ability.COMPLETE:
            return f"{self._name} was opened with --as chat." if self._options.as_ == "chat" else ""
        return self._cannot_choose(where)

    def prepare(self, needs: frozenset[Ability]) -> None:
        """Read the key, find the server, ask who it is, and probe log-probabilities if they are needed."""
        _ = self._exchange.connection
        _run_alone(self._look_around(needs))

    def preview(self, request: Request) -> str:
        """The URL and the body as they would be posted; a ``Choose`` has one body per text. Never the key."""
        dialect = self._exchange.dialect
        if isinstance(request, Generate):
            endpoint, bodies = _endpoint(request), [dialect.generate(request)]
        elif isinstance(request, Choose):
            endpoint, bodies = TEXT, (self._scorer or EchoScorer()).bodies(dialect, request)
        else:
            return self.refusal(Ability.GUESS)
        shown = [json.dumps(body, ensure_ascii=False, indent=2) for body in bodies]
        return "\n".join([f"POST {self._exchange.url(endpoint)}", *shown])

    async def ask(self, request: Request) -> Reply:
        """One request, one try; only a body that the server wants otherwise is sent again."""
        if isinstance(request, Generate):
            return await self._generate(request)
        if isinstance(request, Choose):
            return await (self._scorer or EchoScorer()).score(self._exchange, request)
        raise Rejected(self.refusal(Ability.GUESS))

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        await self._exchange.close()

    async def _generate(self, request: Generate) -> Reply:
        endpoint = _endpoint(request)
        answer, spoken = await self._exchange.send(endpoint, lambda dialect: dialect.generate(request))
        notes = spoken.notes(request.sampling)
        if _is_filtered(answer):
            return Reply(finish=Finish.REFUSAL, seconds=answer.seconds, notes=(*notes, "stopped by the content filter"))
        payload = self._exchange.success(answer, endpoint)
        reply = read_reply(payload, request.sampling.stop if "stop" in spoken.dropped else ())
        return self._without_secrets(replace(reply, seconds=answer.seconds, notes=(*notes, *reply.notes)))

    def _cannot_choose(self, where: str) -> str:
        needed = "Scoring options needs the log-probabilities of a prompt's own tokens, and"
        if self._scorer is not None:
            return f"{needed} {where} {self._scorer.refusal}." if self._scorer.refusal else ""
        return "" if self._provider.prompt_logprobs else f"{needed} {where} is not known to return them."

    async def _look_around(self, needs: frozenset[Ability]) -> None:
        try:
            await self._exchange.introduce()
            if Ability.CHOOSE in needs and self._provider.completions:
                self._scorer = await probe(self._exchange)
        finally:
            await self._exchange.close()

    def _without_secrets(self, reply: Reply) -> Reply:
        """Replies are stored and published: a server that echoes our key must not get it there."""
        hide = self._exchange.hide
        clean = replace(
            reply,
            text=reply.text and hide(reply.text),
            reasoning=reply.reasoning and hide(reply.reasoning),
            model=hide(reply.model),
            notes=tuple(map(hide, reply.notes)),
        )
        return clean if clean == reply else replace(clean, notes=(*clean.notes, "a secret was taken out of the reply"))


def _endpoint(request: Generate) -> str:
    return CHAT if request.rendering == "chat" else TEXT


def _is_filtered(answer: Answer) -> bool:
    complaint = read_complaint(answer.payload) if answer.status == 400 else None
    return complaint is not None and not _FILTERED.isdisjoint((complaint.code, complaint.kind))


def _run_alone(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end in an event loop of its own, also where one is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()
