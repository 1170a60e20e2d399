"""Talking with one server: in the dialect it has taught us, with its faults turned into our errors."""

from __future__ import annotations

from collections.abc import Callable

from sotaque.errors import Transient
from sotaque.models.connection import Answer, Connection
from sotaque.models.credentials import Address, Credentials
from sotaque.models.dialect import Dialect
from sotaque.models.faults import Asked, fault, read_complaint
from sotaque.models.providers import ModelOptions, Provider
from sotaque.models.received import JsonObject, listing, mapping
from sotaque.models.server_identity import Facts, describe

CHAT = "/chat/completions"
TEXT = "/completions"
_LESSONS = 6


class Exchange:
    """One server and one model on it. What it learns (address, dialect) holds for all later requests.

    Args:
        model: the name the server is asked for.
        provider: what is known of the server.
        options: what the user said.

    Raises:
        UsageError: the base URL is none, or ``extra_body`` sets what it must not.
    """

    def __init__(self, model: str, provider: Provider, options: ModelOptions) -> None:
        self.address = Address.read(options.base_url or provider.base_url)
        self.dialect = Dialect(model, options.reasoning_effort, options.extra_body)
        self.facts = Facts(self.address.roots[0], stable=not self.address.local)
        self._provider = provider
        self._options = options
        self._connection: Connection | None = None

    @property
    def connection(self) -> Connection:
        """Made when it is first needed: the environment must hold the key only then.

        Raises:
            MissingKey: it does not.
        """
        if self._connection is None:
            options, provider, address = self._options, self._provider, self.address
            credentials = Credentials.find(
                address,
                options.api_key_env or provider.key,
                required=provider.key_required and not address.local,
                insisted=options.api_key_env is not None,
            )
            self._connection = Connection(address, credentials, options.timeout)
        return self._connection

    @property
    def server(self) -> str:
        """How messages call the server."""
        if self.facts.software:
            return self.facts.software
        return "the server" if self._provider.title == "OpenAI" and self._options.base_url else self._provider.title

    def url(self, endpoint: str) -> str:
        """An endpoint's address, safe to show."""
        return self.address.shown(self.facts.root + endpoint)

    async def introduce(self) -> None:
        """Learn who the server is and under which path its endpoints are.

        Raises:
            Fatal: it is not there, or does not accept our key.
        """
        self.facts = await describe(self.connection, self.dialect.model, self.server)

    async def send(self, endpoint: str, build: Callable[[Dialect], JsonObject]) -> tuple[Answer, Dialect]:
        """Post a body, and post it again in the form that the server's 400 demanded.

        Returns:
            The last answer, whatever its status, and the dialect in which its question was put.

        Raises:
            Fatal, Rejected, Transient: there was no answer at all.
        """
        lessons = 0
        while True:
            spoken = self.dialect
            body = build(spoken)
            answer = await self.connection.post(self.facts.root + endpoint, body)
            learned = spoken.learn(answer.payload, body) if answer.status in (400, 422) else None
            if learned is None or lessons == _LESSONS:
                return answer, spoken
            self.dialect = self.dialect.joined(learned)
            lessons += 1

    def success(self, answer: Answer, endpoint: str) -> JsonObject:
        """The body of a success.

        Raises:
            Fatal, Rejected, Transient: it is none, or holds an error all the same, or is cut off.
        """
        first = mapping(next(iter(listing(mapping(answer.payload).get("choices"))), None))
        payload = {"error": first["error"]} if first.get("error") else answer.payload
        if not 200 <= answer.status < 300 or read_complaint(payload) is not None:
            raise fault(answer.status, answer.headers, payload, answer.raw, self._asked(endpoint))
        if answer.payload is None:
            hint = " (a web page: is the base URL right?)" if answer.raw.lstrip().startswith("<") else ""
            raise Transient(f"{self.url(endpoint)} sent broken or cut-off JSON{hint}")
        return mapping(answer.payload)

    def hide(self, text: str) -> str:
        """The text without our key."""
        return self.connection.credentials.hide(text)

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        if self._connection is not None:
            await self._connection.close()

    def _asked(self, endpoint: str) -> Asked:
        credentials = self.connection.credentials
        model, served = self.dialect.model, self.facts.served
        return Asked(self.url(endpoint), model, credentials.source, served, credentials.hide_all)
