"""ALBA's rated answers and checks: fixtures for judges, and what rules make of them."""

import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sotaque.data.alba import DIMENSIONS, RatedAnswer
from sotaque.data.alba_fixtures import BUNDLED, read_fixtures
from sotaque.errors import ItemError
from sotaque.prompts.hashes import item_hash
from sotaque.records import Item
from sotaque.scoring.rules import Verdict
from sotaque.scoring.verify import overall, verify
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite

ROOT = Path(__file__).resolve().parents[2]

Answers = dict[str, dict[str, RatedAnswer]]


@pytest.fixture(scope="module")
def answers() -> Answers:
    found: Answers = {}
    for answer in read_fixtures():
        found.setdefault(answer.question, {})[answer.tier] = answer
    return found


@pytest.fixture(scope="module")
def prompts() -> dict[str, Item]:
    loaded = load_items(load_suite("alba"), "bundled")
    return {item.id: item for part in loaded.items.values() for item in part}


@pytest.fixture(scope="module")
def checked(prompts: dict[str, Item]) -> list[Item]:
    return [item for item in prompts.values() if item.checks]


# ---------------------------------------------------------------- the rated answers


def test_each_dimension_has_ten_questions_or_more_with_three_answers(answers: Answers):
    asked = Counter(tiers["A"].dimension for tiers in answers.values())
    assert set(asked) == set(DIMENSIONS) and min(asked.values()) >= 10
    assert all(list(tiers) == ["A", "B", "C"] for tiers in answers.values())


def test_ratings_fall_with_the_tiers_and_have_their_reasons(answers: Answers):
    for tiers in answers.values():
        assert [tiers[tier].rating for tier in "ABC"] in ([5, 4, 2], [5, 4, 1], [5, 3, 2], [5, 3, 1])
        assert all(answer.fixture and not answer.split and len(answer.reason) > 10 for answer in tiers.values())
        assert len({answer.reason for answer in tiers.values()}) == 3
        assert len({answer.answer_key for answer in tiers.values()}) == 3
    spread = Counter(answer.rating for tiers in answers.values() for answer in tiers.values())
    assert min(spread.values()) >= 20 and set(spread) == {1, 2, 3, 4, 5}


def test_answers_belong_to_the_prompts_as_they_are(answers: Answers, prompts: dict[str, Item]):
    for question, tiers in answers.items():
        assert {answer.prompt for answer in tiers.values()} == {prompts[question].fields["prompt"]}


def test_length_does_not_tell_the_best_answer(answers: Answers):
    """Each tier is the longest, and the shortest, in about a third of the questions."""
    for best in (max, min):
        lengths = [{tier: len(answer.answer) for tier, answer in tiers.items()} for tiers in answers.values()]
        picked = Counter[str]()
        for each in lengths:
            top = [tier for tier, length in each.items() if length == best(each.values())]
            picked.update({tier: 1 / len(top) for tier in top})  # pyright: ignore[reportArgumentType]
        assert all(0.22 <= picked[tier] / len(answers) <= 0.45 for tier in "ABC"), picked


def test_answers_are_clean(answers: Answers):
    for tiers in answers.values():
        for answer in tiers.values():
            for text in (answer.answer, answer.reason):
                assert unicodedata.is_normalized("NFC", text) and text == text.strip()
                assert text.count("«") == text.count("»") and not re.search(r"[^\S\n]{2}|[\"“”]", text), text


def test_the_best_answers_and_the_reasons_have_no_brazilian_forms(answers: Answers):
    cues = (
        r"\best(?:á|ou|ão|ava)\s+\w+ndo\b|\bvocês?\b|(?<!toda )\ba gente\b|\bônibus\b|\btrem\b|\b\w*[êô][mn][aeiou]\w*"
    )
    for tiers in answers.values():
        voices = [tiers["A"].answer, *(answer.reason for answer in tiers.values())]
        for text in voices:
            assert not re.search(cues, re.sub("«[^»]*»", "", text), re.IGNORECASE), text


def test_answers_that_are_brazilian_on_purpose_say_so():
    """In their metadata; never the best answer, and the reason names what is Brazilian about it."""
    rows = [json.loads(line) for line in BUNDLED.read_text(encoding="utf-8").splitlines()]
    declared = {row["question"]: row for row in rows if "metadata" in row}
    assert set(declared) == {"discourse_analysis-6", "morphology-1"}
    for row in declared.values():
        assert row["metadata"] == {"other_variety": "pt-BR"} and row["tier"] == "B" and "brasileir" in row["reason"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"fixture": False}, "does not say that it is a fixture"),
        ({"fixture": None}, "does not say that it is a fixture"),
        ({"rating": 6}, "'rating' is 6"),
        ({"rating": True}, "'rating' is True"),
        ({"tier": "D"}, "'tier' is 'D'"),
        ({"dimension": "poetry"}, "unknown dimension 'poetry'"),
        ({"answer": " "}, "'answer' is empty"),
        ({"tier": "A"}, "answer A to .* was given before"),
    ],
)
def test_a_row_that_is_no_fixture_is_named(tmp_path: Path, change: dict[str, object], message: str):
    first, second = (json.loads(line) for line in BUNDLED.read_text(encoding="utf-8").splitlines()[:2])
    file = tmp_path / "answers.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in (first, second | change)), encoding="utf-8")
    with pytest.raises(ItemError, match=message) as caught:
        read_fixtures(file)
    assert caught.value.place == "line 2"


