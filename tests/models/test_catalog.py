"""Names of models."""

import pytest

from optional_parts import require_module
from sotaque.errors import UnknownModel, UsageError
from sotaque.models.catalog import PROVIDERS, ModelOptions, model_forms, open_model
from sotaque.models.model import ServedModel


@pytest.mark.parametrize("kind", PROVIDERS)
def test_every_provider_opens_without_key_or_server(kind, monkeypatch):
    monkeypatch.delenv(PROVIDERS[kind].key, raising=False)
    model = open_model(f"{kind}/some-model")
    assert isinstance(model, ServedModel)
    assert model.identity.name == f"{kind}/some-model"
    assert model.identity.details["model"] == "some-model"
    assert model.identity.details["base_url"] == PROVIDERS[kind].base_url


@pytest.mark.parametrize("kind", PROVIDERS)
def test_every_provider_says_where_its_key_comes_from(kind):
    provider = PROVIDERS[kind]
    assert provider.key.isupper() and provider.key.endswith("_API_KEY")
    assert provider.key_required is provider.base_url.startswith("https://")


def test_a_models_name_may_hold_slashes_and_colons():
    assert open_model("vllm/org/Modelo-7B:v2").identity.details["model"] == "org/Modelo-7B:v2"


def test_base_url_overrides_the_providers():
    model = open_model("openai/x", ModelOptions(base_url="http://gpu:9000"))
    assert model.identity.details["base_url"] == "http://gpu:9000/v1"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("opnai/gpt-4o", "openai/gpt-4o"),
        ("Ollama/llama3", "ollama/llama3"),
        ("lm-studio/x", "lmstudio/x"),
        ("locl", "local"),
    ],
)
def test_unknown_kind_names_the_closest_and_lists_all(name, hint):
    with pytest.raises(UnknownModel, match="Did you mean") as caught:
        open_model(name)
    assert f"Did you mean {hint}?" in str(caught.value)
    for form in model_forms():
        assert form in str(caught.value)


@pytest.mark.parametrize("name", ["", "/", "xyz", "/gpt-4o"])
def test_names_close_to_nothing_still_list_all(name):
    with pytest.raises(UnknownModel, match="openai"):
        open_model(name)


@pytest.mark.parametrize("name", ["openai", "openai/", "hf/", "baseline"])
def test_a_kind_without_a_name_is_not_a_model(name):
    with pytest.raises(UnknownModel, match="does not name a model"):
        open_model(name)


def test_gguf_files_are_opened_lazily():
    require_module("xllamacpp")
    assert open_model("gguf/pasta/modelo.gguf").identity.name == "gguf/pasta/modelo.gguf"
    with pytest.raises(UnknownModel, match="does not name a model"):
        open_model("gguf/")


def test_local_has_no_other_name():
    with pytest.raises(UnknownModel, match="Write: local"):
        open_model("local/qwen")


def test_bad_base_url_is_told_at_once():
    with pytest.raises(UsageError, match="not a full URL"):
        open_model("openai/x", ModelOptions(base_url="localhost:8000"))


def test_baselines_are_found_by_name():
    require_module("sotaque.models.baselines")
    assert open_model("baseline/longest").identity.name == "baseline/longest"
    with pytest.raises(UnknownModel, match="longest"):
        open_model("baseline/longst")


def test_local_models_are_opened_lazily():
    require_module("sotaque.models.transformers_local", "torch", "transformers")
    assert open_model("hf/org/modelo").identity.name == "hf/org/modelo"
    assert open_model("local").identity.name == "local"
