"""The BRoverbs suite: protocol, shots, and our own questions, held to the rules by which the paper's were made."""

import json
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from command_line import ROOT, sotaque
from sotaque.language.normalize import key
from sotaque.prompts.order import order_for
from sotaque.prompts.render import plan, render
from sotaque.records import Choose, Generate, Item, Message, RunSpec
from sotaque.suites.items import load_items
from sotaque.suites.suite import Suite, load_suite

LETTERS = "ABCDE"
TASKS = ("pts", "stp")
FILES = ("pts", "stp", "pts_examples", "stp_examples")
FUNCTION_WORDS = frozenset(
    "a o e é em que do da de no na à um uma dois só não se os as com quem tem mais tanto até quando nos dos".split()
) | {"para", "cada", "seu"}


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("broverbs")


@pytest.fixture(scope="module")
def items(suite: Suite) -> dict[str, tuple[Item, ...]]:
    return load_items(suite, "bundled").items


def stories(items: dict[str, tuple[Item, ...]]) -> dict[str, Item]:
    """Each story once, with the item that asks about it."""
    return {item.fields["input"]: item for name in ("stp", "stp_examples") for item in items[name]}


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


# ---------------------------------------------------------------- protocol


@pytest.mark.parametrize("name", TASKS)
def test_the_published_protocol_is_one_random_other_example(suite: Suite, name: str):
    protocols = suite.tasks[name].protocol
    assert protocols.published is not None
    assert (protocols.published.shots, protocols.published.pick, protocols.published.exclude) == (1, "random", "item")
    assert protocols.published.paper == "section 3.3"
    assert {"mode", "max_tokens", "temperature"} <= set(protocols.published.reconstructed)
    assert (protocols.default.shots, protocols.default.exclude) == (1, "cluster")
    assert protocols.default.why
    assert suite.tasks[name].metrics == ("accuracy",)


def test_the_average_is_of_the_two_tasks(suite: Suite):
    assert suite.averages["average"].of == suite.default_tasks == TASKS


def test_twins_ask_the_same_in_the_other_mode_and_are_ours(suite: Suite):
    for name in TASKS:
        twin = suite.tasks[suite.tasks[name].twin]
        assert (twin.mode, twin.twin, twin.source, twin.protocol.published) == ("choose", name, name, None)
        assert twin.protocol.default.shots == 0


@pytest.mark.parametrize("name", TASKS)
def test_a_question_follows_one_example_of_another_proverb_that_is_never_scored(suite: Suite, name: str):
    loaded = load_items(suite, "bundled", [name])
    task = suite.tasks[name]
    pool = {item.fields["input"]: item for item in loaded.files[f"{name}_examples"].items}
    for spec in (RunSpec("broverbs", "m"), RunSpec("broverbs", "m", protocol="published")):
        made = plan(task, loaded, spec, "chat")
        for item in loaded.files[name].items:
            request = render(made, item, order_for(item, None)).request
            assert isinstance(request, Generate)
            shot, answer, question = request.messages
            assert (shot.role, answer.role, question.role) == ("user", "assistant", "user")
            shown = next(other for text, other in pool.items() if f": {text}\n" in shot.content)
            assert answer.content == LETTERS[shown.gold or 0]
            assert shown.metadata["proverb"] != item.metadata["proverb"]
            assert item.fields["input"] in question.content
            assert item.metadata["explanation"] not in question.content
            block = [f"{letter}) {option.text}" for letter, option in zip(LETTERS, item.options, strict=True)]
            assert "\n".join(block) in question.content


def test_prompts_are_as_they_were_reviewed(suite: Suite):
    loaded = load_items(suite, "bundled", ["stp"])
    spec = RunSpec("broverbs", "m")
    item = next(item for item in loaded.files["stp"].items if item.id == "pressa-1")
    request = render(plan(suite.tasks["stp"], loaded, spec, "text"), item, order_for(item, None)).request
    assert isinstance(request, Generate)
    question = request.text.split("\n\nLeia a história")[-1]
    assert question == (
        " e descubra qual dos provérbios resume o que ela mostra.\n\n"
        "História: Querendo entregar o armário ainda na sexta, o marceneiro Adilson mediu de relance, cortou tudo de "
        "uma vez e dispensou a segunda conferência. As portas ficaram desiguais e as gavetas não corriam. Perdeu o "
        "sábado e o domingo refazendo o móvel do começo.\n\n"
        "A) A pressa é inimiga da perfeição\n"
        "B) Quem não tem cão caça com gato\n"
        "C) Quem conta um conto aumenta um ponto\n"
        "D) A mentira tem perna curta\n"
        "E) Mais vale um pássaro na mão do que dois voando\n\n"
        "Responda apenas com a letra do provérbio.\nResposta:"
    )


