"""From what went wrong at a server to the error that says what to do: stop, give up on one request, or try again."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from sotaque.errors import Fatal, ModelError, Rejected, Transient
from sotaque.models.received import listing, mapping, string

_TOO_LONG = re.compile(
    r"(?i)context[ _](length|size|window)|maximum context|max_model_len|prompt is too long|input is too long"
    r"|too many (input )?tokens|exceeds? .{0,40}(token limit|tokens? allowed)"
)
_OUT_OF_MONEY = re.compile(
    r"(?i)insufficient[ _](quota|balance|credits?|funds)|billing[ _](hard[ _]limit|not[ _]active)"
)
_BAD_KEY = re.compile(r"(?i)(api[ _-]?key|credentials?) .{0,20}(not valid|invalid|expired)|invalid .{0,10}api[ _-]?key")
_NO_MODEL = re.compile(
    r"(?i)model_not_found|model .{0,80}(not (be )?(found|exist)|does not exist|not_found)|unknown model|no such model"
    r"|invalid model (name|id)|not a chat model|is a chat model"
)
_NO_TEMPLATE = re.compile(r"(?i)chat template")
_CODE_STATUS: Mapping[str, int] = {
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "model_not_found": 404,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "overloaded_error": 529,
    "invalid_request_error": 400,
    "BadRequestError": 400,
    "NotFoundError": 404,
}
_AGAIN = frozenset({408, 409, 425, 429})
_OVERLOAD = frozenset({429, 503, 529})
_QUOTED = 400


class Unreachable(Transient):
    """No connection came about: refused, no such host, no route."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the messages need to know: nothing in here is secret.

    Attributes:
        url: the endpoint, safe to show.
        model: as it was asked for.
        key_source: "$OPENAI_API_KEY", "the base URL", or empty when no key was sent.
        served: names of the models the server lists, as far as they are known.
        hide: takes secrets out of a text.
    """

    url: str
    model: str
    key_source: str
    served: tuple[str, ...]
    hide: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Complaint:
    """An error as a server words it, whichever of the usual shapes it came in."""

    message: str = ""
    code: str = ""
    kind: str = ""
    param: str = ""
    wait: float | None = None

    @property
    def everything(self) -> str:
        """All its words, for matching."""
        return f"{self.code} {self.kind} {self.message}"


def read_complaint(payload: object) -> Complaint | None:
    """Find the error in a body: {"error": {...} or "..."}, [{"error": ...}], {"detail": ...}, {"object": "error"}."""
    body = mapping(payload) or mapping(next(iter(listing(payload)), None))
    error = body.get("error") or ("choices" not in body and body.get("detail"))
    if not error and body.get("object") == "error":
        error = body
    if not error:
        return None
    if isinstance(error, str):
        return Complaint(error, string(body.get("code")), string(body.get("type")))
    if entries := listing(error):
        return Complaint("; ".join(map(_validation, entries)))
    inner = mapping(error)
    return Complaint(
        _wording(inner.get("message")),
        string(inner.get("code")),
        string(inner.get("type")) or string(inner.get("status")),
        string(inner.get("param")),
        _retry_info(inner),
    )


def fault(status: int, headers: Mapping[str, str], payload: object, raw: str, asked: Asked) -> ModelError:
    """The error for an answer that is not a reply.

    Args:
        status: of HTTP; 200 when the body holds an error all the same.
        headers: case-insensitive.
        payload: the body as JSON, ``None`` where it is none.
        raw: the body as text, quoted where there is no better message.
        asked: for the messages.
    """
    complaint = read_complaint(payload) or Complaint(
        _visible(raw) or _wording(mapping(payload).get("message") or payload)
    )
    if status < 300:
        status = _meant(complaint)
    said = _quote(complaint.message, asked)
    if status in (401, 403) or (status == 400 and _BAD_KEY.search(complaint.message)):
        return _unwelcome(status, said, asked)
    if status == 402 or (_OUT_OF_MONEY.search(f"{complaint.code} {complaint.kind}") and status in (403, 429)):
        return Fatal(f"No credit is left for {asked.url} ({status}){said}", "Top up, or use another key or model.")
    if status in _AGAIN or (status >= 500 and not _TOO_LONG.search(complaint.message)):
        wait = retry_after(headers)
        wait = complaint.wait if wait is None else wait
        return Transient(f"{asked.url} answered {status}{said}", retry_after=wait, overload=status in _OVERLOAD)
    return _refused(status, complaint, said, asked)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait as the server asked: Retry-After-Ms, or Retry-After in seconds or as a date."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        until = parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    try:
        # Against the server's own clock, where it tells the time: ours may be wrong by more than the wait.
        now = parsedate_to_datetime(headers.get("date", "")).timestamp()
    except (ValueError, OverflowError):
        now = time.time()
    return max(0.0, until - now)


def is_too_long(complaint: Complaint) -> bool:
    """Whether the server says that the prompt does not fit into the context window."""
    return _TOO_LONG.search(complaint.everything) is not None


def _refused(status: int, complaint: Complaint, said: str, asked: Asked) -> ModelError:
    if 300 <= status < 400:
        return Fatal(f"{asked.url} redirects elsewhere ({status}); sotaque does not follow.", "Correct --base-url.")
    if is_too_long(complaint) or status == 413:
        return Rejected(
            f"The prompt does not fit into the context window of {asked.model} ({status}){said}",
            "Use fewer shots, or start the server with a larger context.",
        )
    if status == 404 or (status in (400, 422) and _NO_MODEL.search(complaint.everything)):
        return _not_found(status, complaint, said, asked)
    if _NO_TEMPLATE.search(complaint.message):
        return Fatal(f"{asked.model} at {asked.url} cannot chat ({status}){said}", "Send plain text: --as text")
    if status == 405:
        return Fatal(f"{asked.url} is not the endpoint of a model server (405){said}", "Correct --base-url.")
    return Rejected(f"{asked.url} rejected the request ({status}){said}")


def _unwelcome(status: int, said: str, asked: Asked) -> Fatal:
    if asked.key_source:
        return Fatal(
            f"{asked.url} did not accept the API key from {asked.key_source} ({status}){said}",
            "Check the key, or name another variable with --api-key-env",
        )
    return Fatal(
        f"{asked.url} wants an API key ({status}){said}",
        "Put it into an environment variable and name that with --api-key-env",
    )


def _not_found(status: int, complaint: Complaint, said: str, asked: Asked) -> Fatal:
    listed = f"The server lists: {', '.join(asked.served[:8])}" if asked.served else "Check the name of the model."
    if re.search(r"(?i)not a chat model", complaint.message):
        return Fatal(f"{asked.model} cannot chat ({status}){said}", "Send plain text: --as text")
    if "model" in complaint.everything.lower():
        return Fatal(f"{asked.url} does not serve the model {asked.model} this way ({status}){said}", listed)
    return Fatal(f"There is nothing at {asked.url} ({status}){said}", f"Check --base-url. {listed}")


def _meant(complaint: Complaint) -> int:
    """The status a server should have sent with an error that arrived as a success."""
    if complaint.code.isdigit() and 400 <= int(complaint.code) < 600:
        return int(complaint.code)
    if _OUT_OF_MONEY.search(f"{complaint.code} {complaint.kind}"):
        return 402
    return _CODE_STATUS.get(complaint.code) or _CODE_STATUS.get(complaint.kind) or 500


def _quote(message: str, asked: Asked) -> str:
    message = " ".join(asked.hide(message).split())
    return f": {message[:_QUOTED]}{'...' if len(message) > _QUOTED else ''}" if message else "."


def _visible(raw: str) -> str:
    """The words of an error page, without its markup."""
    return re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", " ", raw[:20_000])


def _wording(message: object) -> str:
    return string(message) or (json.dumps(message, ensure_ascii=False) if message else "")


def _validation(entry: object) -> str:
    if isinstance(entry, str):
        return entry
    found = mapping(entry)
    place = ".".join(string(part) for part in listing(found.get("loc")))
    return " ".join(part for part in (place, string(found.get("type")), string(found.get("msg"))) if part)


def _retry_info(error: Mapping[str, object]) -> float | None:
    for detail in listing(error.get("details")):
        delay = string(mapping(detail).get("retryDelay"))
        if delay.endswith("s"):
            return _number(delay[:-1])
    return None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,9}(\.\d+)?\s*", text) else None
