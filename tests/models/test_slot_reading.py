import pytest
from tiny_models import build

from optional_parts import require_module
from sotaque.models.local_network import Network
from sotaque.models.slot_cache import SlotCache
from sotaque.models.slot_reading import SlotReader, compared

TEXTS = ([5, 9, 80, 33] * 12, [5, 9, 80, 7, 7, 250], [5, 9, 80, 44, 300] * 5)
SHAPE = {
    "vocab_size": 420,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "initializer_range": 0.4,
}


@pytest.fixture(autouse=True)
def one_thread():
    require_module("torch", "transformers", "accelerate")
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(5)


def network(kind: str, **config) -> Network:
    """Of a kind known to tiny_models, or of transformers' classes KINDForCausalLM and KINDConfig."""
    import transformers

    if not config:
        return Network(build(kind), "cpu")
    name = "Gemma3Text" if kind == "Gemma3" else kind
    made = getattr(transformers, f"{name}Config")(**{"pad_token_id": None, **config})
    return Network(getattr(transformers, f"{kind}ForCausalLM")(made).eval(), "cpu")


LAYERED = {"sliding_window": 16, "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
TOGETHER = {
    "llama": ("llama", {}),
    "mistral, window 16": ("mistral", {}),
    "gemma2, window 16 in every second layer": ("gemma2", {}),
    "gpt2": ("gpt2", {}),
    "qwen2, some layers with a window": ("Qwen2", {**SHAPE, **LAYERED, "use_sliding_window": True}),
    "qwen3": ("Qwen3", {**SHAPE, "head_dim": 8}),
    "gemma3, another rotation in windows": ("Gemma3", {**SHAPE, **LAYERED, "head_dim": 8}),
    "phi3, window 16": ("Phi3", {**SHAPE, "sliding_window": 16}),
    "mixtral": ("Mixtral", {**SHAPE}),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_each_row_has_the_logits_of_its_text_alone(case):
    kind, config = TOGETHER[case]
    read = network(kind, **config)
    assert compared(read)[0] == ""
    reader, trunk, slots = SlotReader(read), SlotCache(), SlotCache()
    reader.read(trunk, 0, [TEXTS[0][:3]], 0)
    slots.fill(0, 3, trunk, 3)
    reader.read(slots, 0, [text[3:-2] for text in TEXTS], 3)
    for back in (2, 1):
        logits = reader.step(slots, [text[-back] for text in TEXTS], [len(text) - back for text in TEXTS])
        for row, text in zip(logits, TEXTS, strict=True):
            plain = reader.plain(text[: len(text) - back + 1])
            assert float((row - plain).abs().max()) < 1e-4


@pytest.mark.parametrize(
    ("kind", "config", "why"),
    [
        ("mamba", {}, "layers of another kind"),
        ("Bloom", {"vocab_size": 420, "hidden_size": 32, "n_layer": 2, "n_head": 4}, "cannot read texts of unequal"),
        ("Rwkv", {"vocab_size": 420, "hidden_size": 32, "num_hidden_layers": 2}, "changes its logits"),
        (
            "GPTNeo",
            {
                "vocab_size": 420,
                "hidden_size": 32,
                "num_layers": 2,
                "num_heads": 4,
                "attention_types": [[["global", "local"], 1]],
            },
            "window of its own kind",
        ),
        (
            "Llama",
            {**SHAPE, "rope_parameters": {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}},
            "longest text",
        ),
    ],
)
def test_networks_whose_rows_depend_on_each_other_are_told(kind, config, why):
    assert why in compared(network(kind, **config))[0]


def test_a_window_that_the_network_states_but_does_not_keep_is_noticed():
    read = network("Llama", **SHAPE)
    assert compared(read)[0] == ""
    read.net.config.sliding_window = 4096
    assert "changes its logits" in compared(read)[0]
    assert read.net.config.sliding_window == 4096


def test_half_precision_is_known_to_be_off_by_roundings_even_where_a_short_text_agrees():
    read = Network(build("llama").bfloat16(), "cpu")
    why_not, off = compared(read)
    assert why_not == ""
    assert off > 0.05


def test_a_slot_is_empty_again_when_it_is_filled():
    import torch

    read = network("llama")
    reader, slots = SlotReader(read), SlotCache()
    slots.fill(0, 2, SlotCache(), 0)
    reader.read(slots, 0, [TEXTS[0], TEXTS[2]], 0)
    with torch.inference_mode():
        for layer in slots.past.layers:
            layer.keys[1] = float("nan")
            layer.values[1] = float("nan")
    slots.fill(1, 1, SlotCache(), 0)
    reader.read(slots, 1, [TEXTS[1]], 0)
    logits = reader.step(slots, [9, 9], [len(TEXTS[0]), len(TEXTS[1])])
    assert float((logits[1] - reader.plain([*TEXTS[1], 9])).abs().max()) < 1e-4
