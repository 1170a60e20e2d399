"""gguf/PATH where llama-cpp-python is not installed: a server of our own, with a real model."""

import asyncio
import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from gguf_files import write_gguf

from asking import ask, chat_request, text_request
from optional_parts import require_module
from sotaque.errors import Fatal, MissingExtra, Rejected, UnknownModel
from sotaque.models import gguf_model, gguf_served
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.models.gguf_served import ServedGguf
from sotaque.models.model import ServedModel
from sotaque.models.prepare import GGUF_SHA256
from sotaque.records import Ability, Choose, Finish

EVERYTHING = frozenset(Ability)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    require_module("xllamacpp")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # two that wait for each other are slower on a busy machine


@pytest.fixture
def opened(smollm2):
    models = []

    def opener(**options) -> ServedGguf:
        models.append(ServedGguf(f"gguf/{smollm2}", str(smollm2), ModelOptions(**options)))
        return models[-1]

    yield opener
    for model in models:
        model.stop()


def without(monkeypatch, *missing: str):
    monkeypatch.setattr(gguf_model, "installed", lambda module: module not in missing)


def test_it_is_what_opens_where_llama_cpp_python_is_not_installed(smollm2, monkeypatch):
    without(monkeypatch, "llama_cpp")
    model = open_model(f"gguf/{smollm2}")
    assert isinstance(model, ServedGguf)
    assert isinstance(model, ServedModel)


def test_without_either_library_both_extras_are_named(monkeypatch):
    without(monkeypatch, "llama_cpp", "xllamacpp")
    with pytest.raises(MissingExtra) as caught:
        open_model("gguf/modelo.gguf")
    assert "sotaque[gguf]" in str(caught.value)
    assert "sotaque[llama]" in str(caught.value)
    assert "5 to 15 minutes" in str(caught.value)


def test_chats_and_texts(opened, capfd):
    model = opened()
    model.prepare(EVERYTHING)
    chat, text = ask(
        model,
        chat_request("Where is Portugal?", system="Be brief.", max_tokens=24),
        text_request("1, 2, 3, 4, 5,", max_tokens=16, stop=(", 8",)),
    )
    assert "Portugal" in (chat.text or "")
    assert 20 < chat.usage.prompt < 80
    assert (text.text, text.finish) == (" 6, 7", Finish.STOP)
    assert capfd.readouterr() == ("", "")


def test_the_key_is_the_file_and_the_cache_but_neither_port_nor_path(opened, smollm2, tmp_path):
    elsewhere = tmp_path / "outro nome.gguf"
    elsewhere.symlink_to(smollm2)
    first, fast, moved = opened(), opened(kv="fast"), ServedGguf("gguf/x", str(elsewhere), ModelOptions())
    for model in (first, fast, moved):
        model.prepare(frozenset())
    assert first.identity.stable
    assert first.identity.details == {
        "gguf": GGUF_SHA256,
        "through": "xllamacpp",
        "mode": "exact",
        "kv": "f32",
        "flash_attention": "off",
    }
    assert moved.identity.details == first.identity.details
    assert fast.identity.details == {**first.identity.details, "mode": "fast", "kv": "f16", "flash_attention": "on"}
    moved.stop()


def test_what_is_sent_besides_is_in_the_key(opened):
    model = opened(extra_body={"top_k": 1})
    model.prepare(frozenset())
    assert model.identity.details["extra_body"] == '{"top_k": 1}'


def test_option_scores_are_refused_with_the_extra_that_has_them(opened):
    model = opened()
    model.prepare(EVERYTHING)
    assert model.abilities == {Ability.CHAT, Ability.COMPLETE}
    assert "pip install 'sotaque[gguf]'" in model.refusal(Ability.CHOOSE)
    assert "5 to 15 minutes" in model.refusal(Ability.CHOOSE)
    with pytest.raises(Rejected, match="extra 'gguf'"):
        ask(model, Choose("saud", ("ade", "ar")))


def test_a_file_without_a_template_is_asked_as_text(tmp_path):
    model = ServedGguf("gguf/m", str(write_gguf(tmp_path / "m.gguf", {})), ModelOptions())
    model._file = gguf_served.find_gguf(str(tmp_path / "m.gguf"))
    assert model.rendering == "text"
    assert Ability.CHAT not in model.abilities
    assert "--as text" in model.refusal(Ability.CHAT)


