"""Worked examples: never the tested item, whatever it is called; in balance where wanted; the same every time."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.data.sources import LoadedFile
from sotaque.errors import SuiteError
from sotaque.prompts.fewshot import Pool
from sotaque.records import Item, Option
from sotaque.suites.asked import Asked, TaskItems
from sotaque.suites.schema import Protocol, Task

BASE: dict[str, Any] = {
    "about": "?",
    "source": "quiz",
    "mode": "generate",
    "labels": "A B C",
    "prompt": "Pergunta: {question}\n{options}",
    "metrics": ["accuracy"],
}
CLASSES = ("verbo", "nome", "advérbio")


def task(**changes: object) -> Task:
    made = Task.model_validate(BASE | changes)
    made.belongs_to("quiz", ("pt",))
    return made


def item(name: str, question: str = "", *, gold: int = 1, **changes: Any) -> Item:
    options = changes.pop("options", ("ir", "ir embora", "vir"))
    fields = {"question": question or f"P{name}"} | changes.pop("fields", {})
    return Item(name, fields, tuple(Option(text) for text in options), gold=gold, **changes)


def asked(items: list[Item]) -> Asked:
    lines = tuple(range(1, len(items) + 1))
    return Asked(LoadedFile("f.jsonl", Path("f.jsonl"), "0" * 64, 1, tuple(items), lines), tuple(items), lines)


def pool(made: Task, items: list[Item], examples: list[Item] | None = None, seed: int = 0) -> Pool:
    view = TaskItems(asked(items), asked(examples) if examples is not None else None)
    return Pool(made, view, made.prompt, seed)


def shots(made: Task, *items: Item, seed: int = 0, examples: list[Item] | None = None, **protocol: Any) -> list[str]:
    how = Protocol.model_validate({"shots": 2} | protocol)
    return [shot.id for shot in pool(made, list(items), examples, seed).shots(items[0], how)]


# ---------------------------------------------------------------- whose examples


def test_the_tested_item_is_never_its_own_example_by_id_content_or_cluster():
    """FIELD_FAULTS 17."""
    made = task(cluster="story")
    same_content = item("copia", " p1 ", metadata={"story": "outra"}, options=("VIR", "ir", "ir embora"))
    same_cluster = item("irma", "Q", metadata={"story": "HISTÓRIA 1"})
    other = item("outro", "Q2", metadata={"story": "2"})
    tested = item("1", "P1", metadata={"story": "história 1"})
    assert shots(made, tested, same_content, same_cluster, other, shots=1) == ["outro"]
    with pytest.raises(SuiteError, match="2 shots, but only 1 items differ from '1' in content and cluster"):
        shots(made, tested, same_content, same_cluster, other)


def test_as_published_only_the_item_and_its_copies_are_excluded():
    made = task(cluster="story")
    tested = item("1", "P1", metadata={"story": "a"})
    copy, sister = item("2", "P1", metadata={"story": "b"}), item("3", "Q", metadata={"story": "a"})
    assert shots(made, tested, copy, sister, shots=1, exclude="item") == ["3"]
    with pytest.raises(SuiteError, match="differ from '1' in content\n") as caught:
        shots(made, tested, copy, sister, exclude="item")
    assert caught.value.remedy == "lower 'shots', or add items"
    assert caught.value.place == "tasks.quiz.protocol"


def test_three_items_two_shots():
    """FIELD_FAULTS 17: with three items there is no other choice than the other two."""
    items = [item("1"), item("2"), item("3")]
    for at, one in enumerate(items):
        others = [*items[at:], *items[:at]]
        for pick in ("first", "random"):
            assert sorted(shots(task(), *others, pick=pick)) == sorted({"1", "2", "3"} - {one.id})


def test_what_the_prompt_does_not_show_makes_no_other_question():
    noted = item("2", "P1", fields={"note": "revista"})
    assert shots(task(), item("1", "P1", fields={"note": "nova"}), noted, item("3"), shots=1) == ["3"]


def test_items_without_a_cluster_do_not_exclude_each_other():
    items = [item(name, metadata={"story": ""}) for name in "123"]
    assert len(shots(task(cluster="story"), *items)) == 2


def test_a_file_of_examples_is_the_whole_pool_and_its_ids_are_its_own():
    examples = [item("1", "E1"), item("2", "E2"), item("3", "P1")]
    assert shots(task(examples="exemplos"), item("1", "P1"), item("9"), examples=examples, pick="first") == ["1", "2"]
    with pytest.raises(SuiteError, match="3 shots, but only 2 examples in 'exemplos' differ from '1'"):
        shots(task(examples="exemplos"), item("1", "P1"), examples=examples, shots=3)


# ---------------------------------------------------------------- which


def test_the_first_are_those_of_the_file_in_its_order_without_the_item_itself():
    items = [item(name) for name in "12345"]
    assert shots(task(), items[0], *items[1:], pick="first", shots=3) == ["2", "3", "4"]
    made = pool(task(), items)
    assert [s.id for s in made.shots(items[3], Protocol(shots=3, pick="first"))] == ["1", "2", "3"]


def test_random_shots_differ_by_item_and_seed():
    items = [item(str(n)) for n in range(30)]
    made = pool(task(), items)
    assert len({tuple(s.id for s in made.shots(one, Protocol(shots=3))) for one in items}) > 20
    assert shots(task(), *items, seed=1) != shots(task(), *items, seed=2)


def test_every_item_is_an_example_about_equally_often():
    """Of 200 items each is one of 5 examples for 5 others on average; 25 would be 9 standard deviations away."""
    items = [item(str(n)) for n in range(200)]
    made = pool(task(), items)
    uses = Counter(s.id for one in items for s in made.shots(one, Protocol(shots=5)))
    assert sum(uses.values()) == 1000
    assert len(uses) > 190
    assert max(uses.values()) < 25


def balanced(golds: list[int], count: int, tested: int = 0, seed: int = 0) -> Counter[int]:
    items = [item(str(n), gold=gold, options=CLASSES) for n, gold in enumerate(golds)]
    made = pool(task(), items, seed=seed)
    picked = made.shots(items[tested], Protocol(shots=count, pick="balanced"))
    assert len({one.id for one in picked}) == count
    return Counter(one.gold for one in picked if one.gold is not None)


def test_six_shots_over_three_labels_are_two_each():
    """FIELD_FAULTS 18."""
    golds = [0] * 40 + [1] * 5 + [2] * 3
    for tested in range(len(golds)):
        assert balanced(golds, 6, tested) == {0: 2, 1: 2, 2: 2}


def test_shots_that_no_class_can_have_equally_go_to_classes_in_turn():
    extra = Counter(tuple(sorted(balanced([0, 1, 2] * 9, 5, tested).items())) for tested in range(27))
    assert set(extra) == {((0, 1), (1, 2), (2, 2)), ((0, 2), (1, 1), (2, 2)), ((0, 2), (1, 2), (2, 1))}


def test_the_order_of_balanced_shots_gives_no_class_away():
    items = [item(str(n), gold=n % 3, options=CLASSES) for n in range(60)]
    made = pool(task(), items)
    firsts = Counter(made.shots(one, Protocol(shots=3, pick="balanced"))[0].gold for one in items)
    assert min(firsts[each] for each in range(3)) > 8


@given(
    st.lists(st.integers(0, 2), min_size=2, max_size=40),
    st.integers(1, 12),
    st.integers(0, 39),
    st.integers(0, 5),
)
def test_balanced_shots_differ_by_at_most_one_unless_a_class_has_no_more(golds, count, tested, seed):
    """FIELD_FAULTS 18, whatever the pool."""
    tested %= len(golds)
    left = Counter(gold for at, gold in enumerate(golds) if at != tested)
    if count > len(golds) - 1:
        with pytest.raises(SuiteError, match="shots, but only"):
            balanced(golds, count, tested, seed)
        return
    found = balanced(golds, count, tested, seed)
    for less in left:
        for more in left:
            assert found[more] - found[less] <= 1 or found[less] == left[less]


# ---------------------------------------------------------------- always


SHORT = st.text("aáAbB !", max_size=3)


@given(
    st.lists(st.tuples(SHORT, SHORT), min_size=1, max_size=12, unique=True),
    st.sampled_from(["random", "first", "balanced"]),
    st.sampled_from(["cluster", "item"]),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_no_shot_is_the_item_by_id_content_or_cluster(rows, pick, exclude, count, seed):
    """FIELD_FAULTS 17, whatever the pool."""
    items = [
        item(str(n), f"?{question}", gold=n % 3, metadata={"story": story}) for n, (question, story) in enumerate(rows)
    ]
    made = pool(task(cluster="story"), items, seed=seed)
    protocol = Protocol(shots=count, pick=pick, exclude=exclude)
    for one in items:
        try:
            picked = made.shots(one, protocol)
        except SuiteError:
            continue
        assert len({shot.id for shot in picked}) == count
        assert one.id not in {shot.id for shot in picked}
        for shot in picked:
            assert " ".join(shot.fields["question"].casefold().split()) != " ".join(
                one.fields["question"].casefold().split()
            )
            story = " ".join(one.metadata["story"].casefold().split())
            if exclude == "cluster" and story:
                assert " ".join(shot.metadata["story"].casefold().split()) != story


@given(st.permutations(range(12)), st.sampled_from(["random", "balanced"]))
def test_which_items_are_asked_changes_no_examples(order, pick):
    items = [item(str(n), gold=n % 3) for n in range(12)]
    protocol = Protocol(shots=3, pick=pick)
    alone = pool(task(), items).shots(items[order[0]], protocol)
    made = pool(task(), items)
    together = {at: made.shots(items[at], protocol) for at in reversed(order)}
    assert together[order[0]] == alone
