"""Where a server is, and what proves to it who we are: the only module that holds a secret."""

from __future__ import annotations

import base64
import ipaddress
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from sotaque.errors import MissingKey, UsageError

HIDDEN = "***"
_KEY_LIKE = re.compile(
    r"(?i)(x[-_])?(api[-_]?key|key|(access[-_]?|auth[-_]?|bearer[-_]?)?token|auth|authorization|password|passwd"
    r"|(client[-_]?)?secret|sig|signature|subscription[-_]key|code)"
)
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+[^\s\"',}]{4,}")
_USUAL_KEY = re.compile(r"\b(sk|pk|gsk|hf|xai|AIza)[-_]?[\w*.-]{12,}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_key_like(name: str) -> bool:
    """Whether a parameter of this name usually holds a secret ("api_key", "access_token")."""
    return _KEY_LIKE.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Address:
    """A server's base URL in parts. ``origin`` and ``path`` are safe to show; the rest is not.

    Attributes:
        origin: "https://host:port".
        path: without a slash at its end; may be empty.
        query: sent with every request, as the user wrote it.
        login: user name and password out of the URL, if there were any.
        local: whether the host is this computer.
    """

    origin: str
    path: str
    query: str = field(default="", repr=False)
    login: tuple[str, str] | None = field(default=None, repr=False)
    local: bool = False

    @classmethod
    def read(cls, base_url: str) -> Address:
        """Take a base URL apart, with or without a slash at its end or an endpoint that was pasted along.

        Raises:
            UsageError: not an http(s) URL.
        """
        try:
            parts = urlsplit(base_url.strip())
            host, _ = parts.hostname, parts.port
        except ValueError:
            host, parts = None, urlsplit("")
        if parts.scheme not in ("http", "https") or not host:
            raise UsageError(
                f"The base URL {_without_login(base_url)} is not a full URL.", "Write it like http://localhost:8000/v1"
            )
        path = re.sub(r"(/chat)?/completions$|/models$", "", parts.path.rstrip("/")).rstrip("/")
        login = (unquote(parts.username or ""), unquote(parts.password or "")) if "@" in parts.netloc else None
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        return cls(origin, path, parts.query, login, _is_this_computer(host))

    @property
    def roots(self) -> tuple[str, ...]:
        """The paths under which the endpoints may be, the likeliest first."""
        if not self.path:
            return "/v1", ""
        if re.search(r"/v\d+\w*(/openai)?$", self.path):
            return (self.path,)
        return self.path, f"{self.path}/v1"

    def url(self, path: str) -> str:
        """What is really asked: for the connection only."""
        return f"{self.origin}{path}?{self.query}" if self.query else f"{self.origin}{path}"

    def shown(self, path: str) -> str:
        """The same without anything that may be a secret."""
        pairs = [(name, HIDDEN if is_key_like(name) else value) for name, value in parse_qsl(self.query)]
        return f"{self.origin}{path}?{urlencode(pairs, safe='*')}" if pairs else f"{self.origin}{path}"


class Credentials:
    """An API key, or a user name and password. Hides itself, and hides its secrets in other people's texts."""

    __slots__ = ("_authorization", "_exact", "_partial", "source")

    def __init__(self, address: Address, variable: str = "", key: str = "") -> None:
        self.source = f"${variable}" if key else ("the base URL" if address.login else "")
        self._authorization = f"Bearer {key}" if key else ""
        if not key and address.login:
            self._authorization = f"Basic {_basic(address.login)}"
        secrets = [key] if key else []
        if address.login:
            secrets += [address.login[1] or address.login[0], _basic(address.login)]
        secrets += [value for name, value in parse_qsl(address.query) if is_key_like(name)]
        self._exact = _pattern(_spellings(secrets))
        self._partial = _pattern(re.escape(secret[:8]) + r"[^\s\"',}]*" for secret in secrets if len(secret) >= 16)

    @classmethod
    def find(cls, address: Address, variable: str, *, required: bool, insisted: bool) -> Credentials:
        """Read the API key from the environment.

        Args:
            address: whose login, if its URL has one, is used when there is no key.
            variable: the environment variable.
            required: whether the server answers nobody without a key.
            insisted: whether the user named the variable himself.

        Raises:
            MissingKey: there is none; names the variable.
            UsageError: what should be a variable's name looks like the key itself.
        """
        if not _VARIABLE.fullmatch(variable) or (len(variable) > 24 and not variable.isupper()):
            raise UsageError(
                "--api-key-env takes the name of an environment variable, not the key itself.",
                "Put the key into a variable (export MY_KEY=...) and write --api-key-env MY_KEY",
            )
        key = os.environ.get(variable, "").strip()
        if not key.isprintable() or " " in key:
            raise MissingKey(f"The environment variable {variable} does not hold a key: it has spaces or line breaks.")
        if not key and (insisted or (required and not address.login)):
            raise MissingKey(
                f"{address.origin} needs an API key, and the environment variable {variable} is not set.",
                f"export {variable}=..., or name another variable with --api-key-env",
            )
        if key and address.login and not insisted:
            key = ""
        return cls(address, variable, key)

    def __repr__(self) -> str:
        return f"Credentials({self.source or 'none'})"

    def headers(self) -> dict[str, str]:
        """The header that proves who we are; empty when there is nothing to prove."""
        return {"Authorization": self._authorization} if self._authorization else {}

    def hide(self, text: str) -> str:
        """The text without our secrets; everything else is left alone."""
        return self._exact.sub(HIDDEN, text) if self._exact else text

    def hide_all(self, text: str) -> str:
        """For messages that quote a server: also beginnings of our secrets, and whatever looks like a key."""
        text = self.hide(text)
        if self._partial:
            text = self._partial.sub(HIDDEN, text)
        return _USUAL_KEY.sub(HIDDEN, _BEARER.sub(rf"\1 {HIDDEN}", text))


def _basic(login: tuple[str, str]) -> str:
    return base64.b64encode(":".join(login).encode()).decode()


def _spellings(secrets: Iterable[str]) -> Iterable[str]:
    for secret in secrets:
        for spelling in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}:
            # A short placeholder ("x", "EMPTY") is hidden as a word only, or it would punch holes into every sentence.
            yield re.escape(spelling) if len(spelling) >= 8 else rf"(?<![\w-]){re.escape(spelling)}(?![\w-])"


def _pattern(alternatives: Iterable[str]) -> re.Pattern[str] | None:
    ordered = sorted(set(alternatives), key=len, reverse=True)
    return re.compile("|".join(ordered)) if ordered else None


def _is_this_computer(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _without_login(url: str) -> str:
    return re.sub(r"^(\w+:)?(//)?[^/@]*@", r"\1\2", url).partition("?")[0]
