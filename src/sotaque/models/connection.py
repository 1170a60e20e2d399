"""One server over HTTP: JSON out, JSON in, one session for the whole run."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from sotaque import __version__
from sotaque.errors import Fatal, ModelError, Rejected, Transient, UsageError
from sotaque.models.credentials import Address, Credentials
from sotaque.models.faults import Unreachable
from sotaque.models.received import JsonObject

_CONNECT_SECONDS = 30.0
_SHOWN = 300
_LARGEST = 64 << 20
"""Bytes of a body, unpacked: a hundred times the longest honest answer, and still no danger to our memory."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back.

    Attributes:
        status: of HTTP.
        headers: case-insensitive.
        payload: the body as JSON; ``None`` when it is not JSON.
        raw: the body as text when it is not JSON, else empty.
        seconds: from sending to the last byte.
    """

    status: int
    headers: Mapping[str, str]
    payload: object
    raw: str
    seconds: float


class Connection:
    """Sends to one server. The session opens with the first request, in the event loop that is then running."""

    def __init__(self, address: Address, credentials: Credentials, timeout: float | None) -> None:
        self.address = address
        self.credentials = credentials
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=_CONNECT_SECONDS)
        self._session: aiohttp.ClientSession | None = None
        self._proxy = _proxy(address)

    async def get(self, path: str, *, seconds: float) -> Answer:
        """Ask for a JSON document.

        Args:
            path: under the server's origin ("/v1/models").
            seconds: how long to wait for it.

        Raises:
            Fatal, Transient: as for ``post``.
        """
        return await self._request("GET", path, None, aiohttp.ClientTimeout(total=seconds))

    async def post(self, path: str, body: JsonObject) -> Answer:
        """Send a JSON body, once. Any HTTP status is an answer, not an error.

        Raises:
            Fatal: the certificate is not trusted.
            Rejected: the body cannot be written as UTF-8.
            Unreachable, Transient: no connection; it broke; the answer took too long or was cut short.
        """
        try:
            data = json.dumps(body, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise Rejected(f"The prompt has half a character in it (U+{ord(error.object[error.start]):04X}).") from None
        return await self._request("POST", path, data, self._timeout)

    async def close(self) -> None:
        """Close the session; a later request opens another."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _request(self, method: str, path: str, data: bytes | None, timeout: aiohttp.ClientTimeout) -> Answer:
        if self._session is None:
            self._session = self._open()
        started = time.perf_counter()
        try:
            async with self._session.request(
                method,
                URL(self.address.url(path), encoded=True),
                data=data,
                timeout=timeout,
                proxy=self._proxy,
                allow_redirects=False,
            ) as response:
                content = await _content(response)
                return _answer(response.status, response.headers, content, time.perf_counter() - started)
        except (aiohttp.ClientError, OSError, UnicodeError) as error:
            fault = self._transport_fault(error, path)
        # Raised here, not above, so that the library's error, which knows our headers, is not chained to ours.
        raise fault

    def _open(self) -> aiohttp.ClientSession:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "User-Agent": f"sotaque/{__version__}",
            **self.credentials.headers(),
        }
        # The engine decides how many requests run at once; a second limit here would only distort its measurements.
        connector = aiohttp.TCPConnector(limit=0, ttl_dns_cache=300)
        return aiohttp.ClientSession(connector=connector, headers=headers, cookie_jar=aiohttp.DummyCookieJar())

    def _transport_fault(self, error: Exception, path: str) -> ModelError:
        url = self.address.shown(path)
        said = " ".join(self.credentials.hide_all(str(error)).split())[:_SHOWN] or type(error).__name__
        if isinstance(error, aiohttp.ClientSSLError | aiohttp.ServerFingerprintMismatch):
            return Fatal(f"No trusted connection to {url}: {said}", "Check the address and the server's certificate.")
        # UnicodeError: Python refuses to look up a host whose parts are empty or too long.
        if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError | UnicodeError):
            return Unreachable(f"No connection to {url}: {said}")
        if isinstance(error, TimeoutError):
            return Transient(f"{url} did not answer in time")
        return Transient(f"The connection to {url} broke: {said}")


async def _content(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    while chunk := await response.content.readany():
        content += chunk
        if len(content) > _LARGEST:
            response.close()
            raise Transient(f"The server sent more than {_LARGEST >> 20} MB in answer to one request")
    return bytes(content)


def _answer(status: int, headers: Mapping[str, str], content: bytes, seconds: float) -> Answer:
    payload: Any = None
    raw = ""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        raw = content.decode(errors="replace")
    return Answer(status, headers, payload, raw, seconds)


def _proxy(address: Address) -> str | None:
    """The proxy from the environment. Not aiohttp's ``trust_env``: that would also send logins out of ~/.netrc.

    Raises:
        UsageError: it is of a kind we cannot use. Does not show it: a proxy's URL may hold a password.
    """
    scheme, _, host = address.origin.partition("://")
    proxy = None if address.local or proxy_bypass(host) else getproxies().get(scheme)
    if not proxy:
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"  # curl and urllib take HOST:PORT as well
    try:
        parts = urlsplit(proxy)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            f"The proxy that the environment names for {scheme} addresses is not http://HOST:PORT",
            f"correct {scheme}_proxy, or name the server's host in no_proxy",
        )
    return proxy