def test_an_empty_file_and_a_broken_line_are_named(tmp_path: Path):
    file = tmp_path / "answers.jsonl"
    file.write_text("", encoding="utf-8")
    with pytest.raises(ItemError, match="has no answers"):
        read_fixtures(file)
    file.write_text("[1]\n{\n", encoding="utf-8")
    with pytest.raises(ItemError, match="2 broken rows"):
        read_fixtures(file)


# ---------------------------------------------------------------- the checks


def test_many_prompts_of_every_dimension_have_checks(checked: list[Item]):
    counts = Counter(item.metadata["dimension"] for item in checked)
    assert set(counts) == set(DIMENSIONS)
    assert sum(counts.values()) >= 80 and min(counts.values()) >= 6
    assert counts["word_plays"] == 20


def test_every_check_accepts_the_best_answer_and_rejects_the_worst(checked: list[Item], answers: Answers):
    for item in checked:
        tiers = answers[item.id]
        for best, worst in zip(*(verify(item.checks, tiers[tier].answer) for tier in "AC"), strict=True):
            assert best.verdict is Verdict.HOLDS, (item.id, best)
            assert worst.verdict is Verdict.FAILS, (item.id, worst)


def test_no_check_is_undecided_on_a_middling_answer(checked: list[Item], answers: Answers):
    verdicts = Counter(overall(verify(item.checks, answers[item.id]["B"].answer)) for item in checked)
    assert not verdicts[Verdict.UNDECIDED]
    assert verdicts[Verdict.HOLDS] and verdicts[Verdict.FAILS]  # a rule and a judge may well differ here


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("culture_bound_semantics-2", "O provérbio correspondente é «Em Roma, faz como os romanos»."),
        ("discourse_analysis-1", "A Teresa prometeu ao irmão que no dia seguinte o acompanharia ao mercado."),
        ("discourse_analysis-8", "- **Data:** 17 de março\n- **Hora:** 20:30\n- **Local:** salão da Filarmónica"),
        (
            "discourse_analysis-20",
            "No tempo em que as tardes eram longas,\n\nNo tempo em que o mar era azul,\n\nNo tempo em que tu voltavas.",
        ),
        ("lexicology-12", "Seis palavras da família de «mar»: marinho, marítimo, maré, ultramar, submarino e marujo."),
        (
            "lexicology-17",
            "«Alface» veio da língua árabe, «futebol» da inglesa, «abajur» da francesa e «piano» da italiana.",
        ),
        ("morphology-5", "«Vou **para a** escola **a** pé e volto **de** autocarro, **pelas** seis da tarde.»"),
        ("morphology-12", "**Anoitecer**, **enriquecer** e **envelhecer**, por derivação parassintética."),
        ("phonetics_phonology-7", "1. Panela\n2. Canela\n3. Tigela\n4. Aguarela\n5. Cadela"),
        ("phonetics_phonology-13", "**lâmpada, mágico, público, árvore**"),
        ("phonetics_phonology-14", "«Eu sei que tu não vens cá.»"),
        ("word_plays-13", "- PÊRA\n- MAÇÃ\n- UVA"),
    ],
)
def test_other_right_answers_hold(question: str, answer: str, prompts: dict[str, Item]):
    findings = verify(prompts[question].checks, answer)
    assert overall(findings) is Verdict.HOLDS, findings


AROUND = (
    "Claro! Aqui está a minha resposta:\n\n{}",
    "{}\n\nEspero que ajude! Se precisares de mais alguma coisa, diz-me.",
    "## Resposta\n\n{}",
    "{}\n\nExplicação: segui a regra que me deste.",
    "```\n{}\n```",
)


@pytest.mark.parametrize("around", AROUND)
def test_what_models_write_around_an_answer_does_not_turn_a_verdict(around: str, checked: list[Item], answers: Answers):
    for item in checked:
        for tier, answer in answers[item.id].items():
            plain = overall(verify(item.checks, answer.answer))
            wrapped = overall(verify(item.checks, around.replace("{}", answer.answer)))
            assert wrapped in (plain, Verdict.UNDECIDED), (item.id, tier)


def test_checks_are_part_of_an_item_and_its_hash(checked: list[Item]):
    for item in checked:
        assert item_hash(item) != item_hash(replace(item, checks=()))


# ---------------------------------------------------------------- the recipe


def test_the_recipe_makes_the_bundled_files(tmp_path: Path):
    recipe = ROOT / "recipes" / "alba" / "assemble.py"
    subprocess.run([sys.executable, str(recipe), str(tmp_path)], check=True, capture_output=True, text=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    folder = load_suite("alba").folder
    assert made == {name: (folder / name).read_bytes() for name in ("prompts.jsonl", "answers.jsonl")}
