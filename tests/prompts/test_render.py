"""What exactly a model is asked."""

import csv
from pathlib import Path
from typing import Any

import pytest

from sotaque.data.declared import SourceSpec
from sotaque.data.sources import LoadedFile
from sotaque.errors import UsageError
from sotaque.prompts.order import order_for
from sotaque.prompts.render import plan, reconstructed, render
from sotaque.prompts.select import select
from sotaque.records import Choose, Generate, Item, Message, Option, Rendering, RunSpec
from sotaque.suites.asked import Asked, SuiteItems, TaskItems
from sotaque.suites.items import load_items
from sotaque.suites.schema import Task
from sotaque.suites.suite import load_suite

SPEC = RunSpec("s", "m")
BASE: dict[str, Any] = {
    "about": "?",
    "source": "quiz",
    "mode": "generate",
    "labels": "A B C",
    "prompt": "Pergunta: {question}\n{options}",
    "metrics": ["accuracy"],
}


def task(**changes: object) -> Task:
    made = Task.model_validate(BASE | changes)
    made.belongs_to("quiz", ("pt",))
    return made


def item(name: str, question: str = "", **changes: Any) -> Item:
    options = changes.pop("options", ("ir", "ir embora", "vir"))
    return Item(name, {"question": question or f"P{name}"}, tuple(Option(text) for text in options), gold=1, **changes)


def loaded(*items: Item) -> SuiteItems:
    provenance = {"author": "nós", "review": "unreviewed", "licence": "CC0", "share": "yes"}
    spec = SourceSpec.model_validate({"files": {"quiz": "quiz.jsonl"}, "provenance": provenance})
    file = LoadedFile("quiz.jsonl", Path("quiz.jsonl"), "0" * 64, 1, items, tuple(range(1, len(items) + 1)))
    view = TaskItems(Asked(file, items, file.lines))
    return SuiteItems("bundled", "bundled", spec, {"quiz": file}, {"quiz": view})


def ask(made: Task, *items: Item, rendering: Rendering = "chat", spec: RunSpec = SPEC):
    return render(plan(made, loaded(*items), spec, rendering), items[0], order_for(items[0], spec.shuffle))


def test_a_chat_is_the_filled_template_with_the_instruction_as_system_message():
    request = ask(task(system="Responda com a letra."), item("1")).request
    assert isinstance(request, Generate)
    assert request.messages == (
        Message("system", "Responda com a letra."),
        Message("user", "Pergunta: P1\nA) ir\nB) ir embora\nC) vir"),
    )


def test_a_text_ends_with_the_answer_anchor():
    request = ask(task(system="Responda.", anchor="Resposta:"), item("1"), rendering="text").request
    assert isinstance(request, Generate)
    assert (request.text, request.messages) == (
        "Responda.\n\nPergunta: P1\nA) ir\nB) ir embora\nC) vir\nResposta:",
        (),
    )


@pytest.mark.parametrize(
    ("choose", "continuations"), [("text", (" ir", " ir embora", " vir")), ("label", (" A", " B", " C"))]
)
def test_choosing_scores_texts_or_labels_after_the_delimiter(choose: str, continuations: tuple[str, ...]):
    request = ask(task(mode="choose", prompt="{question}{options}", choose=choose), item("1")).request
    assert isinstance(request, Choose)
    assert request.continuations == continuations
    assert request.context.startswith("P1")


def test_a_persian_proverb_that_looks_like_a_template_stays_as_it_is():
    request = ask(task(), item("1", "ضرب‌المثل {options} {question} {{x}}", options=("{label}", "{text}"))).request
    assert isinstance(request, Generate)
    assert request.messages[0].content == "Pergunta: ضرب‌المثل {options} {question} {{x}}\nA) {label}\nB) {text}"


def test_the_form_of_an_option_is_the_suites():
    request = ask(task(option_format="[{label}] {text};"), item("1")).request
    assert isinstance(request, Generate)
    assert request.messages[0].content.endswith("\n[A] ir;\n[B] ir embora;\n[C] vir;")


def test_a_shuffled_item_is_labelled_by_position():
    spec = RunSpec("s", "m", shuffle=2)
    prompt = ask(task(), item("1"), spec=spec)
    assert prompt.order != (0, 1, 2)
    assert isinstance(prompt.request, Generate)
    shown = prompt.request.messages[0].content.split("\n")[1:]
    assert shown == [f"{label}) {prompt.item.options[at].text}" for label, at in zip("ABC", prompt.order, strict=True)]


def test_the_protocol_and_the_users_limit_reach_the_request():
    made = task(protocol={"published": {"max_tokens": 5, "stop": ["\n"]}, "default": {"max_tokens": 64}})
    tokens = []
    for spec in (RunSpec("s", "m", protocol="published"), SPEC, RunSpec("s", "m", max_tokens=900)):
        request = ask(made, item("1"), spec=spec).request
        assert isinstance(request, Generate)
        tokens.append((request.sampling.max_tokens, request.sampling.stop))
    assert tokens == [(5, ("\n",)), (64, ()), (900, ())]


