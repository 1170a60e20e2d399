"""How requests, identities and replies are written in the store's columns, and the key of a request.

Everything is written by hand, field by field, because the text of a request *is* its key: what a library changed in
its output between two versions would make every stored reply unfindable. A new field of a request must therefore be
left out while it has its default value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from sotaque.models.model import Identity
from sotaque.records import Choose, Finish, Generate, ItemView, OptionScore, Reply, Request, Sampling, Usage

KEY_LENGTH = 32
"""Hexadecimal digits of a key: 128 bits of SHA-256."""

_canonical = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_readable = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def request_keys(identity: Identity, requests: Iterable[Request]) -> list[str]:
    """The key of each request: a hash of everything that can change its reply, and of nothing else.

    Of the identity these are ``name`` and ``details``; ``about`` is for people and ``stable`` only decides whether an
    old reply is good enough. Of the request it is every field: kind, prompt, sampling, continuations, view, repeat.
    """
    who = {"name": identity.name, "details": dict(identity.details)}
    asked_of = hashlib.sha256(_canonical(who).encode() + b"\n")
    keys: list[str] = []
    for request in requests:
        digest = asked_of.copy()
        digest.update(_canonical(_request_fields(request)).encode())
        keys.append(digest.hexdigest()[:KEY_LENGTH])
    return keys


def request_to_json(request: Request) -> str:
    """The whole request, for a person who looks into the store and for exports."""
    return _to_text(_request_fields(request))


def identity_to_json(identity: Identity) -> str:
    """The whole identity, with what is not part of the key."""
    details = dict(sorted(identity.details.items()))
    return _to_text({"name": identity.name, "details": details, "stable": identity.stable, "about": identity.about})


def reply_to_json(reply: Reply) -> str:
    """A reply without the fields that have their default."""
    fields: dict[str, Any] = {"finish": str(reply.finish), "seconds": float(reply.seconds)}
    if reply.text is not None:
        fields["text"] = reply.text
    if reply.reasoning is not None:
        fields["reasoning"] = reply.reasoning
    if reply.scores is not None:
        fields["scores"] = [[float(score.logprob), int(score.tokens)] for score in reply.scores]
    if reply.usage != _NO_USAGE:
        used = reply.usage
        fields["usage"] = [used.prompt, used.completion, used.reasoning, used.cached]
    if reply.model:
        fields["model"] = reply.model
    if reply.notes:
        fields["notes"] = list(reply.notes)
    return _to_text(fields)


def reply_from_json(text: str) -> Reply:
    """The reply that ``reply_to_json`` wrote.

    Raises:
        ValueError, TypeError, KeyError, AttributeError: the text was not written by it.
    """
    fields = json.loads(text)
    scores = fields.get("scores")
    used = fields.get("usage")
    return Reply(
        text=fields.get("text"),
        reasoning=fields.get("reasoning"),
        scores=None if scores is None else tuple(OptionScore(logprob, tokens) for logprob, tokens in scores),
        finish=_FINISHES[fields["finish"]],
        usage=Usage(*used) if used else _NO_USAGE,
        model=fields.get("model", ""),
        seconds=fields["seconds"],
        notes=tuple(fields.get("notes", ())),
    )


_NO_USAGE = Usage()
_FINISHES = {str(finish): finish for finish in Finish}


def _request_fields(request: Request) -> dict[str, Any]:
    match request:
        case Generate():
            return {
                "kind": "generate",
                "sampling": _sampling_fields(request.sampling),
                "messages": [{"role": message.role, "content": message.content} for message in request.messages],
                "text": request.text,
                "repeat": request.repeat,
            }
        case Choose():
            return {
                "kind": "choose",
                "context": request.context,
                "continuations": list(request.continuations),
                "repeat": request.repeat,
            }
        case _:
            return {"kind": "guess", "view": _view_fields(request.view), "repeat": request.repeat}


def _sampling_fields(sampling: Sampling) -> dict[str, Any]:
    # float(): a temperature of 0 and one of 0.0 are the same request.
    return {
        "max_tokens": sampling.max_tokens,
        "temperature": float(sampling.temperature),
        "top_p": float(sampling.top_p),
        "stop": list(sampling.stop),
        "seed": sampling.seed,
    }


def _view_fields(view: ItemView) -> dict[str, Any]:
    """What an open question adds is there only where there is one: the keys of choices stay what they were."""
    open_question = {"usual": view.usual, "answer": view.answer} if view.usual or view.answer else {}
    return open_question | {
        "options": list(view.options),
        "counts": list(view.counts),
        "gold_rates": [float(rate) for rate in view.gold_rates],
        "gold": view.gold,
    }


def _to_text(fields: dict[str, Any]) -> str:
    text = _readable(fields)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, as servers send when they cut a reply by bytes
        return _canonical(fields)
    return text
