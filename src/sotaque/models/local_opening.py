"""Opening a local model without its weights: configuration, tokenizer, device and dtype."""

from __future__ import annotations

from dataclasses import replace

from sotaque.errors import Fatal
from sotaque.models import prepare
from sotaque.models.local_library import Config, first_line, library, quiet
from sotaque.models.local_place import LoadOptions, Place
from sotaque.models.local_prompt import Prompter


def local_place() -> Place:
    """Where ``sotaque models prepare local`` put its model, and what it was made from.

    Raises:
        UsageError: it has not been prepared.
    """
    folder = prepare.local_folder()
    return Place("local", folder, {"gguf": prepare.GGUF_SHA256, "weights": "dequantised"}, prepare.ABOUT)


def read_texts(place: Place, options: LoadOptions) -> tuple[Config, Prompter]:
    """Configuration and tokenizer, from the folder alone.

    Raises:
        Fatal: they cannot be read, or want code of their own to run.
    """
    transformers = library("transformers")
    flags = {"trust_remote_code": options.trust_remote_code, "local_files_only": True}
    try:
        with quiet():
            config = transformers.AutoConfig.from_pretrained(place.folder, **flags)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place.folder, **flags)
    # The loaders raise whatever the broken part raises (OSError, ValueError, KeyError, JSON errors ...).
    except Exception as error:
        own_code = "trust_remote_code" in str(error)
        raise Fatal(
            f"{place.folder}: configuration or tokenizer of {place.name} cannot be read: {first_line(error)}",
            "the model brings its own Python code: read it, then allow it with --trust-remote-code"
            if own_code
            else "check that the folder holds config.json and the tokenizer's files, whole and of a known architecture",
        ) from error
    return config, Prompter(tokenizer)


def settled(options: LoadOptions, config: Config) -> LoadOptions:
    """Device and dtype, decided: the first GPU, else the CPU in float32, unless the user said otherwise."""
    device = options.device or ("cuda" if library("torch").cuda.is_available() else "cpu")
    dtype = options.dtype or ("float32" if device == "cpu" else "auto")
    if dtype == "auto":
        dtype = str(config.get_text_config().dtype or config.dtype or "float32").removeprefix("torch.")
    return replace(options, dtype=dtype, device=device)


def kind_of(device: str | None) -> str:
    """The kind of device ("cpu", "cuda"): which of several GPUs it is makes no difference to a reply."""
    return (device or "cpu").partition(":")[0]
