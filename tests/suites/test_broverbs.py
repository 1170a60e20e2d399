"""The BRoverbs suite: protocol, shots, and our own questions, held to the rules by which the paper's were made."""

import difflib
import json
import re
import subprocess
import sys
import tomllib
import unicodedata
from collections import Counter
from itertools import chain, combinations
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
FILES = tuple(f"{task}{variant}{part}" for part in ("", "_examples") for variant in ("", "_10") for task in TASKS)
SCORED = ("pts", "stp", "pts_10", "stp_10")
RECIPE = ROOT / "recipes" / "broverbs"
NAME = r"[A-ZÁÉÍÓÚÂÊÔÃÕÇ][\wáéíóúâêôãõç]+"
FUNCTION_WORDS = frozenset(
    "a ao aquele as com cada da de depois do dos dois e em eu ha mais me mesma meu na nao nas nem no nos nunca o onde "
    "os ou para pela por quando que quem se seu seus so sobre sua te tem todos tudo um uma vai vao vem voce".split()
)


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
    """In lower case and without accents."""
    decomposed = unicodedata.normalize("NFD", text.lower())
    return re.findall(r"\w+", "".join(char for char in decomposed if not unicodedata.combining(char)))


def content_words(proverb: str) -> list[str]:
    return [word for word in words(proverb) if word not in FUNCTION_WORDS]


def shown(proverb: str, story: str) -> list[str]:
    """The words of a story that begin as a content word of the proverb does, or are it where that is short."""
    content = content_words(proverb)
    return [
        used
        for used in words(story)
        for word in content
        if used == word or (len(word) > 3 and used.startswith(word[:5]))
    ]


def proverb_behind(items: dict[str, tuple[Item, ...]], option: str) -> str:
    """The proverb that an option is, or that the story which it is was written for."""
    return {story: item.metadata["proverb"] for story, item in stories(items).items()}.get(option, option)


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
        "B) Mais vale um pássaro na mão do que dois voando\n"
        "C) Santo de casa não faz milagre\n"
        "D) Quem não arrisca não petisca\n"
        "E) Quem não tem cão caça com gato\n\n"
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


def test_ten_alternatives_are_asked_as_five_are_but_were_not_published(suite: Suite):
    for name in TASKS:
        five, ten = suite.tasks[name], suite.tasks[f"{name}_10"]
        assert (ten.prompt, ten.mode, ten.labels, ten.metrics) == (five.prompt, five.mode, five.labels, five.metrics)
        assert ten.protocol.published is None
        assert (ten.protocol.default.shots, ten.protocol.default.exclude) == (1, "cluster")
        assert ten.name not in suite.default_tasks
        loaded = load_items(suite, "bundled", [ten.name])
        item = loaded.files[ten.source].items[0]
        request = render(plan(ten, loaded, RunSpec("broverbs", "m"), "chat"), item, order_for(item, None)).request
        assert isinstance(request, Generate)
        assert f"\nJ) {item.options[9].text}\n" in request.messages[-1].content


def test_the_oracle_is_always_right_and_chance_is_one_in_as_many_as_there_are_options(tmp_path: Path):
    models = ("--model", "baseline/oracle", "--model", "baseline/chance")
    ran = sotaque("run", "broverbs", *models, "--out", tmp_path, "--mode", "all")
    assert ran.code == 0, ran.err
    found: dict[tuple[str, str], set[float]] = {}
    for file in tmp_path.rglob("summary.json"):
        run = json.loads((file.parent / "run.json").read_text(encoding="utf-8"))
        for name, task in json.loads(file.read_text(encoding="utf-8"))["tasks"].items():
            values = {each["value"] for each in task["metrics"].values()}
            found.setdefault((run["model"]["name"], name), set()).update(values)
    assert {name for _, name in found} == {"pts", "stp", "pts_10", "stp_10", "pts_prob", "stp_prob"}
    for (model, name), values in found.items():
        wanted = 1.0 if model == "baseline/oracle" else 0.1 if name.endswith("_10") else 0.2
        assert all(value == pytest.approx(wanted) for value in values)


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


def test_64_proverbs_are_asked_about_three_times_and_examples_are_of_20_others(items: dict[str, tuple[Item, ...]]):
    scored = Counter(item.metadata["proverb"] for item in items["pts"])
    examples = Counter(item.metadata["proverb"] for item in items["pts_examples"])
    assert (len(scored), set(scored.values())) == (64, {3})
    assert (len(examples), set(examples.values())) == (20, {1})
    assert not scored.keys() & examples.keys()
    for name in FILES:
        wanted = examples if name.endswith("_examples") else scored
        assert Counter(item.metadata["proverb"] for item in items[name]) == wanted
        assert {item.id for item in items[name]} == {
            item.id for item in items[f"pts{'_examples' * (wanted is examples)}"]
        }


