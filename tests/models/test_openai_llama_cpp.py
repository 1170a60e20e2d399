"""The adapter against a real llama.cpp server with a real model."""

import json

import pytest

from asking import ask, chat_request, served, text_request
from optional_parts import require_module
from sotaque.errors import Rejected
from sotaque.records import Ability, Finish, Message


@pytest.fixture(scope="module")
def url(smollm2) -> str:
    require_module("xllamacpp")
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2)
    params.n_ctx, params.n_parallel, params.port, params.verbosity = 1024, 2, 0, -1
    params.cpuparams.n_threads = 1  # two that wait for each other are slower on a busy machine
    server = xllamacpp.Server(params)
    yield server.listening_address
    del server


def test_chat_reply_with_usage(url):
    model = served(url, "llamacpp/smollm2")
    model.prepare(frozenset({Ability.CHAT}))
    (reply,) = ask(model, chat_request("Where is Portugal?", system="Be brief.", max_tokens=24))
    assert "Portugal" in (reply.text or "")
    assert 20 < reply.usage.prompt < 80
    assert 0 < reply.usage.completion <= 24
    assert reply.model.endswith(".gguf")
    assert reply.seconds > 0


def test_a_reply_is_cut_by_its_budget(url):
    (reply,) = ask(served(url), chat_request("Tell me a long story.", max_tokens=3))
    assert (reply.finish, reply.usage.completion) == (Finish.LENGTH, 3)


def test_greedy_replies_repeat(url):
    request = text_request("The capital of Portugal is", max_tokens=6)
    first, second = ask(served(url), request, request)
    assert first.text and first.text == second.text


def test_text_completion_and_stop(url):
    (reply,) = ask(served(url), text_request("1, 2, 3, 4, 5,", max_tokens=16, stop=(", 8",)))
    assert (reply.text or "").startswith(" 6, 7")
    assert "8" not in (reply.text or "")
    assert reply.finish is Finish.STOP


def test_several_at_once(url):
    replies = ask(served(url), *(chat_request(f"Say {word}.", max_tokens=4) for word in ("um", "dois", "três", "سلام")))
    assert all(reply.text for reply in replies)


def test_its_own_error_for_a_prompt_that_is_too_long(url):
    with pytest.raises(Rejected, match="does not fit into the context window") as caught:
        ask(served(url), chat_request("saudade " * 2000))
    assert "tokens" in str(caught.value)


def test_its_own_error_for_a_bad_request_is_quoted(url):
    with pytest.raises(Rejected, match="rejected the request") as caught:
        ask(served(url, extra_body={"response_format": {"type": "sonata"}}), chat_request())
    assert "response_format" in str(caught.value)


def test_its_weights_are_known(url):
    model = served(url, "llamacpp/smollm2")
    model.prepare(frozenset())
    assert model.identity.stable
    assert model.identity.about == "SmolLM2-135M-Instruct.Q4_1.gguf, Q4_1, llama.cpp"
    assert int(model.identity.details["bytes"]) > 90_000_000
    assert model.identity.details["chat_template"]


@pytest.mark.parametrize("name", ["llamacpp/smollm2", "openai/smollm2"])
def test_option_scoring_is_refused_by_name(url, name):
    model = served(url, name)
    model.prepare(frozenset({Ability.CHOOSE}))
    assert Ability.CHOOSE not in model.abilities
    assert "llama.cpp at http://127.0.0.1" in model.refusal(Ability.CHOOSE)
    assert "generated tokens only" in model.refusal(Ability.CHOOSE)
    assert {Ability.CHAT, Ability.COMPLETE} <= model.abilities


def test_preview_reads_as_the_server_reads_it(url):
    request = chat_request("Olá", system="Responde em português.")
    body = json.loads(served(url).preview(request).partition("\n")[2])
    assert [Message(**turn) for turn in body["messages"]] == list(request.messages)
