"""No two items of a bundled task ask nearly the same, and no two options of an item are the same.

Two items are near-duplicates when their folded keys are alike to 85 % or more, and when their own words are alike too:
those that only a few items of the task have. Questions made from one template differ in a word or two, and are not the
same for that; where few words are their own (a verb and its form), all of them must agree.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations

import pytest

from sotaque.audit.choices import folded_words
from sotaque.language.normalize import answer_key, key
from sotaque.records import Item, Option
from sotaque.suites.asked import SuiteItems
from sotaque.suites.catalog import BUNDLED
from sotaque.suites.items import load_items
from sotaque.suites.schema import Task
from sotaque.suites.suite import Suite, load_suite
from sotaque.suites.template import OPTIONS, placeholders

NEAR = 0.85
OWN_NEAR = 0.6
"""Of the own words alone: what differs between near-duplicates is mostly among these."""

COMMON_ITEMS, COMMON_SHARE = 5, 0.03
"""A word that more items than this have, and more than this share of them, is nobody's own."""

FEW_WORDS = 6

TASKS = [(name, task) for name in BUNDLED for task in load_suite(name).tasks]


@dataclass(frozen=True)
class Asked:
    """What an item asks, and what is right: as compared, and without the words of the template."""

    id: str
    key: str
    words: frozenset[str]
    own: str


@lru_cache
def suite_and_items(name: str) -> tuple[Suite, SuiteItems]:
    suite = load_suite(name)
    return suite, load_items(suite, "bundled", tuple(suite.tasks))


def asked(task: Task, items: Sequence[Item], source: str) -> tuple[Asked, ...]:
    keys = [key(text_of(task, item, source), task.language) for item in items]
    counts = Counter(word for each in keys for word in folded_words(each, task.language))
    common = {word for word, count in counts.items() if count > max(COMMON_ITEMS, COMMON_SHARE * len(items))}
    return tuple(Asked(item.id, text, *own_words(text, common)) for item, text in zip(items, keys, strict=True))


def text_of(task: Task, item: Item, source: str) -> str:
    """The fields that the prompt shows, and the right option or answer, unless all items have the same options."""
    fields = [item.fields.get(name, "") for name in placeholders(task.prompt_for(source)) if name != OPTIONS]
    if task.classes:
        right = ""
    else:
        right = item.answers[0] if item.answers else "" if item.gold is None else item.options[item.gold].text
    return "\n".join([*fields, right])


def own_words(text: str, common: set[str]) -> tuple[frozenset[str], str]:
    own = [word for word in text.split() if not folded_words(word, "pt") <= common]
    return frozenset(own), " ".join(own)


@lru_cache  # twins ask the same
def near_duplicates(items: tuple[Asked, ...]) -> list[str]:
    return list(_near(items))


def _near(items: tuple[Asked, ...]) -> Iterator[str]:
    for one, other in combinations(items, 2):
        if may_be_near(one, other) and alike(one.key, other.key) >= NEAR and own_parts_are_near(one, other):
            yield f"{one.id} and {other.id}: {one.key[:60]!r}, {other.key[:60]!r}"


def may_be_near(one: Asked, other: Asked) -> bool:
    """Cheap: lengths bound the likeness; of texts that are so alike at least half of the words are the same."""
    shorter, longer = sorted((len(one.key), len(other.key)))
    if 2 * shorter < NEAR * (shorter + longer):
        return False
    return one.key == other.key or 2 * len(one.words & other.words) >= min(len(one.words), len(other.words))


def own_parts_are_near(one: Asked, other: Asked) -> bool:
    if min(len(one.words), len(other.words)) < FEW_WORDS:
        return one.words == other.words
    return alike(one.own, other.own, OWN_NEAR) >= OWN_NEAR


def alike(one: str, other: str, least: float = NEAR) -> float:
    """How alike two texts are; 0 where that is less than ``least``."""
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= least else 0.0


@pytest.mark.parametrize("where", TASKS, ids="/".join)
def test_no_two_items_ask_nearly_the_same(where: tuple[str, str]):
    suite, loaded = suite_and_items(where[0])
    task, found = suite.tasks[where[1]], loaded.tasks[where[1]]
    examples = found.examples.items if found.examples else ()
    pairs = near_duplicates(asked(task, (*found.items, *examples), loaded.declared))
    assert not pairs, "\n".join(pairs)


@pytest.mark.parametrize("where", TASKS, ids="/".join)
def test_no_two_options_of_an_item_are_the_same(where: tuple[str, str]):
    suite, loaded = suite_and_items(where[0])
    task, found = suite.tasks[where[1]], loaded.tasks[where[1]]
    assert list(same_options((*found.items, *found.pool), task.language)) == []


def same_options(items: Sequence[Item], language: str) -> Iterator[str]:
    for item in items:
        seen = Counter(answer_key(option.text, language) for option in item.options)
        yield from (f"{item.id}: {text!r} {count} times" for text, count in seen.items() if count > 1)


# ---------------------------------------------------------------- what is caught, and what is not


def compared(*texts: str) -> list[str]:
    keys = [key(text, "pt") for text in texts]
    return near_duplicates(tuple(Asked(str(at), text, *own_words(text, set())) for at, text in enumerate(keys)))


STORY = (
    "Na véspera do batizado, a batedeira de Jussara queimou e não havia outra para pedir emprestada no prédio inteiro."
)


def test_a_story_with_a_word_changed_is_caught():
    assert compared(STORY, STORY.replace("Jussara", "Janaína"))


def test_case_and_space_do_not_hide_a_copy():
    assert compared(STORY, STORY.upper().replace(" ", "  "))


def test_another_story_is_not():
    other = (
        "Rogério caiu do brinquedo no parque e quebrou o braço, e não deixou mais a afilhada subir no balanço da praça."
    )
    assert compared(STORY, other) == []


def questions(*pairs: tuple[str, str]) -> tuple[Asked, ...]:
    question = "Qual é a primeira pessoa do singular do presente do indicativo do verbo {}?"
    items = [
        Item(str(at), {"question": question.format(verb)}, answers=(form,)) for at, (verb, form) in enumerate(pairs)
    ]
    return asked(load_suite("brasilidade").tasks["pt_conjugate"], items, "bundled")


VERBS = [("caber", "eu caibo"), ("ver", "eu vejo"), ("ir", "eu vou"), ("ser", "eu sou"), ("ter", "eu tenho")]
MORE = [("pôr", "eu ponho"), ("vir", "eu venho"), ("dar", "eu dou"), ("ler", "eu leio"), ("rir", "eu rio")]


def test_questions_of_one_template_are_no_duplicates():
    assert near_duplicates(questions(*VERBS, *MORE)) == []


def test_the_same_question_twice_is_caught_in_a_template():
    assert len(near_duplicates(questions(*VERBS, *MORE, VERBS[0]))) == 1


def test_options_that_differ_in_case_quotes_or_a_full_stop_are_the_same():
    item = Item("7", {}, (Option("«Ir embora»."), Option("ir  embora"), Option("avó"), Option("avô")), 0)
    assert list(same_options([item], "pt-PT")) == ["7: 'ir embora' 2 times"]
