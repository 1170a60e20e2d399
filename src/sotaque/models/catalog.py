"""From a model's name to the model: the one place that knows every kind."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace

from sotaque.errors import UnknownModel
from sotaque.models.model import Model
from sotaque.models.providers import PROVIDERS, ModelOptions, Provider

__all__ = ["PROVIDERS", "ModelOptions", "Provider", "model_forms", "open_model"]


def open_model(name: str, options: ModelOptions | None = None) -> Model:
    """Open a model by the name a user writes. Nothing is loaded or sent before its ``prepare``.

    Args:
        name: "PROVIDER/NAME", "hf/ID-or-PATH", "gguf/PATH", "local" or "baseline/NAME".
        options: what else the user said.

    Raises:
        UnknownModel: no such kind, or nothing behind the slash; names the closest and all kinds.
        UsageError: the options do not fit.
        MissingExtra: the kind needs packages that are not installed.
    """
    kind, slash, rest = name.strip().partition("/")
    options = options or ModelOptions()
    opener = _SPECIAL.get(kind)
    if opener is None and kind not in PROVIDERS:
        raise _unknown(name, kind, rest)
    if not rest and kind != "local":
        raise UnknownModel(f"{name!r} does not name a model.", f"Write {kind}/NAME")
    if kind == "local" and slash:
        raise UnknownModel(f"{name!r}: there is one local model, and it has no other name.", "Write: local")
    return opener(name.strip(), rest, options) if opener else _served(name.strip(), rest, options)


def model_forms() -> Mapping[str, str]:
    """Every form of name, and what it stands for, for lists and messages."""
    servers = {f"{kind}/NAME": f"{provider.title} at {provider.base_url}" for kind, provider in PROVIDERS.items()}
    return servers | {
        "hf/ID-or-PATH": "a Hugging Face model or folder, run here with transformers",
        "gguf/PATH": "a GGUF file, run here with llama.cpp",
        "local": "the small model that comes with sotaque (sotaque models prepare local)",
        "baseline/NAME": "what reads no question: chance, first, longest ...",
    }


def _served(name: str, model: str, options: ModelOptions) -> Model:
    from sotaque.models.openai_compatible import OpenAICompatibleModel

    provider = PROVIDERS[name.partition("/")[0]]
    elsewhere = options.base_url or os.environ.get(provider.url_variable)
    return OpenAICompatibleModel(name, model, provider, replace(options, base_url=elsewhere))


def _hugging_face(name: str, path_or_id: str, options: ModelOptions) -> Model:
    from sotaque.models.transformers_local import TransformersModel

    return TransformersModel(
        path_or_id,
        revision=options.revision,
        dtype=options.dtype,
        trust_remote_code=options.trust_remote_code,
    )


def _gguf(name: str, path: str, options: ModelOptions) -> Model:
    from sotaque.models.gguf_model import open_gguf

    return open_gguf(name, path, options)


def _local(name: str, rest: str, options: ModelOptions) -> Model:
    from sotaque.models.transformers_local import load_local

    return load_local(dtype=options.dtype)


def _baseline(name: str, rule: str, options: ModelOptions) -> Model:
    from sotaque.models.baselines import baseline

    return baseline(rule)


_SPECIAL: Mapping[str, Callable[[str, str, ModelOptions], Model]] = {
    "hf": _hugging_face,
    "gguf": _gguf,
    "local": _local,
    "baseline": _baseline,
}


def _unknown(name: str, kind: str, rest: str) -> UnknownModel:
    forms = "\n  ".join(f"{form:<15} {meaning}" for form, meaning in model_forms().items())
    close = _close(kind, [*PROVIDERS, *_SPECIAL], f"/{rest}" if rest else "")
    return UnknownModel(f"There is no kind of model called {kind!r} ({name!r}).{close}", f"Names of models:\n  {forms}")


def _close(wanted: str, known: Mapping[str, object] | list[str], suffix: str = "") -> str:
    found = difflib.get_close_matches(wanted.lower(), list(known), 1, 0.6)
    return f" Did you mean {found[0]}{suffix}?" if found else f" Known are: {', '.join(known)}."
