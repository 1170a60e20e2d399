"""Which items a run uses."""

import pytest

from sotaque.errors import UsageError
from sotaque.prompts.select import select
from sotaque.records import Item, RunSpec

ITEMS = {task: tuple(Item(str(n), {}) for n in range(50)) for task in ("ditos", "cross")}


def ids(spec: RunSpec, items: dict[str, tuple[Item, ...]] = ITEMS) -> dict[str, list[str]]:
    return {task: [item.id for item in some] for task, some in select(items, spec).items()}


def test_everything_is_used_unless_limited():
    assert select(ITEMS, RunSpec("s", "m")) == ITEMS


def test_a_limit_is_a_seeded_sample_in_the_order_of_the_source():
    drawn = ids(RunSpec("s", "m", limit=10, seed=1))["ditos"]
    assert len(drawn) == 10
    assert drawn == sorted(drawn, key=int)
    assert drawn == ids(RunSpec("s", "m", limit=10, seed=1))["ditos"]
    assert drawn != ids(RunSpec("s", "m", limit=10, seed=2))["ditos"]
    assert drawn != [str(n) for n in range(10)]


def test_a_larger_limit_keeps_what_a_smaller_one_drew():
    small, large = (set(ids(RunSpec("s", "m", limit=n))["ditos"]) for n in (5, 20))
    assert small < large


def test_new_items_do_not_reshuffle_a_sample():
    more = {"ditos": (*ITEMS["ditos"], Item("novo", {}))}
    before, after = (set(ids(RunSpec("s", "m", limit=10), some)["ditos"]) for some in (ITEMS, more))
    assert len(before & after) >= 9


def test_first_takes_the_first():
    assert ids(RunSpec("s", "m", first=3))["cross"] == ["0", "1", "2"]
    assert len(ids(RunSpec("s", "m", first=99))["cross"]) == 50


def test_ids_are_meant_in_every_task_or_in_one():
    assert ids(RunSpec("s", "m", items=frozenset({"7", "cross/3"}))) == {"ditos": ["7"], "cross": ["3", "7"]}


def test_an_id_with_a_slash_is_an_id_where_no_task_is_meant():
    items = {"ditos": (Item("a/1", {}), Item("2", {})), "cross": (Item("2", {}),)}
    assert ids(RunSpec("s", "m", items=frozenset({"a/1"})), items) == {"ditos": ["a/1"], "cross": []}


@pytest.mark.parametrize(
    ("spec", "message", "remedy"),
    [
        (
            RunSpec("s", "m", items=frozenset({"7", "99", "x/1"})),
            "no such items: 99, x/1",
            "tasks of this run: ditos, cross",
        ),
        (RunSpec("s", "m", limit=5, first=5), "exclude each other", "--first takes the first"),
        (RunSpec("s", "m", limit=0), "--limit 0: not a number of items", "1 or more"),
        (RunSpec("s", "m", first=-1), "--first -1: not a number of items", "1 or more"),
    ],
)
def test_what_cannot_be_selected_is_a_usage_error(spec: RunSpec, message: str, remedy: str):
    with pytest.raises(UsageError) as caught:
        select(ITEMS, spec)
    assert message in caught.value.message
    assert remedy in caught.value.remedy
