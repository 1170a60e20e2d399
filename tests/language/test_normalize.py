import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.language.normalize import answer_key, display, key, plain, strip_markup

LANGUAGES = ["pt", "pt-BR", "en", "fa", "tr", "de", "xx"]


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("avô", unicodedata.normalize("NFD", "avô"), "pt"),
        ("  Água\u00a0 mole\n", "água mole", "pt-PT"),
        ("ﬁm", "fim", "pt"),
        ("ＲＥＳＰＯＳＴＡ", "resposta", "pt"),
        ("so\u00adta\u200bque\ufeff", "sotaque", "pt"),
        ("كتاب ي", "کتاب ی", "fa"),
        ("گزینۀ", "گزینه‌ی", "fa"),
        ("گزینهٔ", "گزینه ی", "fa"),
        ("می‌خواهد", "می خواهد", "fa-IR"),
        ("سَلام", "سلام", "fa"),
        ("ســلام", "سلام", "fa"),
        ("ﻻزم", "لازم", "fa"),
        ("\u200fالف\u200e", "الف", "fa"),
        ("سال ۱۳۹۹", "سال 1399", "fa"),
        ("سال ١٣٩٩", "سال ۱۳۹۹", "fa"),
        ("بله؟", "بله?", "fa"),
        ("ISPARTA", "ısparta", "tr"),
        ("İzmir", "izmir", "tr"),
    ],
)
def test_texts_that_a_reader_takes_for_the_same_share_a_key(one: str, other: str, language: str) -> None:
    assert key(one, language) == key(other, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("avô", "avó", "pt"),
        ("avô", "avo", "pt"),
        ("é", "e", "pt"),
        ("cágado", "cagado", "pt"),
        ("A", "The", "pt"),
        ("A", "The A", "en"),
        ("the cat", "cat", "en"),
        ("o gato", "gato", "pt"),
        ("آب", "اب", "fa"),
        ("به", "ب", "fa"),
        ("كتاب", "کتاب", "ar"),
    ],
)
def test_accents_articles_and_letters_always_count(one: str, other: str, language: str) -> None:
    assert key(one, language) != key(other, language)
    assert answer_key(one, language) != answer_key(other, language)


@pytest.mark.parametrize(
    ("given_answer", "accepted", "language"),
    [
        ("“Trarei.”", "trarei", "pt"),
        ("TRAREI!", "trarei", "pt"),
        ("'d'água'", "dágua", "pt"),
        ("«صبر کن»؟", "صبر کن", "fa"),
        ("صبر کن…", "صبر کن", "fa"),
        ("?", "?", "pt"),
    ],
)
def test_an_answer_key_overlooks_quotes_and_the_end(given_answer: str, accepted: str, language: str) -> None:
    assert answer_key(given_answer, language) == answer_key(accepted, language)


def test_an_answer_key_keeps_inner_punctuation_and_brackets() -> None:
    assert answer_key("água mole, pedra dura", "pt") != answer_key("água mole pedra dura", "pt")
    assert answer_key("(sub)linhar", "pt") == "(sub)linhar"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("**B**", "B"),
        ("__B__ e _C_", "B e C"),
        ("`B`", "B"),
        ("```json\nB\n```", "\nB\n"),
        ("$\\boxed{\\text{B}}$", " B"),
        ("\\( B \\)", "  B  "),
        ("<b>B</b><br/>C", "B\nC"),
        ('<span style="x">B</span>', "B"),
        ("~~A~~B", " B"),
        ("<s>A</s>B", " B"),
        ("### Resposta\n> B", "Resposta\nB"),
        ("Ｂ）", "B)"),
        ("Ⓑ ⓑ 𝐁 ② 🅑 🅱️", "B b B 2 B B"),
        ("2️⃣", "2"),
        ("گزینه‌ی ۲", "گزینه ی 2"),
        ("a_b 2 < 3", "a_b 2 < 3"),
    ],
)
def test_plain_keeps_words_and_case_and_drops_decoration(text: str, read: str) -> None:
    assert plain(text) == read


def test_markup_is_stripped_without_touching_letters() -> None:
    assert strip_markup("**كتاب** e *avô*") == "كتاب e avô"


def test_the_displayed_form_is_only_composed() -> None:
    assert display(unicodedata.normalize("NFD", "Coração")) == "Coração"
    assert display(" كتاب‌ ") == " كتاب‌ "


@given(st.text(), st.sampled_from(LANGUAGES))
def test_keys_are_stable_and_single_spaced(text: str, language: str) -> None:
    folded = key(text, language)
    assert folded == " ".join(folded.split())
    assert key(unicodedata.normalize("NFC", text), language) == key(unicodedata.normalize("NFD", text), language)
    assert answer_key(answer_key(text, language), language) == answer_key(text, language)


@given(
    st.text(alphabet=st.sampled_from('aAàéçíÍßİıكکيیۀهٔ\u064e\u0640‌ۀ۱٢3 .!»«"*_<b>`$\\{}')), st.sampled_from(LANGUAGES)
)
def test_folding_twice_is_folding_once(text: str, language: str) -> None:
    assert key(key(text, language), language) == key(text, language)
