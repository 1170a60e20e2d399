"""Worked examples: never the tested item, whatever it is called."""

from typing import Any

import pytest

from sotaque.errors import SuiteError
from sotaque.prompts.fewshot import Pool
from sotaque.records import Item, Option
from sotaque.suites.schema import Task

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


def shots(made: Task, *items: Item, count: int = 2, seed: int = 0) -> list[str]:
    return [shot.id for shot in Pool(made, items, seed).shots(items[0], count)]


def test_the_tested_item_is_never_its_own_example_by_id_content_or_cluster():
    made = task(cluster="story")
    same_content = item("copia", " p1 ", metadata={"story": "outra"}, options=("VIR", "ir", "ir embora"))
    same_cluster = item("irma", "Q", metadata={"story": "HISTÓRIA 1"})
    other = item("outro", "Q2", metadata={"story": "2"})
    tested = item("1", "P1", metadata={"story": "história 1"})
    assert shots(made, tested, same_content, same_cluster, other, count=1) == ["outro"]
    with pytest.raises(SuiteError, match="2 shots, but only 1 items differ from '1'"):
        shots(made, tested, same_content, same_cluster, other, count=2)


def test_shots_differ_by_item_and_seed():
    items = [item(str(n)) for n in range(30)]
    pool = Pool(task(), items, 0)
    assert len({tuple(shot.id for shot in pool.shots(one, 3)) for one in items}) > 20
    assert shots(task(), *items, seed=1) != shots(task(), *items, seed=2)