def test_the_twin_ends_just_before_the_proverb(suite: Suite):
    loaded = load_items(suite, "bundled", ["stp_prob"])
    item = loaded.files["stp"].items[0]
    made = plan(suite.tasks["stp_prob"], loaded, RunSpec("broverbs", "m"), "text")
    request = render(made, item, order_for(item, None)).request
    assert isinstance(request, Choose)
    assert request.context == f"{item.fields['input']} Como diz o ditado:"
    assert request.continuations == tuple(f" {option.text}" for option in item.options)


def test_the_oracle_is_always_right_and_chance_is_one_in_five(tmp_path: Path):
    ran = sotaque(
        "run",
        "broverbs",
        "--model",
        "baseline/oracle",
        "--model",
        "baseline/chance",
        "--out",
        tmp_path,
        "--mode",
        "all",
    )
    assert ran.code == 0, ran.err
    found: dict[str, set[float]] = {}
    for file in tmp_path.rglob("summary.json"):
        run = json.loads((file.parent / "run.json").read_text(encoding="utf-8"))
        summary = json.loads(file.read_text(encoding="utf-8"))
        values = {each["value"] for task in summary["tasks"].values() for each in task["metrics"].values()}
        found[run["model"]["name"]] = values
    assert found["baseline/oracle"] == {1.0}
    assert all(value == pytest.approx(0.2) for value in found["baseline/chance"])


# ---------------------------------------------------------------- the official rows


