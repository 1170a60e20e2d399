"""What a server tells about itself and its weights, before the first question."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sotaque.errors import Fatal, Transient
from sotaque.models.connection import Answer, Connection
from sotaque.models.faults import Asked, Unreachable, fault
from sotaque.models.received import JsonObject, listing, mapping, string

_SECONDS = 15.0
_MAY_NOT_LIST = re.compile(r"(?i)scope|permission")


@dataclass(frozen=True, slots=True)
class Facts:
    """What was learned.

    Attributes:
        root: the path under which the endpoints are.
        software: "llama.cpp", "Ollama" or "vLLM" where it shows, else empty.
        served: the names of the models on offer.
        details: for ``Identity.details``.
        stable: whether they pin the weights.
        about: for people.
    """

    root: str
    software: str = ""
    served: tuple[str, ...] = ()
    details: Mapping[str, str] = field(default_factory=dict[str, str])
    stable: bool = False
    about: str = ""


async def describe(connection: Connection, model: str, title: str) -> Facts:
    """Ask for the list of models, and for more where the server is one that tells more. The list is not required.

    Args:
        connection: to the server.
        model: the name that will be asked for.
        title: how messages call the server.

    Raises:
        Fatal: there is no server at all, or it does not know our key.
    """
    root, answer = await _models(connection, model, title)
    stable = not connection.address.local
    if answer is None:
        return Facts(root, stable=stable)
    entries = [mapping(entry) for entry in listing(mapping(answer.payload).get("data"))]
    served = tuple(filter(None, (string(entry.get("id")) for entry in entries)))
    entry = _entry(entries, model, connection)
    details = {"reported": string(entry.get("id"))} if entry else {}
    facts = Facts(root, _software(answer, entries), served, details, stable)
    if facts.software == "llama.cpp":
        return await _llama_cpp(connection, facts, mapping(entry.get("meta")))
    if connection.address.local or title == "Ollama":
        facts = await _ollama(connection, facts, model)
    if string(entry.get("root")) and facts.software == "vLLM":
        return Facts(root, "vLLM", served, {**details, "weights": string(entry["root"])}, stable, string(entry["root"]))
    return facts


async def _models(connection: Connection, model: str, title: str) -> tuple[str, Answer | None]:
    """The root under which /models is, and its answer; the likeliest root and ``None`` when there is no such list."""
    roots = connection.address.roots
    for root in roots:
        answer = await _get(connection, f"{root}/models", title)
        if answer is None:
            break
        if answer.status == 200 and isinstance(mapping(answer.payload).get("data"), list):
            return root, answer
        if answer.status == 401 and not _MAY_NOT_LIST.search(str(answer.payload)):
            raise fault(401, answer.headers, answer.payload, answer.raw, _asked(connection, f"{root}/models", model))
        if answer.status != 404 and answer.payload is not None:
            return root, None
    return roots[0], None


async def _get(connection: Connection, path: str, title: str) -> Answer | None:
    try:
        return await connection.get(path, seconds=_SECONDS)
    except Unreachable as error:
        url = connection.address.shown(path.removesuffix("/models"))
        raise Fatal(f"{title} is not reachable at {url}: is the server running?", error.message) from None
    except Transient:
        return None


def _asked(connection: Connection, path: str, model: str) -> Asked:
    credentials = connection.credentials
    return Asked(connection.address.shown(path), model, credentials.source, (), credentials.hide_all)


def _entry(entries: list[JsonObject], model: str, connection: Connection) -> JsonObject:
    for entry in entries:
        if string(entry.get("id")) in (model, f"{model}:latest", f"models/{model}"):
            return entry
    # A local server with one model serves it under any name.
    return entries[0] if len(entries) == 1 and connection.address.local else {}


def _software(answer: Answer, entries: list[JsonObject]) -> str:
    owners = {string(entry.get("owned_by")) for entry in entries}
    if "llama.cpp" in answer.headers.get("server", "") or "llamacpp" in owners:
        return "llama.cpp"
    return "vLLM" if "vllm" in owners else ""


async def _llama_cpp(connection: Connection, facts: Facts, meta: JsonObject) -> Facts:
    """llama.cpp names its weights file, and the chat template and build that shape its replies."""
    props = mapping(await _side_document(connection, f"{facts.root.removesuffix('/v1')}/props"))
    path, kind = string(props.get("model_path")), string(props.get("model_ftype")) or string(meta.get("ftype"))
    if not path:
        return facts
    template = string(props.get("chat_template"))
    told = {
        "weights": path,
        "bytes": string(meta.get("size")),
        "parameters": string(meta.get("n_params")),
        "quantisation": kind,
        "build": string(props.get("build_info")),
        "chat_template": hashlib.sha256(template.encode()).hexdigest()[:16] if template else "",
    }
    details = {**facts.details, **{name: value for name, value in told.items() if value}}
    about = ", ".join(filter(None, (re.split(r"[/\\]", path)[-1], kind, "llama.cpp")))
    return Facts(facts.root, facts.software, facts.served, details, stable=bool(meta.get("size")), about=about)


async def _ollama(connection: Connection, facts: Facts, model: str) -> Facts:
    """Ollama gives each model the digest of its weights and template."""
    found = mapping(await _side_document(connection, f"{facts.root.removesuffix('/v1')}/api/tags"))
    for entry in (mapping(entry) for entry in listing(found.get("models"))):
        digest = string(entry.get("digest"))
        if digest and string(entry.get("name")) in (model, f"{model}:latest"):
            kind = mapping(entry.get("details"))
            about = (string(entry.get("name")), string(kind.get("quantization_level")), "Ollama")
            details = {**facts.details, "digest": digest}
            return Facts(facts.root, "Ollama", facts.served, details, stable=True, about=", ".join(filter(None, about)))
    return facts


async def _side_document(connection: Connection, path: str) -> object:
    """A document that only some servers have."""
    try:
        answer = await connection.get(path, seconds=_SECONDS)
    except Transient:
        return None
    return answer.payload if answer.status == 200 else None
