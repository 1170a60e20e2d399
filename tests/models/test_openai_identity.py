"""Who a server says it is, and whether that pins its weights."""

import pytest

from asking import ask, chat_request, served
from fault_server import Answer, FaultServer, always, chat, models, status
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.records import Ability

CHATS = frozenset({Ability.CHAT})
PATH = "/modelos/Sabia-7B.Q4_K_M.gguf"
LLAMA_MODELS = models(PATH, owned_by="llamacpp", meta={"size": 4_000_000, "n_params": 7_000_000, "ftype": "Q4_K_M"})
PROPS = Answer(
    body={"model_path": PATH, "model_ftype": "Q4_K_M", "build_info": "b1", "chat_template": "{{ messages }}"}
)
TAGS = Answer(
    body={
        "models": [
            {"name": "outro:latest", "digest": "ffff"},
            {"name": "llama3:latest", "digest": "abc123", "details": {"quantization_level": "Q4_0"}},
        ]
    }
)


def identity(gets, name="openai/toy", **options):
    with FaultServer(always(chat("B")), gets) as server:
        model = served(server.url, name, **options)
        model.prepare(CHATS)
        return model.identity


def test_local_server_that_tells_nothing_is_not_stable():
    found = identity({"/v1/models": models("toy")})
    assert not found.stable
    assert found.details["reported"] == "toy"


def test_local_server_without_a_list_is_not_stable():
    assert not identity({}).stable


def test_remote_server_is_stable():
    assert open_model("openai/gpt-4o-mini").identity.stable


def test_llama_cpp_pins_its_weights():
    found = identity({"/v1/models": LLAMA_MODELS, "/props": PROPS}, "llamacpp/sabia")
    assert found.stable
    assert found.about == "Sabia-7B.Q4_K_M.gguf, Q4_K_M, llama.cpp"
    assert found.details["weights"] == PATH
    assert found.details["bytes"] == "4000000"
    assert found.details["reported"] == PATH


def test_llama_cpp_is_recognised_under_another_name():
    assert identity({"/v1/models": LLAMA_MODELS, "/props": PROPS}).stable


@pytest.mark.parametrize(
    ("change", "same"),
    [({"chat_template": "{{ outra }}"}, False), ({"build_info": "b2"}, False), ({"total_slots": 4}, True)],
)
def test_what_shapes_llama_cpps_replies_is_part_of_the_identity(change, same):
    other = Answer(body={**PROPS.body, **change})
    before = identity({"/v1/models": LLAMA_MODELS, "/props": PROPS}).details
    after = identity({"/v1/models": LLAMA_MODELS, "/props": other}).details
    assert ({**before, "base_url": ""} == {**after, "base_url": ""}) is same


def test_llama_cpp_without_props_is_not_stable():
    assert not identity({"/v1/models": LLAMA_MODELS}).stable


@pytest.mark.parametrize("name", ["ollama/llama3", "ollama/llama3:latest", "openai/llama3"])
def test_ollamas_digest_pins_the_weights(name):
    found = identity({"/v1/models": models("llama3:latest", "outro:latest"), "/api/tags": TAGS}, name)
    assert found.stable
    assert found.details["digest"] == "abc123"
    assert found.about == "llama3:latest, Q4_0, Ollama"


def test_ollama_model_that_is_not_there_is_not_stable():
    assert not identity({"/v1/models": models("outro:latest"), "/api/tags": TAGS}, "ollama/llama4").stable


def test_vllm_names_the_weights_behind_an_alias():
    found = identity({"/v1/models": models("toy", owned_by="vllm", root="org/Modelo-7B")}, "vllm/toy")
    assert (found.details["weights"], found.stable) == ("org/Modelo-7B", False)


def test_what_changes_replies_is_in_the_details():
    found = open_model("openai/o4", ModelOptions(reasoning_effort="low", extra_body={"top_k": 1})).identity
    assert found.name == "openai/o4"
    assert found.details == {
        "base_url": "https://api.openai.com/v1",
        "model": "o4",
        "reasoning_effort": "low",
        "extra_body": '{"top_k": 1}',
    }


@pytest.mark.parametrize(
    ("tail", "gets", "root"),
    [
        ("", {"/v1/models": models("toy")}, "/v1"),
        ("/", {"/v1/models": models("toy")}, "/v1"),
        ("/v1/", {"/v1/models": models("toy")}, "/v1"),
        ("", {"/models": models("toy")}, ""),
        ("/proxy", {"/proxy/v1/models": models("toy")}, "/proxy/v1"),
        ("/proxy", {"/proxy/models": models("toy")}, "/proxy"),
        ("/proxy", {}, "/proxy"),
    ],
)
def test_the_endpoints_are_found_behind_any_form_of_base_url(tail, gets, root):
    with FaultServer(always(chat("B")), gets) as server:
        model = served(server.origin + tail)
        model.prepare(CHATS)
        assert ask(model, chat_request())[0].text == "B"
    assert server.posts[0].path == f"{root}/chat/completions"
    assert model.identity.details["base_url"] == server.origin + root


def test_identity_is_the_same_for_every_form_of_base_url():
    with FaultServer(always(chat("B"))) as server:
        found = []
        for tail in ("", "/", "/v1", "/v1/"):
            model = served(server.origin + tail)
            model.prepare(CHATS)
            found.append(model.identity)
    assert all(one == found[0] for one in found)


def test_chat_only_providers_say_so_without_being_asked():
    model = open_model("gemini/gemini-3-flash")
    assert model.abilities == {Ability.CHAT}
    assert "chat-only" in model.refusal(Ability.CHOOSE)
    assert "Gemini" in model.refusal(Ability.COMPLETE)


@pytest.mark.parametrize(
    ("as_", "kept", "lost"), [("chat", Ability.CHAT, Ability.COMPLETE), ("text", Ability.COMPLETE, Ability.CHAT)]
)
def test_as_takes_the_other_rendering_away(as_, kept, lost):
    model = served("http://127.0.0.1:1", as_=as_)
    assert model.rendering == as_
    assert kept in model.abilities
    assert f"--as {as_}" in model.refusal(lost)


def test_broken_side_documents_do_no_harm():
    gets = {"/v1/models": LLAMA_MODELS, "/props": status(500)}
    assert identity(gets).details["reported"] == PATH