def official_rows(count: int) -> list[dict[str, object]]:
    """Of the published form, every word of it ours; the explanation is there for some."""
    return [
        {
            "input": f"ditado {number // 3}",
            "alternatives": [f"história {number}.{option}" for option in range(5 + number % 2)],
            "correct_index": number % 5,
        }
        | ({"explanation": f"sentido {number // 3}"} if number % 3 else {})
        for number in range(count)
    ]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    for split in ("proverb_to_history", "history_to_proverb"):
        lines = [json.dumps(row, ensure_ascii=False) for row in official_rows(60)]
        (tmp_path / f"{split}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_official_rows_cluster_by_proverb_and_may_have_any_number_of_alternatives(suite: Suite, published: Path):
    loaded = load_items(suite, str(published))
    task = suite.tasks["pts"]
    for name in TASKS:
        assert [item.id for item in loaded.items[name]] == [str(number) for number in range(60)]
        assert Counter(task.cluster_of(item) for item in loaded.items[name]) == dict.fromkeys(map(str, range(20)), 3)
    made = plan(task, loaded, RunSpec("broverbs", "m"), "chat")
    item = loaded.items["pts"][1]
    request = render(made, item, order_for(item, None)).request
    assert isinstance(request, Generate)
    assert "F) história 1.5" in request.messages[-1].content
    assert "sentido" not in "".join(message.content for message in request.messages)


def test_the_default_never_shows_the_same_proverb_and_the_published_protocol_may(suite: Suite, published: Path):
    loaded = load_items(suite, str(published))
    shown: dict[str, list[bool]] = {}
    for protocol in ("default", "published"):
        for seed in range(20):
            spec = RunSpec("broverbs", "m", protocol=protocol, seed=seed)
            made = plan(suite.tasks["pts"], loaded, spec, "chat")
            for item in loaded.items["pts"][::7]:
                request = render(made, item, order_for(item, None)).request
                assert isinstance(request, Generate)
                first, last = request.messages[0], request.messages[-1]
                assert first != Message("user", last.content)
                same = f"Provérbio: {item.fields['input']}\n" in first.content
                shown.setdefault(protocol, []).append(same)
    assert not any(shown["default"])
    assert any(shown["published"])


# ---------------------------------------------------------------- our own questions


def test_there_are_enough_questions_and_examples(items: dict[str, tuple[Item, ...]]):
    for name in TASKS:
        assert len(items[name]) >= 10
        assert len(items[f"{name}_examples"]) >= 12
        scored = {item.metadata["proverb"] for item in items[name]}
        examples = {item.metadata["proverb"] for item in items[f"{name}_examples"]}
        assert not scored & examples
        assert Counter(item.metadata["proverb"] for item in items[name]) == dict.fromkeys(scored, 2)


def test_every_question_has_five_options_of_five_proverbs(items: dict[str, tuple[Item, ...]]):
    proverb_of = {story: item.metadata["proverb"] for story, item in stories(items).items()}
    for name in FILES:
        for item in items[name]:
            texts = [option.text for option in item.options]
            proverbs = [proverb_of.get(text, text) for text in texts]
            assert len(set(proverbs)) == len(texts) == 5
            assert proverbs[item.gold or 0] == item.metadata["proverb"]
            assert {"explanation", "author", "review", "version"} <= item.metadata.keys()
            assert (item.metadata["author"], item.metadata["review"]) == ("model-written", "unreviewed")


@pytest.mark.parametrize("name", FILES)
def test_right_positions_are_balanced(items: dict[str, tuple[Item, ...]], name: str):
    counts = Counter(item.gold for item in items[name])
    assert len(counts) == 5
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("best", [max, min])
def test_neither_length_nor_frequency_gives_the_answer_away(items: dict[str, tuple[Item, ...]], name: str, best):
    used = Counter(option.text for item in items[name] for option in item.options)
    for measure in (len, used.__getitem__):
        total = 0.0
        for item in items[name]:
            found = [measure(option.text) for option in item.options]
            total += (found[item.gold or 0] == best(found)) / found.count(best(found))
        assert 0.12 <= total / len(items[name]) <= 0.28


def test_stories_are_of_one_length_and_name_a_person(items: dict[str, tuple[Item, ...]]):
    found = stories(items)
    assert len(found) == 36
    named: list[str] = []
    for story in found:
        assert 150 <= len(story) <= 400
        inside = re.findall(r"(?<![.!?] )(?<!^)\b[A-ZÁÉÍÓÚÂÊÔÃÕÇ][\wáéíóúâêôãõç]+", story)
        starts = re.findall(r"(?:^|[.!?] )([A-ZÁÉÍÓÚÂÊÔÃÕÇ][\wáéíóúâêôãõç]+)", story)
        named.append((inside or starts)[0])
        assert story.count(".") >= 2
        assert story[-1] == "."
    assert len(set(named)) == len(named)


def test_no_story_has_a_content_word_of_its_proverb(items: dict[str, tuple[Item, ...]]):
    for story, item in stories(items).items():
        content = [word for word in words(item.metadata["proverb"]) if word not in FUNCTION_WORDS]
        assert content
        for word in content:
            stem = word[:5] if len(word) > 3 else None
            hits = [used for used in words(story) if used == word or (stem and used.startswith(stem))]
            assert not hits, (item.id, word, hits)


def test_two_stories_of_a_proverb_share_few_words(items: dict[str, tuple[Item, ...]]):
    by_proverb: dict[str, list[set[str]]] = {}
    for item in items["stp"]:
        by_proverb.setdefault(item.metadata["proverb"], []).append(set(words(item.fields["input"])))
    for proverb, (one, two) in by_proverb.items():
        assert 1 - len(one & two) / len(one | two) > 0.75, proverb


def test_texts_are_clean(items: dict[str, tuple[Item, ...]]):
    for name in FILES:
        for item in items[name]:
            for text in (
                *item.fields.values(),
                item.metadata["explanation"],
                *(option.text for option in item.options),
            ):
                assert unicodedata.is_normalized("NFC", text)
                assert text == text.strip()
                assert not re.search(r"\s{2}|\s[,.;:!?]|[^\w\s,.;:?!()-]", text), text


@pytest.mark.parametrize("word", ["autocarro", "telemóvel", "comboio", "facto", "rapariga", "pequeno-almoço", "sítio"])
def test_stories_are_brazilian(items: dict[str, tuple[Item, ...]], word: str):
    assert not [story for story in stories(items) if word in key(story, "pt-BR")]
    assert not [story for story in stories(items) if re.search(r"\best(?:á|ava|avam|ou|ão) a \w+r\b", story)]


def test_the_recipe_makes_the_bundled_files(tmp_path: Path):
    recipe = ROOT / "recipes" / "broverbs" / "assemble.py"
    subprocess.run([sys.executable, str(recipe), str(tmp_path)], check=True, capture_output=True, text=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    folder = load_suite("broverbs").folder
    assert made == {f"{name}.jsonl": (folder / f"{name}.jsonl").read_bytes() for name in FILES}
