"""A BERT with random weights and a vocabulary of letters, in a folder as users have theirs."""

from pathlib import Path
from string import ascii_lowercase
from typing import Literal

LETTERS = ascii_lowercase + "áâãàçéêíóôõúü"
VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "-"),
    *LETTERS,
    *(f"##{letter}" for letter in LETTERS),
    *("de", "um", "uma", "com", "que", "casa", "pão", "##ção", "##inho"),
]
WINDOW = 48


def save_encoder(
    folder: Path,
    *,
    layers: int = 3,
    longest: int | None = WINDOW,
    weights: Literal["safetensors", "pickle"] = "safetensors",
) -> Path:
    """``longest``: what the tokenizer states as its longest input; BERTimbau's, like many, states nothing."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    limit = {} if longest is None else {"model_max_length": longest}
    BertTokenizer(vocab=str(folder / "vocab.txt"), do_lower_case=True, strip_accents=False, **limit).save_pretrained(
        folder
    )
    torch.manual_seed(11)
    shape = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "initializer_range": 0.4}
    config = BertConfig(vocab_size=len(VOCABULARY), num_hidden_layers=layers, max_position_embeddings=WINDOW, **shape)
    net = BertModel(config)
    net.save_pretrained(folder)
    if weights == "pickle":
        torch.save(net.state_dict(), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    return folder
