"""BERTScore is the package's, to the sixth decimal, whatever else is in the batch."""

import importlib.metadata
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from optional_parts import require_module
from sotaque.errors import MissingExtra, UnknownModel, UsageError
from sotaque.records import Failure, Finish, Item, Metric, Outcome, Reading, Reply
from sotaque.scoring.bertscore import Encoder, check_extra, f1, find_encoder
from sotaque.scoring.score import score_reply, scoring_hash, written_answer
from sotaque.suites.schema import Encoder as Declared
from tiny_encoder import VOCABULARY, WINDOW, save_encoder

OPEN = Reading("text", (), ("pt-BR",), (Metric.BERTSCORE_F1,))
BOTH = Reading("text", (), ("pt-BR",), (Metric.BERTSCORE_F1, Metric.EXACT_MATCH))
ITEM = Item("1", {}, answers=("É um doce de coco.",))

ANSWERS = [
    "É um bolinho frito.",
    "um bolinho de feijão frito no azeite, que se come com camarão",
    "Não sei.",
    "pão",
    "É uma dança com sombrinha, muito rápida, do Carnaval de Pernambuco.",
    "É um bolinho frito.",
    "x",
    "pão de queijo " * 30,  # longer than the encoder can read
]
REFERENCES = [
    "É um bolinho de massa de feijão, frito no azeite.",
    "É um bolinho de massa de feijão, frito no azeite.",
    "É um vendedor de rua.",
    "É um pãozinho assado, com queijo.",
    "É um ritmo e uma dança de Pernambuco.",
    "É um bolinho frito.",
    "É uma festa de junho.",
    "É um pãozinho assado, com queijo.",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_module("bert_score", "torch", "transformers")
    return save_encoder(tmp_path_factory.mktemp("encoder") / "bert")


def encoder(folder: Path, layer: int = 2, rescale: float | None = None) -> Encoder:
    return find_encoder(Declared(model=str(folder), layer=layer, rescale=rescale))


def of_the_package(folder: Path, answers: list[str], references: list[object], **given: object) -> list[float]:
    import bert_score

    return bert_score.score(answers, references, model_type=str(folder), **{"num_layers": 2, "device": "cpu", **given})[
        2
    ].tolist()


# ---------------------------------------------------------------- equal to the package


@pytest.mark.parametrize("layer", [1, 2, 3])
@pytest.mark.parametrize("batch_size", [1, 2, 3, 5, 64])
def test_values_are_the_packages(folder: Path, layer: int, batch_size: int):
    theirs = of_the_package(folder, ANSWERS, REFERENCES, num_layers=layer, batch_size=batch_size)
    ours = f1(encoder(folder, layer), ANSWERS, [[text] for text in REFERENCES], batch_size=batch_size, device="cpu")
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert len(set(ours)) >= 6  # the encoder tells them apart: equal values would agree with anything


@pytest.mark.parametrize("kind", ["Roberta", "DistilBert", "Albert", "DebertaV2", "ModernBert", "Electra"])
def test_values_of_other_architectures_are_the_packages(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, kind: str
):
    import torch
    import transformers

    # Not tmp_path: the fifth is called "...architect5", and the package takes a path with "t5" in it for a T5.
    place = save_encoder(tmp_path_factory.mktemp("other") / kind, longest=WINDOW - 2)
    torch.manual_seed(5)
    config = getattr(transformers, f"{kind}Config")(**shape_of(kind))
    getattr(transformers, f"{kind}Model")(config).save_pretrained(place)
    theirs = of_the_package(place, ANSWERS, REFERENCES)
    assert f1(encoder(place), ANSWERS, [[text] for text in REFERENCES]) == pytest.approx(theirs, abs=1e-6)
    assert len(set(theirs)) >= 6


def shape_of(kind: str) -> dict[str, object]:
    """Small; Roberta counts positions from its padding token on."""
    size = {"vocab_size": len(VOCABULARY), "max_position_embeddings": WINDOW, "initializer_range": 0.4}
    if kind == "DistilBert":
        return {**size, "dim": 32, "hidden_dim": 64, "n_heads": 4, "n_layers": 3}
    layers = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 4, "num_hidden_layers": 3}
    special = {"pad_token_id": 1 if kind == "Roberta" else 0, "cls_token_id": 2, "sep_token_id": 3}
    return {**size, **layers, **special}


