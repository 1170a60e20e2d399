"""Shortcuts: what each rule picks, what is found in files made for it, and the published numbers of MasalBench."""

from pathlib import Path

import pytest

from sotaque.audit.choices import Choice, choices_of, folded_words
from sotaque.audit.shortcuts import ENOUGH_ITEMS, RULES, Found, picks, shortcuts_of
from sotaque.models.baselines import RULES as BASELINES
from sotaque.records import Item, ItemView, Option, Shortcut
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite


def choice(*options: str, gold: int = 0, question: str = "", cluster: str = "", counts: tuple[int, ...] = ()) -> Choice:
    view = ItemView(options, counts or (1,) * len(options), (), gold)
    words = tuple(folded_words(option, "pt") for option in options)
    return Choice(view, folded_words(question, "pt"), words, cluster)


# ---------------------------------------------------------------- rules


def test_every_name_has_a_rule_and_those_that_read_no_question_are_the_baselines():
    assert set(RULES) == set(Shortcut)
    for name in ("longest", "shortest", "first", "rarest"):
        assert RULES[Shortcut(name)].about == BASELINES[name].about


@pytest.mark.parametrize(
    ("rule", "options", "picked"),
    [
        ("longest", ("sim", "talvez", "não sei"), (2,)),
        ("longest", ("pão", "mel", "a"), (0, 1)),
        ("shortest", ("sim", "ir", "oh"), (1, 2)),
        ("first", ("a", "b", "c"), (0,)),
        ("punctuation", ("Sim.", "Bem, sim.", "Não!"), (1,)),
        ("punctuation", ("«Sim»", "— Não.", "talvez"), (0, 1)),
        ("punctuation", ("sim", "não"), (0, 1)),
    ],
)
def test_what_a_rule_picks(rule: str, options: tuple[str, ...], picked: tuple[int, ...]):
    assert picks(Shortcut(rule), choice(*options)) == picked


def test_the_rarest_is_the_text_that_the_task_uses_least():
    assert picks(Shortcut.RAREST, choice("a", "b", "c", counts=(3, 1, 1))) == (1, 2)


def test_overlap_counts_distinct_words_whatever_their_case():
    asked = choice("o GATO, o gato, o gato", "gato e rato", "cão", question="O rato roeu; e o gato?")
    assert picks(Shortcut.OVERLAP, asked) == (1,)


def test_overlap_reads_persian_as_it_is_compared():
    assert folded_words("كتاب‌ها", "fa") == folded_words("کتاب ها", "fa") == {"کتاب", "ها"}


# ---------------------------------------------------------------- findings


def longest_is_right(n: int, of: int = 1) -> list[Choice]:
    """Four options; the right one is the longest in one of so many items."""
    made: list[Choice] = []
    for at in range(n):
        options = ["sim", "não", "nem", "pois"]
        gold = 3 if at % of == 0 else at % 3
        made.append(choice(*options, gold=gold, cluster=str(at)))
    return made


def found(
    choices: list[Choice], rule: str, declared: dict[Shortcut, str] | None = None, *, fixed: bool = False
) -> Found:
    all_of_them = shortcuts_of(choices, declared or {}, fixed_classes=fixed)
    assert [each.rule for each in all_of_them] == list(RULES)
    return next(each for each in all_of_them if each.rule == rule)


def test_a_shortcut_is_found():
    longest = found(longest_is_right(200, of=2), "longest")
    assert (longest.rate.value, longest.expected, longest.against) == (0.5, 0.25, "chance")
    assert longest.excess == 0.25
    assert longest.adjusted < 1e-9
    assert longest.shows


def test_the_others_of_the_same_task_are_not():
    assert not found(longest_is_right(200, of=2), "first").shows


def test_a_small_excess_that_is_no_luck_is_found():
    many = found(longest_is_right(2000, of=3), "longest")
    assert many.excess < 0.10
    assert many.shows


def test_a_large_excess_is_found_though_it_may_be_luck():
    """One cluster holds half of the items: nothing can be proved, and yet the rule is right too often."""
    few = [
        choice("sim", "não", "nem", "pois", gold=3 if at < 80 else at % 3, cluster="one" if at < 80 else str(at))
        for at in range(160)
    ]
    longest = found(few, "longest")
    assert longest.adjusted > 0.01
    assert longest.excess == 0.25
    assert longest.shows


def test_below_the_number_of_items_that_can_tell_it_is_reported_only():
    few = found(longest_is_right(ENOUGH_ITEMS - 1), "longest")
    assert (few.rate.value, few.judged, few.shows) == (1.0, False, False)
    assert found(longest_is_right(ENOUGH_ITEMS), "longest").shows


def test_a_declared_shortcut_carries_its_reason():
    longest = found(longest_is_right(200), "longest", {Shortcut.LONGEST: "porque sim"})
    assert (longest.shows, longest.reason) == (True, "porque sim")


def test_options_that_no_rule_can_tell_apart_earn_what_chance_earns():
    same = [choice("pão", "mel", "sal", "mar", gold=at % 4, cluster=str(at)) for at in range(200)]
    longest = found(same, "longest")
    assert (longest.rate.value, longest.excess, longest.adjusted) == (0.25, 0.0, 1.0)


def test_fixed_classes_are_compared_with_the_majority():
    """Picking the class that is right in seven of ten items is no knowledge; neither is one that is right in two."""
    golds = [0] * 7 + [1] * 2 + [2]
    classes = [choice("verbo", "preposição", "nome", gold=golds[at % 10], cluster=str(at)) for at in range(200)]
    longest = found(classes, "longest", fixed=True)
    assert (longest.expected, longest.against) == (0.7, "majority")
    assert longest.rate.value == 0.2
    assert not longest.shows
    assert not found(classes, "first", fixed=True).shows


def test_a_question_that_names_its_class_is_found():
    words = ("nome", "verbo", "advérbio")
    telling = [choice(*words, gold=at % 3, question=f"o {words[at % 3]} x{at}", cluster=str(at)) for at in range(150)]
    assert found(telling, "overlap", fixed=True).shows


# ---------------------------------------------------------------- from a suite


def test_a_choice_is_made_of_what_the_prompt_shows():
    suite = load_suite("broverbs")
    fields = {"input": "Água mole", "unseen": "pedra"}
    item = Item("1", fields, (Option("água"), Option("pedra")), 1, metadata={"proverb": "x"})
    (made,) = choices_of(suite.tasks["stp"], [item], "bundled")
    assert made.question == {"água", "mole"}
    assert made.words == ({"água"}, {"pedra"})
    assert (made.view.gold, made.view.options, made.cluster) == (1, ("água", "pedra"), "x")


PUBLISHED = [
    ("contextual", "longest", 0.9035),
    ("contextual", "shortest", 0.013),
    ("contextual", "first", 0.255),
    ("cross_cultural", "longest", 0.483),
    ("cross_cultural", "first", 0.533),
    ("cross_cultural", "rarest", 0.686),
]


@pytest.mark.parametrize(("task", "rule", "rate"), PUBLISHED)
def test_what_an_audit_of_masalbench_found(official: Path, task: str, rule: str, rate: float):
    suite = load_suite("masalbench")
    loaded = load_items(suite, str(official / "masalbench"), [task])
    choices = choices_of(suite.tasks[task], loaded.tasks[task].items, loaded.declared)
    seen = found(list(choices), rule)
    assert seen.rate.value == pytest.approx(rate, abs=5e-4)
    assert seen.shows == (rule in ("longest", "rarest") and rate > 0.6)