def test_a_task_of_which_nothing_was_published_is_refused_with_the_way_out():
    with pytest.raises(UsageError, match="nothing was published for task 'quiz'") as caught:
        ask(task(twin="outra"), item("1"), spec=RunSpec("s", "m", protocol="published"))
    assert "--protocol default" in caught.value.remedy


# ---------------------------------------------------------------- hashes


def test_a_prompt_hash_covers_template_order_and_shots_but_not_the_rendering():
    base = ask(task(anchor="R:"), item("1"), item("2"))
    shots = {"default": {"shots": 1}}
    others = [
        ask(task(prompt="P: {question}\n{options}"), item("1")),
        ask(task(system="Responda."), item("1")),
        ask(task(), item("1"), spec=RunSpec("s", "m", shuffle=2)),
        ask(task(protocol=shots), item("1"), item("2")),
        ask(task(), item("1", options=("ir", "vir", "ir embora"))),
        ask(task(mode="choose"), item("1")),
    ]
    assert ask(task(anchor="R:"), item("1"), rendering="text").prompt_hash == base.prompt_hash
    assert len({base.prompt_hash, *(other.prompt_hash for other in others)}) == 1 + len(others)


# ---------------------------------------------------------------- shots


def test_shots_are_turns_of_a_chat_or_lines_of_a_text():
    made = task(protocol={"default": {"shots": 1}}, anchor="Resposta:")
    chat = ask(made, item("1"), item("2")).request
    text = ask(made, item("1"), item("2"), rendering="text").request
    assert isinstance(chat, Generate)
    assert isinstance(text, Generate)
    assert [(m.role, m.content.split("\n")[0]) for m in chat.messages] == [
        ("user", "Pergunta: P2"),
        ("assistant", "B"),
        ("user", "Pergunta: P1"),
    ]
    assert "C) vir\nResposta: B\n\nPergunta: P1\n" in text.text
    assert text.text.endswith("C) vir\nResposta:")


@pytest.mark.parametrize(("form", "answer"), [("label", "B"), ("option", "ir embora")])
def test_a_shot_is_answered_in_the_form_that_is_asked_for(form: str, answer: str):
    request = ask(task(protocol={"default": {"shots": 1}}, answer=form), item("1"), item("2")).request
    assert isinstance(request, Generate)
    assert request.messages[1] == Message("assistant", answer)


@pytest.mark.parametrize(("choose", "answer"), [("text", "ir embora"), ("label", "B")])
def test_a_shot_before_a_choice_is_a_whole_text(choose: str, answer: str):
    made = task(protocol={"default": {"shots": 1}}, mode="choose", prompt="{question}:", choose=choose)
    request = ask(made, item("1"), item("2")).request
    assert isinstance(request, Choose)
    assert request.context == f"P2: {answer}\n\nP1:"


def test_a_limit_changes_no_prompt():
    items = [item(str(n)) for n in range(30)]
    made = task(protocol={"default": {"shots": 3}})
    limited = select({"quiz": items}, RunSpec("s", "m", limit=5))["quiz"]
    whole = plan(made, loaded(*items), SPEC, "chat")
    few = plan(made, loaded(*items), RunSpec("s", "m", limit=5), "chat")
    assert [render(whole, one, (0, 1, 2)) for one in limited] == [render(few, one, (0, 1, 2)) for one in limited]


# ---------------------------------------------------------------- the bundled suite


@pytest.mark.parametrize("name", ["contextual", "cross_cultural"])
def test_the_official_prompt_is_the_published_text_byte_for_byte(official: Path, name: str):
    suite = load_suite("masalbench")
    found = load_items(suite, str(official / "masalbench"), [name])
    made = plan(suite.tasks[name], found, RunSpec("masalbench", "m", protocol="published"), "chat")
    with found.files[name].path.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    for row, one in zip(rows, found.items[name], strict=True):
        request = render(made, one, order_for(one, None)).request
        assert isinstance(request, Generate)
        assert [message.content for message in request.messages] == [row["Question"]]
        assert request.sampling.max_tokens == 5
    assert reconstructed(made.task, found, made.protocol) == ("stop", "message roles", "answer extraction")


def test_on_our_own_items_prompt_and_items_are_reconstructed():
    suite = load_suite("masalbench")
    made = suite.tasks["contextual"]
    found = load_items(suite, "bundled")
    assert made.protocol.published is not None
    fields = reconstructed(made, found, made.protocol.published)
    assert fields == ("stop", "message roles", "answer extraction", "items", "prompt")


def test_log_probability_prompts_end_just_before_the_answer():
    suite = load_suite("masalbench")
    found = load_items(suite, "bundled")
    for name in ("contextual_prob", "cross_cultural_prob"):
        made = plan(suite.tasks[name], found, SPEC, "text")
        request = render(
            made, found.items[made.task.source][0], order_for(found.items[made.task.source][0], None)
        ).request
        assert isinstance(request, Choose)
        assert request.context.endswith(":")
        assert all(text[0] == " " and text[1] != " " for text in request.continuations)
