"""From a server's JSON to a Reply: text, reasoning, why it stopped, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence

from sotaque.errors import Transient
from sotaque.models.received import JsonObject, count, listing, mapping, string, writable
from sotaque.records import Finish, Reply, Usage

_STOP = frozenset({"stop", "eos", "eos_token", "end_turn", "stop_sequence", "stop_str", "completed"})
_LENGTH = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
_REFUSAL = ("content_filter", "safety", "refusal", "recitation", "prohibited_content", "blocklist", "guardrail")
_BROKEN = frozenset({"error", "abort", "insufficient_system_resource", "network_error"})
_TOOL = frozenset({"tool_calls", "function_call", "tool_use"})


def read_reply(payload: object, stop: Sequence[str] = ()) -> Reply:
    """Read the first choice of a chat or a text completion.

    Args:
        payload: the body of a success.
        stop: strings at which to cut the text here, for servers that do not take them.

    Raises:
        Transient: no choice in it, or the server broke off.
    """
    body = mapping(payload)
    choice = mapping(next(iter(listing(body.get("choices"))), None))
    if not choice:
        raise Transient("The server sent a reply without choices")
    reason = string(choice.get("finish_reason")).lower()
    if reason in _BROKEN:
        raise Transient(
            f"The server broke off its reply (finish_reason {reason})", overload=reason.startswith("insuff")
        )
    message = choice if "text" in choice and "message" not in choice else mapping(choice.get("message"))
    if not message:
        raise Transient("The server sent a choice without a message")
    text, reasoning = _words(message)
    refusal = string(message.get("refusal"))
    finish, notes = _finish(reason, bool(refusal) and not text, message, text)
    usage = read_usage(body)
    if finish is Finish.LENGTH and not text and (reasoning or usage.reasoning):
        notes = (*notes, "the whole token budget went into reasoning")
    return Reply(
        text=_cut(text if text is not None else (refusal or None), stop),
        reasoning=reasoning,
        finish=finish,
        usage=usage,
        model=string(body.get("model")),
        notes=notes,
    )


def read_usage(body: JsonObject) -> Usage:
    """Tokens in OpenAI's, DeepSeek's and Gemini's spelling. ``completion`` includes the reasoning tokens."""
    usage = mapping(body.get("usage"))
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    reasoning = count(mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    reasoning = reasoning or count(usage.get("reasoning_tokens"))
    unaccounted = count(usage.get("total_tokens")) - prompt - completion
    if unaccounted > 0 and completion + prompt > 0:
        # Gemini bills its thoughts in the total only.
        completion += unaccounted
        reasoning = max(reasoning, unaccounted)
    cached = count(mapping(usage.get("prompt_tokens_details")).get("cached_tokens"))
    return Usage(prompt, completion, reasoning, cached or count(usage.get("prompt_cache_hit_tokens")))


def _words(message: JsonObject) -> tuple[str | None, str | None]:
    """(text, reasoning) of a message, whichever fields the server puts them in."""
    if "text" in message and "content" not in message:
        return _text(message["text"]), None
    content = message.get("content")
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    if parts := listing(content):
        thought = "".join(_part(part, thoughts=True) for part in parts)
        return _text("".join(_part(part, thoughts=False) for part in parts)), reasoning or _text(thought) or None
    if not reasoning:
        details = [string(mapping(detail).get("text")) for detail in listing(message.get("reasoning_details"))]
        reasoning = _text("".join(details))
    return _text(content), reasoning or None


def _text(value: object) -> str | None:
    return writable(value) if isinstance(value, str) else None


def _part(part: object, *, thoughts: bool) -> str:
    if isinstance(part, str):
        return "" if thoughts else part
    found = mapping(part)
    is_thought = string(found.get("type")) in ("thinking", "reasoning")
    if is_thought is not thoughts:
        return ""
    inner = found.get("thinking") if is_thought else found.get("text")
    if pieces := listing(inner):
        return "".join(string(mapping(piece).get("text")) for piece in pieces)
    return string(inner) or string(found.get("text"))


def _finish(reason: str, refused: bool, message: JsonObject, text: str | None) -> tuple[Finish, tuple[str, ...]]:
    if refused or reason.startswith(_REFUSAL):
        return Finish.REFUSAL, ()
    if reason in _LENGTH:
        return Finish.LENGTH, ()
    if reason in _TOOL or (text is None and (message.get("tool_calls") or message.get("function_call"))):
        return Finish.OTHER, ("the model called a tool instead of answering",) if not text else ()
    if reason in _STOP or not reason:
        return Finish.STOP, ()
    return Finish.OTHER, (f"finish_reason {reason[:60]}",)


def _cut(text: str | None, stop: Sequence[str]) -> str | None:
    if text is None:
        return None
    ends = [place for place in (text.find(mark) for mark in stop if mark) if place >= 0]
    return text[: min(ends)] if ends else text
