"""The table of model servers that sotaque knows by name, and the options a model is opened with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sotaque.records import Rendering

CacheMode = Literal["exact", "fast"]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """What the user may say about a model besides its name. Each kind of model uses what concerns it.

    Attributes:
        base_url: overrides the provider's address.
        api_key_env: the environment variable that holds the API key; overrides the provider's.
        revision: of a Hugging Face repository.
        dtype: of local weights; ``None`` lets the model decide.
        reasoning_effort: sent as it is to servers ("low", "medium", "high" ...).
        extra_body: merged into every request body.
        timeout: seconds for one request, all of it; ``None`` leaves that to the engine.
        as_: "chat" or "text" when the user insists on one.
        trust_remote_code: run Python that comes with a Hugging Face repository.
        kv: how llama.cpp keeps what it has read of a prompt: "exact" (float32, no flash attention) or "fast" (float16,
            flash attention).
    """

    base_url: str | None = field(default=None, repr=False)  # may hold a login
    api_key_env: str | None = None
    revision: str | None = None
    dtype: str | None = None
    reasoning_effort: str | None = None
    extra_body: Mapping[str, object] = field(default_factory=dict[str, object])
    timeout: float | None = None
    as_: Rendering | None = None
    trust_remote_code: bool = False
    kv: CacheMode = "exact"


@dataclass(frozen=True, slots=True)
class Provider:
    """What is known of a kind of server before it is asked.

    Attributes:
        title: how messages call it.
        base_url: where it is unless the user says otherwise.
        key: the environment variable that holds its API key.
        key_required: whether it answers nobody without a key. On localhost a key is never required.
        completions: whether there is a text endpoint beside the chat.
        prompt_logprobs: whether log-probabilities of a prompt may be had; a probe decides before they are used.
        rendering: how prompts are sent unless the user says otherwise.
    """

    title: str
    base_url: str
    key: str
    key_required: bool = False
    completions: bool = True
    prompt_logprobs: bool = False
    rendering: Rendering = "chat"

    @property
    def url_variable(self) -> str:
        """The environment variable that moves the server elsewhere, as OPENAI_BASE_URL does."""
        return f"{self.key.removesuffix('_API_KEY')}_BASE_URL"


PROVIDERS: Mapping[str, Provider] = {
    # "openai" also stands for any compatible server at --base-url, so it promises as much as such a server may have.
    "openai": Provider(
        "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", key_required=True, prompt_logprobs=True
    ),
    "deepseek": Provider(
        "DeepSeek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", key_required=True, completions=False
    ),
    "gemini": Provider(
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
        key_required=True,
        completions=False,
    ),
    "maritaca": Provider("Maritaca", "https://chat.maritaca.ai/api", "MARITACA_API_KEY", key_required=True),
    "ollama": Provider("Ollama", "http://localhost:11434/v1", "OLLAMA_API_KEY"),
    "lmstudio": Provider("LM Studio", "http://localhost:1234/v1", "LMSTUDIO_API_KEY"),
    "vllm": Provider("vLLM", "http://localhost:8000/v1", "VLLM_API_KEY", prompt_logprobs=True),
    "llamacpp": Provider("llama.cpp", "http://localhost:8080/v1", "LLAMA_API_KEY"),
}
