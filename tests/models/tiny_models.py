"""Small networks with random weights and a small byte-level tokenizer, in folders as users have them."""

from pathlib import Path

CORPUS = [
    "a saudade aperta, a saudade fica; saudades da saudade",
    "quem vê cara não vê coração; o coração da cara",
    "água mole em pedra dura tanto bate até que fura",
    "می‌روم خانه و می‌خوانم کتاب را در خانه",
    "هر که بامش بیش برفش بیشتر",
    "resposta: sim, não, talvez. resposta correta",
]
CHAT = (
    "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
CHAT_WITHOUT_SYSTEM = (
    "{% for message in messages %}{% if message['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}"
    "{% endif %}<|{{ message['role'] }}|>{{ message['content'] }}\n{% endfor %}<|assistant|>"
)
SHAPE = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "initializer_range": 0.4,
}


def save_tokenizer(folder: Path, *, bos: bool, adds: bool | None = None, template: str | None = None) -> None:
    """``bos``: the tokenizer knows <s> and </s>; ``adds``: it puts <s> in front by itself (default: as ``bos``)."""
    import tokenizers
    from transformers import PreTrainedTokenizerFast

    adds = bos if adds is None else adds
    raw = tokenizers.Tokenizer(tokenizers.models.BPE())
    raw.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = tokenizers.decoders.ByteLevel()
    special = ["<s>", "</s>"] if bos else []
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=420,
        special_tokens=special,
        show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
    )
    raw.train_from_iterator(CORPUS * 4, trainer)
    if adds:
        raw.post_processor = tokenizers.processors.TemplateProcessing(
            single="<s> $A", pair="<s> $A $B", special_tokens=[("<s>", raw.token_to_id("<s>"))]
        )
    names = {"bos_token": "<s>", "eos_token": "</s>"} if bos else {}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, **names)
    if template:
        tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)


def build(kind: str, **changes):
    """A network of that kind with random weights."""
    import torch
    import transformers as t

    torch.manual_seed(7)
    common = {**SHAPE, "vocab_size": 420, "max_position_embeddings": 4096, "bos_token_id": None, "eos_token_id": None}
    sliding = {"sliding_window": 16}
    gpt2 = {"vocab_size": 420, "n_embd": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.4}
    makers = {
        "llama": lambda: t.LlamaForCausalLM(t.LlamaConfig(**common, **changes)),
        "qwen2": lambda: t.Qwen2ForCausalLM(t.Qwen2Config(**common, **changes)),
        "mistral": lambda: t.MistralForCausalLM(t.MistralConfig(**common, **sliding, **changes)),
        "gemma": lambda: t.GemmaForCausalLM(t.GemmaConfig(**common, head_dim=8, **changes)),
        "gemma2": lambda: t.Gemma2ForCausalLM(t.Gemma2Config(**common, head_dim=8, **sliding, **changes)),
        "qwen3": lambda: t.Qwen3ForCausalLM(t.Qwen3Config(**common, head_dim=8, **changes)),
        "qwen2-sliding": lambda: t.Qwen2ForCausalLM(
            t.Qwen2Config(**common, use_sliding_window=True, max_window_layers=1, **sliding, **changes)
        ),
        "gemma3": lambda: t.Gemma3ForCausalLM(
            t.Gemma3TextConfig(
                **common, head_dim=8, layer_types=["sliding_attention", "full_attention"], **sliding, **changes
            )
        ),
        "phi3": lambda: t.Phi3ForCausalLM(t.Phi3Config(**common, **sliding, pad_token_id=0, **changes)),
        "smollm3": lambda: t.SmolLM3ForCausalLM(
            t.SmolLM3Config(**common, no_rope_layers=[1, 0], pad_token_id=0, **changes)
        ),
        "gpt-neo": lambda: t.GPTNeoForCausalLM(
            t.GPTNeoConfig(
                vocab_size=420,
                hidden_size=32,
                num_layers=2,
                num_heads=4,
                attention_types=[[["global", "local"], 1]],
                window_size=16,
                max_position_embeddings=4096,
                initializer_range=0.4,
            )
        ),
        "bloom": lambda: t.BloomForCausalLM(
            t.BloomConfig(vocab_size=420, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.4)
        ),
        "mamba": lambda: t.MambaForCausalLM(
            t.MambaConfig(vocab_size=420, hidden_size=32, num_hidden_layers=2, state_size=4, **changes)
        ),
        "gpt2": lambda: t.GPT2LMHeadModel(t.GPT2Config(**gpt2, n_positions=4096, **changes)),
        "gpt2-short": lambda: t.GPT2LMHeadModel(t.GPT2Config(**gpt2, n_positions=32, **changes)),
    }
    return makers[kind]().eval()


def save_model(folder: Path, kind: str = "llama", *, bos: bool = True, **tokenizer) -> Path:
    """A whole model folder."""
    from sotaque.models.local_library import quiet

    with quiet():
        build(kind).save_pretrained(folder)
        save_tokenizer(folder, bos=bos, **tokenizer)
    return folder
