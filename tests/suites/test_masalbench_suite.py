"""The bundled MasalBench suite: our own items, held to what a careful editor would hold them to."""

import csv
import re
import unicodedata
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from sotaque.data.declared import FileSpec
from sotaque.language.normalize import answer_key
from sotaque.records import Item
from sotaque.suites.catalog import BUNDLED
from sotaque.suites.items import load_items
from sotaque.suites.suite import Suite, load_suite

LETTERS = set("آابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهیئأؤ")
MARKS = set("\u064b\u0654")  # the tanvin of حتماً, the hamza of هفتهٔ
PUNCTUATION = set("،؟:!. \n\u200c")


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("masalbench")


@pytest.fixture(scope="module")
def items(suite: Suite) -> dict[str, tuple[Item, ...]]:
    return load_items(suite, "bundled").items


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_suite_says_where_its_items_come_from(name: str):
    suite = load_suite(name)
    assert suite.name == name
    assert suite.citation
    for source in suite.sources.values():
        assert source.notice
    for key, file in load_items(suite, suite.first_source).files.items():
        assert not any(item.irregular for item in file.items), key
        assert all({"author", "review", "version"} <= item.metadata.keys() for item in file.items)


def test_our_own_items_are_marked_as_ours_and_unreviewed(suite: Suite):
    source = suite.sources["bundled"]
    assert source.notice == "our own items, unreviewed; not comparable with published numbers"
    assert (source.comparable, source.provenance.author, source.provenance.review, source.provenance.share) == (
        False,
        "model-written",
        "unreviewed",
        "yes",
    )


def test_the_official_files_are_pinned(suite: Suite):
    source = suite.sources["official"]
    assert source.revision == "493841a6eaf16e899278cd470c0bcce52d1ebe6b"
    for file in source.files.values():
        assert isinstance(file, FileSpec)
        assert source.revision in str(file.url)
    assert {key: file.bytes for key, file in source.files.items()} == {"contextual": 1748765, "cross_cultural": 960755}
    assert suite.default_tasks == ("contextual", "cross_cultural")


def test_the_published_protocol_is_the_papers(suite: Suite):
    for name in suite.default_tasks:
        published = suite.tasks[name].protocol.published
        assert published is not None
        assert (published.shots, published.max_tokens, published.temperature, published.top_p) == (0, 5, 0.0, 1.0)
        assert published.paper == "section 3.2"
        assert suite.tasks[name].protocol.default.max_tokens == 64
        assert suite.tasks[name].protocol.default.why


def test_golds_are_balanced_over_positions(items: dict[str, tuple[Item, ...]]):
    assert Counter(item.gold for item in items["contextual"]) == {0: 3, 1: 3, 2: 3, 3: 3}
    assert Counter(item.gold for item in items["cross_cultural"]) == {0: 6, 1: 6}


def share(items: tuple[Item, ...], best) -> float:
    total = 0.0
    for item in items:
        lengths = [len(option.text) for option in item.options]
        if lengths[item.gold or 0] == best(lengths):
            total += 1 / lengths.count(best(lengths))
    return total / len(items)


def test_length_gives_nothing_away(items: dict[str, tuple[Item, ...]]):
    for best in (max, min):
        assert 0.15 <= share(items["contextual"], best) <= 0.35
        assert 0.4 <= share(items["cross_cultural"], best) <= 0.6
    for item in items["contextual"]:
        lengths = [len(option.text) for option in item.options]
        assert max(lengths) <= 1.25 * min(lengths), item.id


def test_every_dialogue_has_two_turns_and_asks_about_the_second_speaker(items: dict[str, tuple[Item, ...]]):
    assert len(items["contextual"]) >= 12
    for item in items["contextual"]:
        first, second = item.fields["dialogue"].split("\n")
        assert second.startswith(f"{item.fields['speaker']}: ")
        assert not first.startswith(item.fields["speaker"])
        assert item.fields["question"].startswith(item.fields["speaker"])
        assert sorted(o.role for o in item.options) == ["correct", "irrelevant", "literal", "plausible"]


def test_no_text_is_used_twice(items: dict[str, tuple[Item, ...]]):
    for part in items.values():
        texts = [option.text for item in part for option in item.options]
        assert len(texts) == len(set(texts))
        proverbs = [item.fields["proverb"] for item in part]
        assert len(proverbs) == len(set(proverbs)) >= 12


def test_persian_text_is_clean(suite: Suite, items: dict[str, tuple[Item, ...]]):
    prompts = [re.sub(r"\{\w+\}", "متن", task.prompt) for task in suite.tasks.values()]
    item_texts = (
        text
        for item in chain(*items.values())
        for text in (*item.fields.values(), item.metadata["meaning"], *(option.text for option in item.options))
    )
    seen = 0
    for text in chain(prompts, item_texts):
        assert unicodedata.is_normalized("NFC", text)
        assert text == text.strip()
        assert "  " not in text
        if re.search("[\u0600-\u06ff]", text):
            seen += 1
            strays = set(text) - LETTERS - MARKS - PUNCTUATION
            assert not strays, (text, sorted(map(hex, map(ord, strays))))
            assert not re.search("\u200c[\\s\u200c،؛؟:!.]|[\\s\u200cادذرزژوآ]\u200c", text), text
            assert not re.search(r"\s[،؛؟:!.]", text), text
            assert not re.search("(?<!ه)\u0654|(?<!ا)\u064b", text), text
    assert seen > 100


def test_our_sentences_are_not_the_published_ones(official: Path, items: dict[str, tuple[Item, ...]]):
    folder = official / "masalbench"
    published: set[str] = set()
    for name in ("contextualQuestions.csv", "crossCulturalQuestions.csv"):
        with (folder / name).open(newline="", encoding="utf-8") as stream:
            for line in chain(*(row["Question"].split("\n") for row in csv.DictReader(stream))):
                published |= {answer_key(part, "fa") for part in (line, *re.split(r"[:)] ", line, maxsplit=1))}
    for item in items["contextual"]:
        turns = item.fields["dialogue"].split("\n")
        said = [turn.split(": ", 1)[1] for turn in turns]
        for text in (*turns, *said, item.fields["question"], *(option.text for option in item.options)):
            assert answer_key(text, "fa") not in published, text


def test_our_pairs_of_english_proverbs_are_not_the_published_ones(official: Path, items: dict[str, tuple[Item, ...]]):
    published = load_items(load_suite("masalbench"), str(official / "masalbench"), ["cross_cultural"])
    theirs = {pair(item) for item in published.items["cross_cultural"]}
    assert not [item.id for item in items["cross_cultural"] if pair(item) in theirs]


def pair(item: Item) -> frozenset[str]:
    return frozenset(answer_key(option.text, "en") for option in item.options)