def test_layers_give_different_values(folder: Path):
    by_layer = [f1(encoder(folder, layer), ANSWERS, [[text] for text in REFERENCES]) for layer in (1, 2, 3)]
    assert by_layer[0] != pytest.approx(by_layer[1], abs=1e-3)
    assert by_layer[1] != pytest.approx(by_layer[2], abs=1e-3)


def test_of_several_references_the_closest_counts_as_in_the_package(folder: Path):
    references = [["É um doce.", "É um bolinho frito no azeite."], ["pão"], ["Não sei.", "Sim.", "Talvez não."]]
    theirs = of_the_package(folder, ANSWERS[:3], references)
    assert f1(encoder(folder), ANSWERS[:3], references) == pytest.approx(theirs, abs=1e-6)


@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")  # how the package reads its file
def test_rescaling_is_the_packages(folder: Path, tmp_path: Path):
    baseline = tmp_path / "baseline.csv"
    baseline.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.2,0.2\n2,0.3,0.31,0.305\n", encoding="utf-8")
    given = {"lang": "pt", "rescale_with_baseline": True, "baseline_path": str(baseline)}
    theirs = of_the_package(folder, ANSWERS, REFERENCES, **given)
    ours = f1(encoder(folder, rescale=0.305), ANSWERS, [[text] for text in REFERENCES])
    assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("batch_size", [1, 2, 3, 4, 7, 64])
def test_a_text_against_itself_is_1_in_every_batch(folder: Path, batch_size: int):
    found = f1(encoder(folder), ANSWERS, [[text] for text in ANSWERS], batch_size=batch_size)
    assert found == pytest.approx([1.0] * len(ANSWERS), abs=1e-6)


def test_the_neighbours_in_a_batch_change_nothing(folder: Path):
    used = encoder(folder)
    alone = [f1(used, [answer], [[reference]])[0] for answer, reference in zip(ANSWERS, REFERENCES, strict=True)]
    together = f1(used, ANSWERS, [[text] for text in REFERENCES])
    assert together == pytest.approx(alone, abs=1e-6)


# ---------------------------------------------------------------- what the package alone cannot load any more


def test_a_tokenizer_that_states_no_longest_input_reads_as_far_as_the_encoder_can(folder: Path, tmp_path: Path):
    unlimited = save_encoder(tmp_path / "bert", longest=None)
    with pytest.raises(OverflowError):
        of_the_package(unlimited, ANSWERS, REFERENCES)
    theirs = of_the_package(folder, ANSWERS, REFERENCES)  # the same weights; its tokenizer states the limit
    assert f1(encoder(unlimited), ANSWERS, [[text] for text in REFERENCES]) == pytest.approx(theirs, abs=1e-6)


def test_weights_as_a_pickle_of_tensors_give_the_same_values(folder: Path, tmp_path: Path):
    pickled = save_encoder(tmp_path / "bert", weights="pickle")
    references = [[text] for text in REFERENCES]
    assert f1(encoder(pickled), ANSWERS, references) == f1(encoder(folder), ANSWERS, references)


def test_a_path_that_looks_like_another_architecture_is_only_a_path(folder: Path, tmp_path: Path):
    named = save_encoder(tmp_path / "t5" / "scibert")
    references = [[text] for text in REFERENCES]
    assert f1(encoder(named), ANSWERS, references) == f1(encoder(folder), ANSWERS, references)


def test_missing_weights_are_an_error_not_random_numbers(tmp_path: Path, folder: Path):
    from safetensors.torch import load_file, save_file

    broken = save_encoder(tmp_path / "bert")
    weights = load_file(broken / "model.safetensors")
    del weights["encoder.layer.0.attention.self.query.weight"]
    save_file(weights, broken / "model.safetensors", {"format": "pt"})
    with pytest.raises(UsageError, match=r"1 weights .* are missing, the first is encoder\.layer\.0\.attention"):
        f1(encoder(broken), ["um"], [["um"]])


def test_weights_that_cannot_be_read_are_named(tmp_path: Path, folder: Path):
    broken = save_encoder(tmp_path / "bert")
    (broken / "model.safetensors").write_bytes(b"nothing")
    with pytest.raises(UsageError, match="cannot be loaded"):
        f1(encoder(broken), ["um"], [["um"]])


# ---------------------------------------------------------------- finding it


