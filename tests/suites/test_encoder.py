"""What suite.toml may say of an encoder, and what it must."""

from pathlib import Path

import pytest

from sotaque.errors import SuiteError
from sotaque.suites.suite import load_suite

ENCODER = 'encoder = { model = "neuralmind/bert-large-portuguese-cased", layer = 18 }'
TOML = f"""\
format = 1
name = "abertas"
title = "Perguntas abertas"
languages = ["pt-BR"]
version = "0.1.0"

[sources.own]
files = {{ perguntas = "perguntas.jsonl" }}
provenance = {{ author = "a test", review = "unreviewed", licence = "CC0-1.0", share = "yes" }}

[tasks.coisas]
about = "O que é isto?"
source = "perguntas"
mode = "generate"
answer = "text"
prompt = "Pergunta: {{pergunta}}"
metrics = ["bertscore_f1"]
{ENCODER}
"""


def loaded(folder: Path, toml: str):
    (folder / "suite.toml").write_text(toml, encoding="utf-8")
    return load_suite(folder)


@pytest.mark.parametrize(("more", "rescale"), [("", None), (", rescale = 0.35", 0.35)])
def test_an_encoder_is_a_model_a_layer_and_a_rescaling(tmp_path: Path, more: str, rescale: float | None):
    encoder = loaded(tmp_path, TOML.replace("layer = 18", f"layer = 18{more}")).tasks["coisas"].encoder
    assert encoder is not None
    assert (encoder.model, encoder.layer, encoder.rescale) == ("neuralmind/bert-large-portuguese-cased", 18, rescale)


@pytest.mark.parametrize(
    ("before", "after", "place", "message", "remedy"),
    [
        (ENCODER, "", "line 17, tasks.coisas.metrics", "'bertscore_f1' needs an encoder", "encoder = { model ="),
        ('["bertscore_f1"]', '["exact_match"]', "tasks.coisas.encoder", "no metric of this task uses", "drop it"),
        ('"text"', '"label"', "tasks.coisas.metrics", "'bertscore_f1' measures open answers", 'answer = "text"'),
        ('"generate"', '"choose"', "tasks.coisas.metrics", "cannot be measured in mode choose", "accuracy"),
        ("layer = 18", "layer = 0", "tasks.coisas.encoder.layer", "", "from 1 up"),
        (", layer = 18", "", "tasks.coisas.encoder", "layer", "from 1 up"),
        ("layer = 18", "layer = 18, rescale = 1.0", "tasks.coisas.encoder.rescale", "", "below 1"),
        ("layer = 18", "layers = 18", "tasks.coisas.encoder", "layers", "layer"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, before: str, after: str, place: str, message: str, remedy: str):
    with pytest.raises(SuiteError) as refused:
        loaded(tmp_path, TOML.replace(before, after))
    assert place in str(refused.value)
    assert message in str(refused.value)
    assert remedy in str(refused.value)