@pytest.mark.parametrize("name", FILES)
def test_every_question_has_its_options_from_as_many_proverbs(items: dict[str, tuple[Item, ...]], name: str):
    part = {item.metadata["proverb"] for item in items[name]}
    for item in items[name]:
        texts = [option.text for option in item.options]
        proverbs = [proverb_behind(items, text) for text in texts]
        assert len(set(proverbs)) == len(texts) == (10 if "_10" in name else 5)
        assert set(proverbs) <= part
        assert proverbs[item.gold or 0] == item.metadata["proverb"]
        assert {"explanation", "tests", "author", "review", "version"} <= item.metadata.keys()
        assert (item.metadata["author"], item.metadata["review"]) == ("model-written", "unreviewed")


@pytest.mark.parametrize("name", FILES)
def test_right_positions_are_balanced(items: dict[str, tuple[Item, ...]], name: str):
    counts = Counter(item.gold for item in items[name])
    assert len(counts) == (10 if "_10" in name else 5)
    assert max(counts.values()) - min(counts.values()) <= 1


@pytest.mark.parametrize("name", FILES)
def test_every_option_is_used_as_often_as_any_other(items: dict[str, tuple[Item, ...]], name: str):
    """Then neither the one that is seen least nor the one that is seen most gives the answer away."""
    assert len({*Counter(option.text for item in items[name] for option in item.options).values()}) == 1
    wrong = Counter(
        proverb_behind(items, option.text)
        for item in items[name]
        for option in item.options
        if proverb_behind(items, option.text) != item.metadata["proverb"]
    )
    assert len({*wrong.values()}) == 1


def marks(text: str) -> int:
    return len(re.findall(r"[^\w\s]", text))


def overlap(option: str, question: str) -> int:
    return len({*words(option)} & {*words(question)})


@pytest.mark.parametrize("name", SCORED)
@pytest.mark.parametrize("rule", ["longest", "shortest", "first", "most punctuation", "least punctuation", "overlap"])
def test_no_rule_that_reads_the_options_only_does_better_than_chance(
    items: dict[str, tuple[Item, ...]], name: str, rule: str
):
    total, chance = 0.0, 0.0
    for item in items[name]:
        texts = [option.text for option in item.options]
        measures = {
            "longest": [len(text) for text in texts],
            "shortest": [-len(text) for text in texts],
            "first": [-place for place in range(len(texts))],
            "most punctuation": [marks(text) for text in texts],
            "least punctuation": [-marks(text) for text in texts],
            "overlap": [overlap(text, item.fields["input"]) for text in texts],
        }
        found = measures[rule]
        total += (found[item.gold or 0] == max(found)) / found.count(max(found))
        chance += 1 / len(texts)
    assert total / len(items[name]) <= chance / len(items[name]) + 0.06


def test_stories_are_of_one_length_and_name_a_person(items: dict[str, tuple[Item, ...]]):
    found = stories(items)
    assert len(found) == 212
    common = {word for story in found for word in re.findall(r"\b[a-záéíóúâêôãõàç]\w*", story)}
    for story in found:
        assert 200 <= len(story) <= 330
        assert [word for word in re.findall(NAME, story) if word.lower() not in common], story
        assert story.count(".") >= 2
        assert story[-1] == "."


def test_no_two_stories_are_about_people_of_one_name(items: dict[str, tuple[Item, ...]]):
    places_and_offices = {"São", "Paulo", "Câmara"}
    found = stories(items)
    common = {word for story in found for word in re.findall(r"\b[a-záéíóúâêôãõàç]\w*", story)}
    named = Counter(word for story in found for word in {*re.findall(NAME, story)} if word.lower() not in common)
    assert {name for name, times in named.items() if times > 1} <= places_and_offices


def test_no_story_has_a_content_word_of_its_proverb(items: dict[str, tuple[Item, ...]]):
    for story, item in stories(items).items():
        assert content_words(item.metadata["proverb"])
        assert not shown(item.metadata["proverb"], story), item.id


@pytest.mark.parametrize("name", FILES)
def test_no_story_shows_words_of_a_proverb_that_it_stands_beside(items: dict[str, tuple[Item, ...]], name: str):
    for item in items[name]:
        for option in item.options:
            proverb, story = (item.fields["input"], option.text)
            if name.startswith("stp"):
                proverb, story = story, proverb
            assert not shown(proverb, story), (item.id, proverb)


def test_stories_of_a_proverb_share_few_words(items: dict[str, tuple[Item, ...]]):
    by_proverb: dict[str, list[set[str]]] = {}
    for item in items["stp"]:
        by_proverb.setdefault(item.metadata["proverb"], []).append({*words(item.fields["input"])})
    for proverb, three in by_proverb.items():
        for one, two in combinations(three, 2):
            assert 1 - len(one & two) / len(one | two) > 0.85, proverb


