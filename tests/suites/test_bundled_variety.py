"""No Brazilian cue in the voice of a European suite, and no European one in a Brazilian suite; quotations do not count.

An item whose subject is the other variety says so in its metadata: "other_variety": "pt-BR".
"""

from collections.abc import Iterable
from itertools import groupby

import pytest

from bundled_texts import OTHER_VARIETY, PORTUGUESE, Shipped, shipped
from sotaque.language.variety import BRAZILIAN, ENOUGH, EUROPEAN, Evidence, variety_of

OTHER = {EUROPEAN: BRAZILIAN, BRAZILIAN: EUROPEAN}
TELLING = 0.5
"""From this weight up one cue is a fault; weaker ones only where they add up to what decides."""


def faults(texts: Iterable[Shipped]) -> list[str]:
    """What is wrong, a line each: where it stands, what it is, and in which words."""
    found: list[str] = []
    for place, group in groupby(
        texts, key=lambda each: (each.suite, each.place, each.field * each.place.endswith("toml"))
    ):
        cues = [(text, each) for text in group for each in foreign(text)]
        if sum({each.cue: each.weight for _, each in cues}.values()) >= ENOUGH or any(
            each.weight >= TELLING for _, each in cues
        ):
            found += [f"{'/'.join(place[:2])} {text.field}: {each.cue} in {around(text, each)}" for text, each in cues]
    return found


def foreign(text: Shipped) -> list[Evidence]:
    other = OTHER[text.language]
    if text.allowed == other:
        return []
    return [each for each in variety_of(text.text, quoted=False).evidence if each.variety == other]


def around(text: Shipped, each: Evidence) -> str:
    return repr(text.text[max(0, each.start - 20) : each.end + 20])


@pytest.mark.parametrize("name", PORTUGUESE)
def test_no_item_and_no_prompt_speaks_in_the_other_variety(name: str):
    found = faults(shipped(name))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("name", PORTUGUESE)
def test_what_items_declare_is_the_other_variety(name: str):
    for text in shipped(name):
        assert text.allowed in ("", OTHER[text.language]), f"{text.place}: {OTHER_VARIETY} is '{text.allowed}'"


def test_the_suites_in_portuguese_are_of_one_variety_each():
    assert set(PORTUGUESE) == {"alba", "brasilidade", "broverbs"}
    assert {text.language for name in PORTUGUESE for text in shipped(name)} == {EUROPEAN, BRAZILIAN}


@pytest.mark.parametrize(
    ("language", "text", "caught"),
    [
        (EUROPEAN, "Explica o que se passa no banheiro.", True),
        (EUROPEAN, "Explica o que quer dizer «banheiro».", False),
        (EUROPEAN, "O que você pensa disto?", True),
        (EUROPEAN, "A moça chegou.", False),
        (EUROPEAN, "A moça chegou com a gente; a mandioca e o celular.", True),
        (BRAZILIAN, "A equipa chegou.", True),
        (BRAZILIAN, "Não disseram-me a verdade.", False),
        (BRAZILIAN, "Ela está a dormir.", True),
    ],
)
def test_a_planted_fault_is_caught(language: str, text: str, caught: bool):
    assert bool(faults([Shipped("suite", language, "items.jsonl:1", "prompt", text)])) == caught


def test_weak_cues_add_up_over_one_item_but_not_over_two():
    weak = [
        ("a.jsonl:1", "A rapariga viu-te."),
        ("a.jsonl:1", "Contou-lhe e sentou-me num tacho."),
        ("a.jsonl:2", "Vens?"),
    ]
    texts = [Shipped("s", BRAZILIAN, place, "story", text) for place, text in weak]
    assert faults(texts)
    assert not faults([Shipped("s", BRAZILIAN, f"a.jsonl:{at}", "story", text.text) for at, text in enumerate(texts)])


def test_an_item_may_declare_that_the_other_variety_is_its_subject():
    text = Shipped("s", EUROPEAN, "a.jsonl:1", "prompt", "Reescreve: O ônibus chegou.", allowed=BRAZILIAN)
    assert faults([text]) == []