@pytest.mark.parametrize("layer", [4, 24])
def test_a_layer_that_the_encoder_does_not_have_is_refused_before_it_is_loaded(folder: Path, layer: int):
    with pytest.raises(UsageError, match=f"has 3 layers, and layer {layer} was asked for"):
        encoder(folder, layer)


def test_a_folder_in_place_of_the_declared_encoder(folder: Path):
    declared = Declared(model="ninguem/encoder", layer=18)
    found = find_encoder(declared, str(folder), 2)
    assert (found.name, found.layer, found.content) == (str(folder), 2, encoder(folder).content)


def test_a_folder_without_an_encoder_is_named(tmp_path: Path, folder: Path):
    with pytest.raises(UnknownModel, match="holds no encoder"):
        encoder(tmp_path)
    with pytest.raises(UnknownModel, match="there is no such folder"):
        encoder(tmp_path / "nada")


def test_identity_and_scoring_hash_follow_weights_layer_and_rescaling(folder: Path, tmp_path: Path):
    same = save_encoder(tmp_path / "copy")
    assert encoder(same).identity == encoder(folder).identity
    others = [encoder(folder, 1), encoder(folder, rescale=0.3), encoder(save_encoder(tmp_path / "big", layers=4))]
    hashes = {scoring_hash(OPEN, each.identity) for each in [encoder(folder), encoder(same), *others]}
    assert len(hashes) == 4
    assert scoring_hash(OPEN) not in hashes


def test_the_record_says_what_was_used(folder: Path):
    record = encoder(folder, rescale=0.3).record
    assert (record["model"], record["layer"], record["rescale"]) == (str(folder), 2, 0.3)
    assert record["bert-score"] == importlib.metadata.version("bert-score")
    json.dumps(record)


@pytest.mark.parametrize("lacking", ["bert_score", "torch", "transformers"])
def test_without_the_extra_the_message_says_what_to_install(lacking: str, monkeypatch: pytest.MonkeyPatch):
    found: Callable[[str], object] = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == lacking else found(name))
    with pytest.raises(MissingExtra, match=r"pip install 'sotaque\[bertscore\]'"):
        check_extra("a task")


# ---------------------------------------------------------------- from a reply to a score


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        (Reply(text=""), Outcome.EMPTY),
        (Reply(text=" \n"), Outcome.EMPTY),
        (Reply(text="<think>É um doce de coco.</think> "), Outcome.INVALID),
        (Reply(text="<think>É um doce", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="É um doce de", finish=Finish.LENGTH), Outcome.TRUNCATED),
        (Reply(text="Não posso responder.", finish=Finish.REFUSAL), Outcome.REFUSED),
    ],
)
def test_what_is_no_whole_answer_is_an_outcome_and_earns_nothing(reply: Reply, outcome: Outcome):
    score = score_reply(ITEM, (), reply, OPEN, 0.9 if written_answer(reply) else None)
    assert (score.outcome, score.values) == (outcome, {"bertscore_f1": 0.0})


@pytest.mark.parametrize(
    ("similarity", "credit"), [(0.6543214321, 0.654321), (1.0000001, 1.0), (-0.02, 0.0), (0.0, 0.0)]
)
def test_a_whole_answer_is_graded_by_its_similarity(similarity: float, credit: float):
    score = score_reply(ITEM, (), Reply(text="<think>hum</think>É um bolo."), OPEN, similarity)
    assert (score.outcome, score.read, score.values) == (Outcome.GRADED, "É um bolo.", {"bertscore_f1": credit})


@pytest.mark.parametrize(("text", "exact"), [("é um doce de coco", 1.0), ("É um doce.", 0.0)])
def test_exact_match_can_stand_beside_it(text: str, exact: float):
    score = score_reply(ITEM, (), Reply(text=text), BOTH, 0.75)
    assert (score.outcome, score.values) == (Outcome.GRADED, {"bertscore_f1": 0.75, "exact_match": exact})


def test_no_reply_has_no_value():
    score = score_reply(ITEM, (), Failure("no connection"), OPEN)
    assert (score.outcome, dict(score.values)) == (Outcome.ERROR, {})


def test_an_answer_without_its_similarity_is_a_fault_of_the_caller():
    with pytest.raises(ValueError, match="no similarity was given"):
        score_reply(ITEM, (), Reply(text="É um bolo."), OPEN)
