"""Where a local model's files are, and what exactly they are: a folder, or a hub id brought into the hub's cache."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sotaque import places
from sotaque.errors import Fatal, UnknownModel, UsageError
from sotaque.models.local_library import first_line, library

DTYPES = ("float32", "bfloat16", "float16", "auto")
PICKLES = (".bin", ".pt", ".pth", ".ckpt")
# Everything that shapes a reply: weights, configuration, tokenizer, chat template, the model's own code.
SHAPING = re.compile(
    r".*\.safetensors|config\.json|generation_config\.json|.*token.*\.json|vocab.*|merges\.txt|chat_template.*"
    r"|.*\.model|.*\.tiktoken|.*\.safetensors\.index\.json|.*\.py"
)
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_HUB_FILES = ["*.safetensors", "*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken"]
_HUB_DUPLICATES = ["consolidated*", "original/*", "onnx/*"]


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load: ``revision`` of a hub id, ``dtype`` (one of DTYPES), whether its own code may run, torch device."""

    revision: str | None = None
    dtype: str | None = None
    trust_remote_code: bool = False
    device: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A folder with a model in it; ``details`` identify its content exactly."""

    name: str
    folder: Path
    details: Mapping[str, str]
    about: str = ""


def find_place(where: str, options: LoadOptions) -> Place:
    """The files of ``where``: an existing folder, else a hub id.

    Raises:
        UnknownModel: no such folder, or it holds no causal language model in safetensors format.
        UsageError: a revision was given for a folder.
        Fatal: the hub cannot be reached and its cache has no copy.
    """
    folder = Path(where).expanduser()
    if folder.is_dir():
        if options.revision:
            raise UsageError(f"{folder} is a folder: it has no revisions", "leave --revision out, or give a hub id")
        check_folder(folder)
        return Place(f"hf/{where}", folder, {"content": content_hash(folder)})
    if folder.is_absolute() or where.startswith(("~", ".")) or not _HUB_ID.fullmatch(where):
        raise UnknownModel(f"{folder}: there is no such folder", "check the path; a hub id looks like ORG/NAME")
    snapshot = _from_hub(where, options)
    check_folder(snapshot)
    return Place(f"hf/{where}", snapshot, {"hub": where, "revision": snapshot.name})


def check_folder(folder: Path) -> None:
    """Whether a model can be loaded from ``folder``, by the names of its files.

    Raises:
        UnknownModel: says which part is not there.
    """
    names = sorted(path.name for path in folder.iterdir())
    if "adapter_config.json" in names and "config.json" not in names:
        raise UnknownModel(f"{folder} holds an adapter, not a whole model", "merge it into its base model first")
    if "config.json" not in names:
        raise UnknownModel(
            f"{folder} is not a model folder: it has no config.json",
            "give the folder that save_pretrained wrote; a .gguf file is gguf/PATH",
        )
    _check_weights(folder, names)
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        if missing := sorted(shards - set(names)):
            raise UnknownModel(f"{folder} lacks {len(missing)} of {len(shards)} weight files: {missing[0]} ...")


def _check_weights(folder: Path, names: Sequence[str]) -> None:
    if any(name.endswith(".safetensors") for name in names):
        return
    pickles = [name for name in names if name.endswith(PICKLES)]
    if pickles:
        raise UnknownModel(
            f"{folder} holds its weights only as pickle ({pickles[0]}): loading a pickle can run any code",
            "convert them to safetensors in a place you trust: "
            "AutoModelForCausalLM.from_pretrained(...).save_pretrained(...)",
        )
    raise UnknownModel(f"{folder} holds no weights (*.safetensors)", "fetch the model's safetensors files")


def _from_hub(name: str, options: LoadOptions) -> Path:
    """Bring the files of a hub id into the hub's own cache; the folder is named after the commit."""
    hub = library("huggingface_hub")
    wanted = [*_HUB_FILES, *(["*.py"] if options.trust_remote_code else [])]
    try:
        info = hub.HfApi().model_info(name, revision=options.revision, timeout=20)
        if not any(file.rfilename.endswith(".safetensors") for file in info.siblings or ()):
            _check_weights(Path(name), [file.rfilename for file in info.siblings or ()])
        return Path(
            hub.snapshot_download(name, revision=info.sha, allow_patterns=wanted, ignore_patterns=_HUB_DUPLICATES)
        )
    except hub.errors.GatedRepoError as error:
        raise Fatal(f"{name} is gated at the hub", "accept its terms there and set HF_TOKEN") from error
    except hub.errors.RevisionNotFoundError as error:
        raise UnknownModel(f"{name} has no revision {options.revision} at the hub") from error
    except hub.errors.RepositoryNotFoundError as error:
        raise UnknownModel(
            f"{name}: no folder and no public model of that name", "check the spelling; private models need HF_TOKEN"
        ) from error
    except UsageError:
        raise
    # No network, offline mode, a proxy's answer: the cache may still have it.
    except Exception as error:
        return _from_hub_cache(name, options, error)


def _from_hub_cache(name: str, options: LoadOptions, why: Exception) -> Path:
    hub = library("huggingface_hub")
    try:
        return Path(hub.snapshot_download(name, revision=options.revision, local_files_only=True))
    except (OSError, ValueError) as error:
        raise Fatal(
            f"{name}: the hub cannot be reached ({first_line(why)}) and its cache has no copy",
            "connect, or give the path of a folder that holds the model",
        ) from error


def content_hash(folder: Path, shaping: re.Pattern[str] = SHAPING) -> str:
    """sha256 over the names and bytes of all files that shape replies, by default.

    Reading gigabytes at every start is slow, so the hash is remembered under names, sizes and times of change, in
    our own cache folder: the user's folder may be shared or read-only.
    """
    files = sorted(path for path in folder.iterdir() if path.is_file() and shaping.fullmatch(path.name))
    return _remembered(str(folder.resolve()), files, _hash_files)


def known_hash(path: Path) -> str:
    """sha256 of a file's bytes, remembered in the same way."""
    return _remembered(f"file {path.resolve()}", [path], lambda files: file_hash(files[0]))


def _remembered(where: str, files: Sequence[Path], made: Callable[[Sequence[Path]], str]) -> str:
    state = [[path.name, (stat := path.stat()).st_size, stat.st_mtime_ns] for path in files]
    key = hashlib.sha256(json.dumps([where, state]).encode()).hexdigest()
    memory = places.models_folder() / "hashes" / key
    if memory.is_file() and re.fullmatch(r"[0-9a-f]{64}", known := memory.read_text(encoding="ascii").strip()):
        return known
    found = made(files)
    _remember(memory, found)
    return found


def _hash_files(files: Sequence[Path]) -> str:
    whole = hashlib.sha256()
    for path in files:
        whole.update(f"{path.name}\0{file_hash(path)}\n".encode())
    return whole.hexdigest()


def file_hash(path: Path) -> str:
    """sha256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _remember(memory: Path, found: str) -> None:
    beside = memory.with_suffix(f".{os.getpid()}")
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(found, encoding="ascii")
        beside.replace(memory)
    except OSError:
        # A cache folder that cannot be written costs time at the next start, nothing else.
        return
