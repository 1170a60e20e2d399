"""Where an encoder's files are, and what exactly they are: a folder, or a hub id brought into the hub's cache.

Unlike the models that answer, an encoder may come as a pickle: BERTimbau does. transformers unpickles tensors only
(``weights_only``), and none of the encoder's own code is run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from sotaque.errors import UnknownModel, UsageError
from sotaque.models.local_library import first_line, library
from sotaque.models.local_place import content_hash

# A repository often holds the same weights twice: one kind is fetched, and hashed.
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_REST = ("config.json", "*token*.json", "special_tokens_map.json", "vocab*", "merges.txt", "*.model")
_WEIGHT_NAMES = (re.compile(r".*\.safetensors(\.index\.json)?"), re.compile(r"pytorch_model.*\.bin(\.index\.json)?"))
_REST_NAMES = r"config\.json|.*token.*\.json|special_tokens_map\.json|vocab.*|merges\.txt|.*\.model"
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")


def find_encoder_folder(where: str) -> Path:
    """The files of ``where``: an existing folder, else a hub id.

    Raises:
        UnknownModel: no such folder or id, or it holds no encoder.
        UsageError: the hub cannot be reached and its cache has no copy.
    """
    folder = Path(where).expanduser()
    if not folder.is_dir():
        if folder.is_absolute() or where.startswith(("~", ".")) or not _HUB_ID.fullmatch(where):
            raise UnknownModel(f"the encoder {folder}: there is no such folder", "check the path; a hub id is ORG/NAME")
        folder = _from_hub(where)
    names = [path.name for path in folder.iterdir()]
    if "config.json" not in names or _kind_of_weights(names) is None:
        raise UnknownModel(
            f"{folder} holds no encoder: it needs config.json, weights and a tokenizer",
            "give the folder that save_pretrained wrote, for model and tokenizer",
        )
    return folder


def encoder_content(folder: Path) -> str:
    """sha256 over configuration, tokenizer and weights: the same for a folder and for the hub's copy of it."""
    kind = _kind_of_weights(path.name for path in folder.iterdir())
    weights = "" if kind is None else f"|{_WEIGHT_NAMES[kind].pattern}"
    return content_hash(folder, re.compile(_REST_NAMES + weights))


def encoder_layers(folder: Path) -> int:
    """How many layers the encoder has.

    Raises:
        UnknownModel: its configuration cannot be read, or does not say.
    """
    file = folder / "config.json"
    try:
        config: Any = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnknownModel(f"{file} cannot be read: {first_line(error)}", "fetch the encoder again") from None
    table = cast(dict[str, object], config) if isinstance(config, dict) else {}
    found = [table.get(name) for name in ("num_hidden_layers", "n_layers", "n_layer", "num_layers")]
    layers = next((each for each in found if isinstance(each, int) and each > 0), None)
    if layers is None:
        raise UnknownModel(f"{file} does not say how many layers the encoder has", "use another encoder")
    return layers


def _kind_of_weights(names: Iterable[str]) -> int | None:
    listed = list(names)
    for kind, pattern in enumerate(_WEIGHT_NAMES):
        if any(pattern.fullmatch(name) for name in listed):
            return kind
    return None


def _from_hub(name: str) -> Path:
    """Bring the files of a hub id into the hub's own cache."""
    hub = library("huggingface_hub")
    try:
        info = hub.HfApi().model_info(name, timeout=20)
        kind = _kind_of_weights(file.rfilename for file in info.siblings or ())
        weights = _WEIGHTS[kind or 0]
        return Path(hub.snapshot_download(name, revision=info.sha, allow_patterns=[*_REST, weights, f"{weights}.json"]))
    except (hub.errors.GatedRepoError, hub.errors.RepositoryNotFoundError) as error:
        raise UnknownModel(
            f"the encoder {name}: no folder and no public model of that name",
            "check the spelling; private and gated models need HF_TOKEN",
        ) from error
    # No network, offline mode, a proxy's answer: the cache may still have it.
    except Exception as error:
        return _from_hub_cache(name, error)


def _from_hub_cache(name: str, why: Exception) -> Path:
    hub = library("huggingface_hub")
    try:
        return Path(hub.snapshot_download(name, local_files_only=True))
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the encoder {name}: the hub cannot be reached ({first_line(why)}) and its cache has no copy",
            "connect, or give the folder that holds it: --encoder FOLDER",
        ) from error