def port(model: ServedGguf) -> int:
    return urlsplit(model._server.address).port


def test_close_ends_the_server_and_the_next_question_starts_another(opened):
    model = opened()
    model.prepare(frozenset())
    first = port(model)
    (reply,) = ask(model, text_request("O céu é"))  # closes
    assert reply.text
    assert model._server is None
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", first)) != 0
    (again,) = ask(model, text_request("O céu é"))
    assert again.text == reply.text


def test_it_listens_on_the_loopback_only(opened):
    model = opened()
    model.prepare(frozenset())
    assert model._server.address == f"http://127.0.0.1:{port(model)}"


def test_a_prompt_longer_than_the_window_is_rejected_not_cut(opened, monkeypatch):
    monkeypatch.setattr(gguf_served, "CACHE_BYTES", 1)
    monkeypatch.setattr(gguf_served, "_LEAST", 512)
    model = opened()
    model.prepare(frozenset())
    with pytest.raises(Rejected, match="context window"):
        ask(model, text_request("saudade " * 1000))


def test_the_window_is_the_models_as_far_as_memory_goes(tmp_path):
    values = {"llama.block_count": 32, "llama.embedding_length": 4096, "llama.attention.head_count": 32}
    header = gguf_served.check_gguf(str(write_gguf(tmp_path / "m.gguf", values)))[1]
    assert gguf_served._room(header, "exact") == 2048
    long = replace(header, values={**header.values, "llama.context_length": 131072})
    cost = 32 * 32 * (128 + 128) * 4
    assert gguf_served._room(long, "exact") == max(4096, 2**30 // cost)
    assert gguf_served._room(replace(long, values={"general.architecture": "llama"}), "exact") == 4096


def test_what_llama_cpp_cannot_load_is_told(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", {"general.architecture": "sonata"})
    with pytest.raises(Fatal, match="cannot be served by llama.cpp: Failed to init"):
        ServedGguf("gguf/m", str(path), ModelOptions()).prepare(frozenset())


def test_close_does_not_wait_for_a_step_under_way(opened):
    model = opened()
    model.prepare(frozenset())

    async def cancelled() -> float:
        asking = asyncio.create_task(model.ask(text_request("Era uma vez " * 600, max_tokens=3000)))
        while not model._asked._exchange.connection._session:
            await asyncio.sleep(0)
        asking.cancel()
        began = time.perf_counter()
        await model.close()
        return time.perf_counter() - began

    assert asyncio.run(cancelled()) < 3


def test_a_server_that_crashes_ends_the_run_with_its_code(opened):
    model = opened()
    model.prepare(frozenset())
    model._server._process.kill()
    model._server._process.wait()
    with pytest.raises(Fatal, match="is gone: its process ended with code"):
        ask(model, text_request("O céu é"))


def test_a_file_that_is_not_there_is_unknown(tmp_path):
    with pytest.raises(UnknownModel, match="no such file"):
        ServedGguf("gguf/m", str(tmp_path / "m.gguf"), ModelOptions()).prepare(frozenset())


PROGRAM = """
import sys
from sotaque.models import gguf_model
gguf_model.installed = lambda module: module != "llama_cpp"
from sotaque.cli.main import main
sys.argv = ["sotaque", *sys.argv[1:]]
main()
"""


def test_a_second_run_takes_the_stored_replies_although_the_port_is_another(smollm2, tmp_path):
    """And the interpreter ends although nobody closed the server of ``show``."""

    def sotaque(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "SOTAQUE_HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", PROGRAM, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)

    run = (
        "run",
        "masalbench",
        "--model",
        f"gguf/{smollm2}",
        "--task",
        "contextual",
        "--first",
        "1",
        "--max-tokens",
        "4",
    )
    first = sotaque(*run, "--out", str(tmp_path / "a"), "--max-unscored", "1")
    assert first.returncode == 0, first.stderr
    again = sotaque(*run, "--out", str(tmp_path / "b"), "--max-unscored", "1")
    assert again.returncode == 0, again.stderr
    assert "from the store" in first.stderr + again.stderr + again.stdout, again.stderr
    refused = sotaque("run", "masalbench", "--model", f"gguf/{smollm2}", "--task", "contextual_prob", "--first", "1")
    assert refused.returncode == 2
    assert "sotaque[gguf]" in refused.stderr
