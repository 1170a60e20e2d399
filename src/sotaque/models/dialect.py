"""How one server wants its request bodies: built from a request, corrected by what the server's 400 says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sotaque.errors import UsageError
from sotaque.models.credentials import is_key_like
from sotaque.models.faults import is_too_long, read_complaint
from sotaque.models.received import JsonObject
from sotaque.records import Generate, Sampling

_OURS = frozenset({"messages", "prompt", "model", "stream", "n", "echo", "logprobs", "best_of"})
_SAMPLING = ("max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop")
_DROPPABLE = ("temperature", "top_p", "seed", "stop", "return_tokens_as_token_ids")
_UNSUPPORTED = re.compile(
    r"(?i)unsupported|not support|unrecogni[sz]ed|unknown (name|parameter|field|argument|key)|not (permitted|allowed)"
    r"|extra[ _](inputs|fields|forbidden)|unexpected (keyword|field|parameter)|cannot find field|only the default"
    r"|deprecated|strictly positive|use 'max_completion_tokens'"
)
_RENAMED = "max_tokens sent as max_completion_tokens at the server's demand"
_NOT_BOTH = re.compile(r"(?i)cannot both|can't both|not both|only one of")


@dataclass(frozen=True, slots=True)
class Dialect:
    """What goes into every body, and what the server has turned out to want otherwise.

    Attributes:
        model: the name to ask for.
        reasoning_effort: for chats.
        extra: merged into every body.
        max_completion_tokens: the server wants the limit under this name.
        dropped: parameters that the server does not take.
    """

    model: str
    reasoning_effort: str | None = None
    extra: Mapping[str, object] = field(default_factory=dict[str, object])
    max_completion_tokens: bool = False
    dropped: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for name in self.extra:
            if name in _OURS:
                raise UsageError(f"--extra-body cannot set {name!r}: sotaque sets that itself.")
            if is_key_like(name):
                raise UsageError(
                    f"--extra-body cannot hold {name!r}: it is stored with the results.",
                    "Keys come from the environment only: --api-key-env",
                )

    def generate(self, request: Generate) -> JsonObject:
        """The body for a chat, or for the continuation of a text."""
        body: JsonObject = {"model": self.model}
        if request.messages:
            body["messages"] = [{"role": turn.role, "content": turn.content} for turn in request.messages]
            if self.reasoning_effort:
                body["reasoning_effort"] = self.reasoning_effort
        else:
            body["prompt"] = request.text
        return self._finished(body | _sampled(request.sampling))

    def echo(self, text: str, max_tokens: int) -> JsonObject:
        """The body that asks for the log-probabilities of a text's own tokens."""
        body: JsonObject = {
            "model": self.model,
            "prompt": text,
            "max_tokens": max_tokens,
            "temperature": 0,
            "echo": True,
            "logprobs": 1,
            # vLLM: "token_id:17" instead of a string, since all parts of a split character look the same as strings.
            "return_tokens_as_token_ids": True,
        }
        return self._finished(body)

    def notes(self, sampling: Sampling) -> tuple[str, ...]:
        """In what the bodies differ from the request."""
        notes = (
            ["max_tokens sent as max_completion_tokens at the server's demand"] if self.max_completion_tokens else []
        )
        sent = _sampled(sampling)
        notes += [f"{name} dropped at the server's demand" for name in _DROPPABLE if name in self.dropped & sent.keys()]
        if "stop" in self.dropped and sampling.stop:
            notes.append("stop strings applied after the reply")
        notes += [f"{name} set by --extra-body" for name in _SAMPLING if name in self.extra]
        return tuple(notes)

    def learn(self, payload: object, sent: JsonObject) -> Dialect | None:
        """What a 400 teaches about the parameters that were ``sent``; ``None`` when it teaches nothing."""
        complaint = read_complaint(payload)
        if complaint is None or is_too_long(complaint):
            return None
        said = f"{complaint.param} {complaint.everything}"
        if _UNSUPPORTED.search(said):
            if "max_tokens" in sent and "max_completion_tokens" in said and "prompt" not in sent:
                return replace(self, max_completion_tokens=True)
            return self._without(_named(complaint.param, said, sent))
        if _NOT_BOTH.search(said) and "top_p" in said and "top_p" in sent:
            return self._without("top_p")
        return None

    def joined(self, other: Dialect) -> Dialect:
        """Both lessons: two requests may learn different things at once."""
        return replace(
            self,
            max_completion_tokens=self.max_completion_tokens or other.max_completion_tokens,
            dropped=self.dropped | other.dropped,
        )

    def _without(self, name: str | None) -> Dialect | None:
        return replace(self, dropped=self.dropped | {name}) if name else None

    def _finished(self, body: JsonObject) -> JsonObject:
        body = {name: value for name, value in body.items() if name not in self.dropped}
        if self.max_completion_tokens and "messages" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")
        return body | dict(self.extra)


def _sampled(sampling: Sampling) -> JsonObject:
    # All of it is spelled out: servers have defaults of their own (llama.cpp's top_p is 0.95).
    body: JsonObject = {
        "max_tokens": sampling.max_tokens,
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
    }
    if sampling.stop:
        body["stop"] = list(sampling.stop)
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    return body


def _named(param: str, said: str, sent: JsonObject) -> str | None:
    """Which droppable parameter the complaint is about: the one it names as such, else the first it mentions."""
    if param in _DROPPABLE and param in sent:
        return param
    return next((name for name in _DROPPABLE if name in sent and re.search(rf"\b{name}\b", said)), None)
