"""The bundled Brasilidade suite: the paper's 27 tasks, and our own items, held to what a careful editor would ask."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from fake_hub import COMMIT, Hub, Repository, running_hub
from optional_parts import require_module
from published_rows import SHAPES, Row, as_jsonl, write_csv, write_jsonl
from sotaque.data.sources import pull
from sotaque.engine.store import Store
from sotaque.errors import ItemError, UsageError
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.models.catalog import open_model
from sotaque.prompts.render import plan, render
from sotaque.records import Choose, Generate, Item, RunSpec
from sotaque.scoring.extract import extract
from sotaque.suites.asked import SuiteItems
from sotaque.suites.items import find_source, load_items
from sotaque.suites.suite import Suite, load_suite

TWINS = {
    "br_def_expr": "var",
    "br_expr_def": "var",
    "br_region_exp": "fix",
    "pt_aum": "var",
    "pt_dim": "var",
    "pt_category": "fix",
    "pt_comp_type": "fix",
    "pt_count_morf": "fix",
    "pt_der_comp": "fix",
    "pt_der_type": "fix",
    "pt_expr_class": "fix",
    "pt_word_class": "fix",
}
EXAMPLE = "qa_exemplo"
DIRECT = ("pt_conjugate", "pt_correct", "pt_morfema")
TASKS = [*(f"{name}_{mode}" for name in TWINS for mode in ("gen", "prob")), *DIRECT]
CHOICES = [name for name in TASKS if name not in DIRECT]
FIXED = [f"{name}_gen" for name, kind in TWINS.items() if kind == "fix"]

LETTERS = set("abcdefghijklmnopqrstuvwxyzáâãàçéêíóôõúABCDEFGHIJKLMNOPQRSTUVWXYZÁÂÃÀÇÉÊÍÓÔÕÚ0123456789")
PUNCTUATION = set(" .,;:!?<>()'\"-+—_\n")
EUROPEAN = re.compile(
    r"\b(autocarro|telemóvel|comboio|pequeno-almoço|casa de banho|facto|contacto|equipa|rapariga|connosco|bué|fixe"
    r"|acção|receção|conceção|António|económic\w+|(?:está|estou|estão|estava|estavam) a \w+[aei]r)\b",
    re.IGNORECASE,
)
EUROPEAN_SAYS = ("O autocarro está a chegar.", "Ele estava a dormir.", "De facto, a receção foi boa.")


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("brasilidade")


@pytest.fixture(scope="module")
def loaded(suite: Suite) -> SuiteItems:
    return load_items(suite, "bundled")


def gold(item: Item) -> str:
    return item.answers[0] if item.gold is None else item.options[item.gold].text


# ---------------------------------------------------------------- tasks


def test_the_tasks_are_the_papers_27_and_all_are_run_by_default(suite: Suite):
    assert sorted(suite.default_tasks) == sorted(TASKS)
    assert len(suite.default_tasks) == 27
    assert sum(task.mode == "choose" for task in suite.tasks.values()) == 12


def test_the_example_of_qa_gen_is_no_task_of_the_paper(suite: Suite, loaded: SuiteItems):
    assert set(suite.tasks) - set(TASKS) == {EXAMPLE}
    task, published = suite.tasks[EXAMPLE], suite.tasks[EXAMPLE].protocol.published
    assert "does not have" in task.about
    assert published is not None
    assert (published.shots, published.pick, published.max_tokens) == (10, "first", 100)
    assert (task.protocol.default.shots, task.protocol.default.max_tokens) == (10, 100)
    assert any("no published one" in each for each in published.reconstructed)
    assert task.metrics == ("bertscore_f1",)
    assert task.encoder is not None
    assert task.encoder.model == "neuralmind/bert-large-portuguese-cased"
    assert not any(EXAMPLE in average.of for average in suite.averages.values())
    for item in (*loaded.tasks[EXAMPLE].items, *loaded.tasks[EXAMPLE].pool):
        assert len(item.answers) == 1
        assert item.answers[0].endswith(".")
        assert len(item.answers[0].split()) <= 40  # fits into 100 tokens


@pytest.mark.parametrize("name", TWINS)
def test_twins_ask_the_same_items_in_two_modes(name: str, suite: Suite):
    gen, prob = suite.tasks[f"{name}_gen"], suite.tasks[f"{name}_prob"]
    assert (gen.twin, prob.twin) == (f"{name}_prob", f"{name}_gen")
    assert (gen.template, prob.template) == (f"{TWINS[name]}_class_gen", f"{TWINS[name]}_class_prob")
    assert (gen.source, gen.classes, gen.gold) == (prob.source, prob.classes, prob.gold)
    assert gen.metrics[0] == prob.metrics[0] == ("weighted_f1" if TWINS[name] == "fix" else "accuracy")


PUBLISHED = {
    "direct_gen": (10, "first", 50),
    "fix_class_gen": (5, "first", 64),
    "var_class_gen": (5, "first", 64),
    "fix_class_prob": (0, None, None),
    "var_class_prob": (0, None, None),
}


@pytest.mark.parametrize("name", TASKS)
def test_the_published_protocol_is_the_papers(name: str, suite: Suite):
    task = suite.tasks[name]
    published, default = task.protocol.published, task.protocol.default
    assert published is not None
    shots, pick, tokens = PUBLISHED[task.template]
    assert (published.shots, published.temperature) == (shots, 0.0)
    assert published.paper.startswith("sections 4.3")
    assert published.reconstructed
    assert default.shots == shots
    if task.mode == "generate":
        assert (published.pick, published.exclude, published.max_tokens) == (pick, "item", tokens)
        assert published.stop == ("\n\n\n",)
        assert (default.pick, default.exclude) == ("random" if task.is_open else "balanced", "cluster")
        assert default.why


def test_options_that_the_paper_does_not_list_are_marked_as_reconstructed(suite: Suite):
    unlisted = {name for name in TWINS if "which options there are" in _open_points(suite, f"{name}_gen")}
    assert unlisted == {"br_region_exp", "pt_category", "pt_comp_type", "pt_der_type", "pt_expr_class"}
    for name in unlisted:
        assert "which options there are" in _open_points(suite, f"{name}_prob")


def _open_points(suite: Suite, name: str) -> tuple[str, ...]:
    published = suite.tasks[name].protocol.published
    assert published is not None
    return published.reconstructed


def test_averages_are_those_of_table_1(suite: Suite):
    for mode, group in (("gen", "Gen"), ("prob", "Prob")):
        variation, grammar = suite.averages[f"language_variation_{mode}"], suite.averages[f"grammar_{mode}"]
        assert set(variation.of) == {f"{name}_{mode}" for name in TWINS if name.startswith("br_")}
        direct = set(DIRECT) if mode == "gen" else set()
        assert set(grammar.of) == {f"{name}_{mode}" for name in TWINS if name.startswith("pt_")} | direct
        overall = suite.averages[f"overall_{mode}"]
        assert set(overall.of) == {f"language_variation_{mode}", f"grammar_{mode}"}
        assert variation.group == grammar.group == overall.group == group


# ---------------------------------------------------------------- prompts


@pytest.mark.parametrize("protocol", ["published", "default"])
@pytest.mark.parametrize("name", TASKS)
def test_every_item_renders_with_its_shots(name: str, protocol: str, suite: Suite, loaded: SuiteItems):
    task, items = suite.tasks[name], loaded.tasks[name].items
    drawn = plan(task, loaded, RunSpec(suite="brasilidade", model="m", protocol=protocol), "text")
    for item in items:
        request = render(drawn, item, tuple(range(len(item.options)))).request
        if isinstance(request, Choose):
            assert len(request.continuations) == len(item.options)
            assert "Pergunta:" not in request.context
            assert request.context == request.context.strip()
            assert not re.search(r"\{\w+\}", request.context)
            continue
        assert isinstance(request, Generate)
        assert request.text.count("Pergunta: ") == request.text.count("\nResposta:") == drawn.protocol.shots + 1
        assert request.text.endswith("\nResposta:")
        for option in item.options:
            assert f"\n{option.text}\n" in request.text


@pytest.mark.parametrize("name", [name for name in TASKS if not name.endswith("_prob")])
def test_published_shots_are_the_first_examples(name: str, suite: Suite, loaded: SuiteItems):
    drawn = plan(suite.tasks[name], loaded, RunSpec(suite="brasilidade", model="m", protocol="published"), "chat")
    assert loaded.tasks[name].examples is not None
    first = [gold(item) for item in loaded.tasks[name].pool[: drawn.protocol.shots]]
    for item in loaded.tasks[name].items:
        request = render(drawn, item, tuple(range(len(item.options)))).request
        assert isinstance(request, Generate)
        assert [turn.content for turn in request.messages if turn.role == "assistant"] == first
        assert request.messages[0].role == "system"


@pytest.mark.parametrize("name", FIXED)
def test_default_shots_have_their_classes_in_balance(name: str, suite: Suite, loaded: SuiteItems):
    task = suite.tasks[name]
    drawn = plan(task, loaded, RunSpec(suite="brasilidade", model="m"), "chat")
    for item in loaded.tasks[name].items:
        request = render(drawn, item, tuple(range(len(item.options)))).request
        assert isinstance(request, Generate)
        answers = Counter(turn.content for turn in request.messages if turn.role == "assistant")
        counts = [answers[text] for text in task.classes]
        assert sum(counts) == 5
        assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("name", TASKS)
def test_the_instruction_names_language_and_format(name: str, suite: Suite):
    task = suite.tasks[name]
    if task.mode == "choose":
        assert not task.system
        return
    assert task.system.startswith("Você é um assistente virtual especialista em ")
    assert "sempre em português brasileiro" in task.system
    assert "somente com o conteúdo final" in task.system
    assert all(text in task.system for text in task.classes)
    assert task.anchor == "Resposta:"


@pytest.mark.parametrize(
    "reply",
    ["{gold}", "{bare}", "{gold}.", "Resposta: {gold}", "**{gold}**", "A resposta correta é {gold}", "{gold}\n\n"],
)
@pytest.mark.parametrize("name", [f"{name}_gen" for name in TWINS])
def test_the_right_option_is_read_however_it_is_decorated(name: str, reply: str, suite: Suite, loaded: SuiteItems):
    for item in loaded.tasks[name].items:
        reading, options = suite.tasks[name].reading(len(item.options)), [option.text for option in item.options]
        text = reply.format(gold=gold(item), bare=gold(item).replace('"', ""))
        read = extract(text, labels=reading.labels, options=options, languages=reading.languages, form=reading.form)
        assert read.position == item.gold, (text, read)
        letter = extract("E", labels=reading.labels, options=options, languages=reading.languages, form=reading.form)
        assert letter.position is None  # no letters were shown


def test_the_oracle_is_right_on_every_task(suite: Suite, tmp_path: Path):
    with Store(tmp_path / "replies.sqlite") as store:
        desk = Desk(store, runs=tmp_path / "runs")
        spec = RunSpec(suite="brasilidade", model="baseline/oracle")
        found = evaluate(suite, open_model("baseline/oracle"), spec, desk).summary
    assert {name: task.headline.value for name, task in found.tasks.items()} == dict.fromkeys(TASKS, 1.0)


# ---------------------------------------------------------------- our own items


def test_our_own_items_are_marked_as_ours_and_unreviewed(suite: Suite, loaded: SuiteItems):
    source = suite.sources["bundled"]
    assert (source.comparable, source.provenance.author, source.provenance.review) == (
        False,
        "model-written",
        "unreviewed",
    )
    for file in loaded.files.values():
        for item in file.items:
            assert (item.metadata["author"], item.metadata["review"]) == ("model-written", "unreviewed")
            assert re.fullmatch("[1-9][0-9]*", item.metadata["version"])
            assert not item.irregular


@pytest.mark.parametrize("name", [*TASKS, EXAMPLE])
def test_there_are_enough_items_and_examples(name: str, loaded: SuiteItems):
    task = loaded.tasks[name]
    assert len(task.items) >= 10
    assert task.examples is not None
    assert len(task.examples.items) >= 12


@pytest.mark.parametrize("name", [*TASKS, EXAMPLE])
def test_no_example_is_a_scored_item_or_shares_its_cluster(name: str, suite: Suite, loaded: SuiteItems):
    task = suite.tasks[name]
    scored, examples = loaded.tasks[name].items, loaded.tasks[name].pool
    if name != "pt_conjugate":  # where the same verb may come again in another tense, and is kept apart by its cluster
        assert not {task.cluster_of(item) for item in scored} & {task.cluster_of(item) for item in examples}
    prompts = [{item.fields[field] for field in ("pergunta", "question", "termo", "frase_incorreta") if field in
                item.fields} for item in (*scored, *examples)]  # fmt: skip
    texts = [text for each in prompts for text in each]
    assert len(texts) == len(set(texts)) == len(scored) + len(examples)


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("part", ["items", "pool"])
def test_every_class_is_there_and_none_prevails(name: str, part: str, suite: Suite, loaded: SuiteItems):
    counts = Counter(gold(item) for item in getattr(loaded.tasks[name], part))
    assert counts.keys() == set(suite.tasks[name].classes)
    limit = 13 if name == "pt_der_comp_gen" else 2  # all derived and all composed words are asked there
    assert max(counts.values()) - min(counts.values()) <= limit


@pytest.mark.parametrize("name", [f"{name}_gen" for name, kind in TWINS.items() if kind == "var"])
def test_neither_place_nor_length_gives_the_answer_away(name: str, loaded: SuiteItems):
    items = loaded.tasks[name].items
    places = Counter(item.gold for item in items)
    assert len(places) == len(items[0].options)
    assert max(places.values()) - min(places.values()) <= 1
    for best in (max, min):
        assert abs(_share(items, best) - 1 / len(items[0].options)) <= 0.1


def _share(items: Sequence[Item], best) -> float:
    total = 0.0
    for item in items:
        lengths = [len(option.text) for option in item.options]
        if lengths[item.gold or 0] == best(lengths):
            total += 1 / lengths.count(best(lengths))
    return total / len(items)


def test_an_option_is_right_as_often_as_every_other_in_its_group(loaded: SuiteItems):
    """So that neither the rarest option nor one known from another question gives an answer away."""
    for name in ("br_def_expr_gen", "br_expr_def_gen"):
        shown = Counter(option.text for item in loaded.tasks[name].items for option in item.options)
        assert set(shown.values()) == {4}
        assert {gold(item) for item in loaded.tasks[name].items} == shown.keys()


def test_expressions_are_balanced_over_regions(loaded: SuiteItems):
    task = loaded.tasks["br_region_exp_gen"]
    for part, each in ((task.items, {20}), (task.pool, {3, 4})):
        counts = Counter(item.metadata["regiao"] for item in part)
        assert counts.keys() == {"Norte", "Nordeste", "Centro-Oeste", "Sudeste", "Sul", "Geral"}
        assert set(counts.values()) == each


def test_expressions_and_definitions_are_the_same_in_both_directions(loaded: SuiteItems):
    for suffix, count in (("", 120), ("_examples", 20)):
        pairs = [
            {(item.fields["expressao"], item.fields["definicao"]) for item in loaded.files[f"{key}{suffix}"].items}
            for key in ("def_expr_region", "expr_def_region")
        ]
        assert pairs[0] == pairs[1]
        assert len(pairs[0]) == count


def test_a_correction_changes_little(loaded: SuiteItems):
    for item in (*loaded.tasks["pt_correct"].items, *loaded.tasks["pt_correct"].pool):
        wrong, right = (
            re.findall(r"[\w-]+|[^\w\s]", item.fields[f"frase_{which}"]) for which in ("incorreta", "corrigida")
        )
        assert sum((Counter(wrong) - Counter(right)).values()) <= 2, item.id
        assert sum((Counter(right) - Counter(wrong)).values()) <= 2, item.id


def _tokens(text: str) -> list[str]:
    return re.findall(r"[\w-]+|[^\w\s]", text)


@pytest.mark.parametrize("text", EUROPEAN_SAYS)
def test_the_cues_for_european_portuguese_find_it(text: str):
    assert EUROPEAN.search(text)


def test_the_text_is_clean_brazilian_portuguese(suite: Suite, loaded: SuiteItems):
    prompts = [text for task in suite.tasks.values() for text in (task.prompt, task.system)]
    prompts = [re.sub(r"\{\w+\}", "texto", text) for text in prompts]
    items = [item for file in loaded.files.values() for item in file.items]
    texts = [text for item in items for text in (*item.fields.values(), *(option.text for option in item.options))]
    for text in (*prompts, *texts):
        assert unicodedata.is_normalized("NFC", text)
        assert text == text.strip()
        assert "  " not in text
        assert not set(text) - LETTERS - PUNCTUATION, text
        assert not EUROPEAN.search(text), text


# ---------------------------------------------------------------- the published fields, in a folder

NOT_OF_ALL_WORDS = {"pt_comp_type": 4, "pt_der_type": 8, "pt_count_morf": 8, "pt_morfema": 8}
OTHER_CONJUGATIONS = "conjugacoes_portugues_qa_evaluation"


COMPOUND = {"derivacao": None, "composicao": "Composição por aglutinação", "morfema_1": None, "morfema_2": None}


def many(row: Row, count: int = 12) -> list[Row]:
    """That many different rows of a shape; every third word is a compound."""
    rows: list[Row] = []
    for number in range(count):
        changed = {name: f"{row[name]} ({number})" for name in ("termo", "frase_incorreta", "question") if name in row}
        changed |= {"id": number} if "id" in row else {}
        changed |= {"pergunta": f"{row['pergunta']} ({number})"} if "pergunta" in row else {}
        changed |= COMPOUND if "termo" in row and number % 3 == 0 else {}
        rows.append(row | changed)
    return rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, row in SHAPES.items():
        write_jsonl(tmp_path / f"{name}.jsonl", many(row))
    return tmp_path


def test_a_folder_with_the_published_files_serves_all_27_tasks(folder: Path, suite: Suite):
    loaded = load_items(suite, str(folder))
    assert loaded.declared == "official"
    assert not loaded.spec.comparable
    for name, task in loaded.tasks.items():
        assert task.examples is None
        applicable = next((count for start, count in NOT_OF_ALL_WORDS.items() if name.startswith(start)), 12)
        assert (len(task.items), task.asked.not_applicable) == (applicable, 12 - applicable), name


def test_the_conjugation_set_is_known_under_both_names(folder: Path, suite: Suite):
    (folder / f"{OTHER_CONJUGATIONS}_reduced.jsonl").rename(folder / f"{OTHER_CONJUGATIONS}.jsonl")
    assert load_items(suite, str(folder), ["pt_conjugate"]).declared == "official_full"
    assert len(load_items(suite, str(folder)).tasks["pt_conjugate"].items) == 12


def test_csv_files_do_as_well(folder: Path, suite: Suite):
    as_jsonl = load_items(suite, str(folder)).items
    for name, row in SHAPES.items():
        (folder / f"{name}.jsonl").unlink()
        write_csv(folder / f"{name}.csv", many(row))
    assert load_items(suite, str(folder)).items == as_jsonl


def test_a_class_that_no_task_knows_is_named_with_file_and_line(folder: Path, suite: Suite):
    rows = many(SHAPES["grammar_bench"])
    rows[4]["categoria"] = "GIRIA"
    write_jsonl(folder / "grammar_bench.jsonl", rows)
    with pytest.raises(ItemError) as caught:
        load_items(suite, str(folder), ["pt_category_gen"])
    assert "grammar_bench.jsonl, line 5" in caught.value.message
    assert "'giria'" in caught.value.message
    assert "concordância verbal" in caught.value.remedy
    assert len(load_items(suite, str(folder), ["pt_correct"]).tasks["pt_correct"].items) == 12


def test_a_folder_that_lacks_a_file_says_which_are_needed(folder: Path, suite: Suite):
    (folder / "grammar_bench.jsonl").unlink()
    with pytest.raises(UsageError) as caught:
        load_items(suite, str(folder))
    assert "grammar_bench" in caught.value.remedy
    assert len(load_items(suite, str(folder), ["pt_aum_gen"]).tasks["pt_aum_gen"].items) == 12


# ---------------------------------------------------------------- the repository that the paper names

REPOSITORY = "soberania-oficial/brasilidade"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    require_module("huggingface_hub", "pyarrow")
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path / "downloads"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with running_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


@pytest.mark.parametrize("layout", ["{name}.jsonl", "data/{name}.jsonl", "{name}/train.jsonl"])
def test_the_repository_serves_all_tasks_however_it_lays_out_its_files(layout: str, hub: Hub, suite: Suite):
    files = {layout.format(name=name): as_jsonl(many(row)) for name, row in SHAPES.items()}
    hub.repositories[REPOSITORY] = Repository(files)
    pull(find_source(suite, "official"), lambda name, done, total: None)
    loaded = load_items(suite, "official")
    assert all(len(file.items) == 12 for file in loaded.files.values())
    assert loaded.spec.revision == COMMIT
    assert not loaded.spec.comparable


def test_a_repository_whose_card_names_configs_is_read_by_them(hub: Hub, suite: Suite):
    files = {f"dados/{number}.jsonl": as_jsonl(many(row)) for number, row in enumerate(SHAPES.values())}
    configs = [
        {"config_name": name, "data_files": [{"split": "train", "path": f"dados/{number}.jsonl"}]}
        for number, name in enumerate(SHAPES)
    ]
    hub.repositories[REPOSITORY] = Repository(files, card={"configs": configs})
    pull(find_source(suite, "official"), lambda name, done, total: None)
    assert len(load_items(suite, "official").tasks["pt_correct"].items) == 12
