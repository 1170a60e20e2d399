"""BERTScore F1 of open answers (Zhang et al. 2020, arXiv 1904.09675), computed by the package ``bert-score``.

Matching, weights and batching are the package's. Only loading is ours, because bert-score 0.3.13 and transformers 5 no
longer fit together there: a tokenizer that states no longest input (BERTimbau's) overflows, an empty text raises, a
checkpoint without some weights gets random ones, and a folder whose path contains "t5" is taken for that architecture.
"""

from __future__ import annotations

import importlib.util
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sotaque.errors import MissingExtra, UsageError
from sotaque.models.encoder_place import encoder_content, encoder_layers, find_encoder_folder
from sotaque.models.local_library import Config, Library, Net, Tokenizer, first_line, library, quiet, versions
from sotaque.suites.schema import Encoder as Declared

EXTRA = "bertscore"
NEEDS = ("bert_score", "torch", "transformers")
BATCH = 64
LONGEST_INPUT = 512
"""Tokens, where neither tokenizer nor configuration states a limit."""

_OFFSET = ("roberta", "camembert", "mpnet", "longformer")
"""Architectures that count positions from the padding token's id on, and so can read fewer than they have."""


@dataclass(frozen=True, slots=True)
class Encoder:
    """An encoder that was found, and how it is used.

    Attributes:
        name: as it was asked for.
        content: sha256 of configuration, tokenizer and weights.
        layer: from 1, whose token vectors are compared.
        rescale: F1 that counts as 0; ``None`` for plain F1.
    """

    name: str
    folder: Path
    content: str
    layer: int
    rescale: float | None = None

    @property
    def identity(self) -> str:
        """Everything that can change a value, wherever the files are."""
        return json.dumps(["bertscore", self.content, self.layer, self.rescale])

    @property
    def record(self) -> dict[str, str | int | float | None]:
        """For run.json."""
        found = versions("bert-score", "transformers", "torch")
        used = {"bert-score": found["bert-score"], "transformers": found["transformers"], "torch": found["torch"]}
        return {
            "model": self.name,
            "layer": self.layer,
            "rescale": self.rescale,
            "idf": "none",
            "dtype": "float32",
            "content": self.content,
            **used,
        }


def check_extra(what: str) -> None:
    """Refuse before anything is done where bert-score, or what it needs, is not installed.

    Raises:
        MissingExtra: names what needs it, and the command that installs it.
    """
    if any(importlib.util.find_spec(name) is None for name in NEEDS):
        raise MissingExtra(what, EXTRA)


def find_encoder(declared: Declared, where: str = "", layer: int | None = None) -> Encoder:
    """The encoder of a task, or the one at ``where`` in its place; its files are fetched, its weights not loaded.

    Raises:
        UnknownModel: there is no such encoder.
        UsageError: it cannot be fetched, or has no such layer.
    """
    name, wanted = where or declared.model, layer or declared.layer
    folder = find_encoder_folder(name)
    layers = encoder_layers(folder)
    if not 1 <= wanted <= layers:
        remedy = f"name one from 1 to {layers}: --encoder-layer N, or 'layer' of the task's encoder in suite.toml"
        raise UsageError(f"the encoder {name} has {layers} layers, and layer {wanted} was asked for", remedy)
    return Encoder(name, folder, encoder_content(folder), wanted, declared.rescale)


def f1(
    encoder: Encoder,
    answers: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    batch_size: int = BATCH,
    device: str | None = None,
) -> list[float]:
    """BERTScore F1 of each answer against the reference that it is closest to; without idf weights.

    Args:
        encoder: which one, and how.
        answers: none of them blank.
        references: of each answer one or more, none of them blank.
        batch_size: texts that are encoded at once; it changes values by rounding alone.
        device: a torch device; by default the first GPU, else the CPU.

    Raises:
        UsageError: the encoder cannot be loaded, or its weights are not whole.
    """
    if not answers:
        return []
    torch, package = library("torch"), library("bert_score.utils")
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    tokenizer, net = _loaded(encoder, package, device)
    pairs = [(answer, reference) for answer, all_of in zip(answers, references, strict=True) for reference in all_of]
    weights: defaultdict[int, float] = defaultdict(lambda: 1.0)
    weights |= {tokenizer.sep_token_id: 0.0, tokenizer.cls_token_id: 0.0}
    found = package.bert_cos_score_idf(
        net,
        [reference for _, reference in pairs],
        [answer for answer, _ in pairs],
        tokenizer,
        weights,
        device=device,
        batch_size=batch_size,
    )
    values = iter(found[:, 2].tolist())
    best = [max(next(values) for _ in all_of) for all_of in references]
    return [_rescaled(value, encoder.rescale) for value in best]


def _rescaled(value: float, zero: float | None) -> float:
    return value if zero is None else (value - zero) / (1 - zero)


def _loaded(encoder: Encoder, package: Library, device: str) -> tuple[Tokenizer, Net]:
    """Tokenizer and network; layers above the wanted one are left out, as the package leaves them out."""
    torch, transformers = library("torch"), library("transformers")
    try:
        with quiet():
            tokenizer = package.get_tokenizer(str(encoder.folder))
            net, report = transformers.AutoModel.from_pretrained(
                encoder.folder,
                num_hidden_layers=encoder.layer,
                local_files_only=True,
                dtype=torch.float32,
                output_loading_info=True,
            )
    # The loaders raise whatever the broken part raises (OSError, SafetensorError, KeyError ...).
    except Exception as error:
        raise UsageError(
            f"{encoder.folder}: the encoder {encoder.name} cannot be loaded: {first_line(error)}",
            "check that the folder holds one whole encoder with its tokenizer",
        ) from error
    _check(encoder, net.config, sorted(report["missing_keys"]))
    tokenizer.model_max_length = min(tokenizer.model_max_length, _window(net.config))
    return tokenizer, net.to(device).eval()


def _check(encoder: Encoder, config: Config, missing: Sequence[str]) -> None:
    """Missing weights would be random numbers; the pooler's are not used."""
    if config.is_encoder_decoder:
        raise UsageError(f"{encoder.name} has encoder and decoder", "name an encoder, such as BERT")
    used = [name for name in missing if "pooler" not in name]
    if used:
        raise UsageError(
            f"{encoder.folder}: {len(used)} weights of the encoder {encoder.name} are missing, the first is {used[0]}",
            "the files are incomplete or belong to another architecture: fetch them again",
        )


def _window(config: Config) -> int:
    positions = getattr(config, "max_position_embeddings", None)
    if not isinstance(positions, int) or positions < 1:
        return LONGEST_INPUT
    offset = (config.pad_token_id or 0) + 1 if any(kind in config.model_type for kind in _OFFSET) else 0
    return positions - offset