def test_no_two_stories_proverbs_or_explanations_are_nearly_the_same(items: dict[str, tuple[Item, ...]]):
    every = [*stories(items).values()]
    groups = (
        {item.fields["input"] for item in every},
        {item.metadata["proverb"] for item in every},
        {item.metadata["explanation"] for item in every},
    )
    for texts in groups:
        parts = {
            text: Counter(zip(text, text[1:], text[2:], strict=False)) for text in {key(one, "pt-BR") for one in texts}
        }
        assert len(parts) == len(texts)
        for one, two in combinations(sorted(parts), 2):
            # Texts that are nearly the same share most of their trigrams; the exact ratio is slow.
            if (parts[one] & parts[two]).total() >= 0.4 * max(len(one), len(two)) - 2:
                assert difflib.SequenceMatcher(None, one, two, autojunk=False).ratio() < 0.85, (one, two)


def test_texts_are_clean(items: dict[str, tuple[Item, ...]]):
    texts = {
        text
        for item in chain.from_iterable(items[name] for name in FILES)
        for text in (*item.fields.values(), item.metadata["explanation"], *(option.text for option in item.options))
    }
    for text in texts:
        assert unicodedata.is_normalized("NFC", text)
        assert text == text.strip()
        assert not re.search(r"\s{2}|\s[,.;:!?]|[^\w\s,.;:?!()-]", text), text


@pytest.mark.parametrize("word", ["autocarro", "telemóvel", "comboio", "facto", "rapariga", "pequeno-almoço", "equipa"])
def test_stories_are_brazilian(items: dict[str, tuple[Item, ...]], word: str):
    assert not [story for story in stories(items) if word in key(story, "pt-BR").split()]
    assert not [story for story in stories(items) if re.search(r"\best(?:á|ava|avam|ou|ão) a \w+r\b", story)]


# ---------------------------------------------------------------- the tables and the recipe


def tables() -> tuple[dict[str, dict[str, str]], dict[str, dict[str, list[str]]]]:
    found = [tomllib.loads((RECIPE / name).read_text(encoding="utf-8")) for name in ("proverbs.toml", "kin.toml")]
    return found[0], found[1]


def test_each_pair_of_kin_is_written_once_with_its_reason_and_joins_one_part():
    table, kin = tables()
    written = [(one, other) for one, reasons in kin.items() for others in reasons.values() for other in others]
    assert {reason for reasons in kin.values() for reason in reasons} == {"same", "opposite", "fits"}
    assert len({frozenset(pair) for pair in written}) == len(written) > 300
    order = list(table)
    for one, other in written:
        assert order.index(one) < order.index(other)
        assert table[one]["part"] == table[other]["part"]


@pytest.mark.parametrize("name", FILES)
def test_kin_never_meet_whichever_of_them_is_asked(items: dict[str, tuple[Item, ...]], name: str):
    table, kin = tables()
    slug_of = {row["proverb"]: slug for slug, row in table.items()}
    apart = {frozenset((one, other)) for one, why in kin.items() for others in why.values() for other in others}
    for item in items[name]:
        asked = slug_of[item.metadata["proverb"]]
        met = {slug_of[proverb_behind(items, option.text)] for option in item.options} - {asked}
        assert not {frozenset((asked, other)) for other in met} & apart, item.id


def test_the_recipe_makes_the_bundled_files(tmp_path: Path):
    script = RECIPE / "assemble.py"
    subprocess.run([sys.executable, str(script), str(tmp_path)], check=True, capture_output=True, text=True)
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    folder = load_suite("broverbs").folder
    assert made == {f"{name}.jsonl": (folder / f"{name}.jsonl").read_bytes() for name in FILES}


def test_the_recipe_says_so_when_too_many_proverbs_are_kin(tmp_path: Path):
    for name in ("assemble.py", "proverbs.toml", "kin.toml"):
        (tmp_path / name).write_text((RECIPE / name).read_text(encoding="utf-8"), encoding="utf-8")
    slugs = [slug for slug, row in tables()[0].items() if row["part"] == "scored"]
    apart = f'["pior-cego"]\nsame = {json.dumps([slug for slug in slugs if slug != "pior-cego"])}\n'
    (tmp_path / "kin.toml").write_text(apart, encoding="utf-8")
    ran = subprocess.run([sys.executable, str(tmp_path / "assemble.py"), str(tmp_path)], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "has too few proverbs it may meet: take some out of kin.toml" in ran.stderr
    (tmp_path / "kin.toml").write_text('[pressa]\nsame = ["presa"]\n', encoding="utf-8")
    ran = subprocess.run([sys.executable, str(tmp_path / "assemble.py"), str(tmp_path)], capture_output=True, text=True)
    assert ran.returncode == 1
    assert "'presa' is not in proverbs.toml" in ran.stderr
