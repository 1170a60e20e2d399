import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sotaque.language.labels import Alphabet
from sotaque.language.normalize import answer_key, plain, strip_markup
from sotaque.scoring.extract import extract

ALPHABETS = {
    "pt": [tuple("ABCDE"), ("1", "2", "3", "4"), ("a", "b", "c", "d")],
    "en": [tuple("ABCD"), ("I", "II", "III", "IV")],
    "fa": [("الف", "ب", "ج", "د"), ("۱", "۲", "۳", "۴"), ("آ", "ب", "پ", "ت")],
}
OPTIONS = {
    "pt": ("a pressa é inimiga da perfeição", "ir", "ir embora", "é preciso ter paciência", "não"),
    "en": ("haste makes waste", "go", "go away", "be patient", "no"),
    "fa": ("باید صبر کند", "صبر", "او را به سخره گرفته است.", "هیچ", "بله"),
}
ANNOUNCED = {
    "pt": [
        "Resposta: {}",
        "RESPOSTA: {}",
        "Resposta final: {}",
        "A resposta correta é a alternativa {}.",
        "A resposta é {}.",
        "Alternativa correta: {}",
        "Letra {}",
        "Alternativa {}",
        "Opção {}.",
        "Gabarito: {}",
        "Eu escolho a opção {}.",
        "A alternativa {} está correta.",
        "A letra {} é a resposta correta.",
        "Analisei com calma.\n\nResposta: {}",
        "{}) porque sim",
    ],
    "en": [
        "Answer: {}",
        "ANSWER: {}",
        "The answer is {}.",
        "The correct answer is option {}.",
        "Option {} is correct.",
        "I choose option {}.",
        "Let me think.\n\nFinal answer: {}",
        "{}) because it is so",
    ],
    "fa": [
        "پاسخ: {}",
        "پاسخ صحیح: {}",
        "جواب: {}",
        "گزینه {}",
        "گزینه‌ی درست: {}",
        "گزینهٔ {} درست است.",
        "پاسخ صحیح گزینه {} است.",
        "گزینه {} را انتخاب می‌کنم.",
        "کمی فکر کردم.\n\nپاسخ نهایی: {}",
        "{}) چون چنین است",
    ],
}
DRESSES = ["{}", "**{}**", "({})", "`{}`", "«{}»", '"{}"', "$\\boxed{{{}}}$", "<b>{}</b>", "\u200f{}\u200f", "__{}__"]

CASES = [
    (lang, labels, sentence) for lang, sets in ALPHABETS.items() for labels in sets for sentence in ANNOUNCED[lang]
]


@pytest.mark.parametrize(("language", "labels", "sentence"), CASES)
def test_every_label_is_read_back_from_every_announcement_in_every_dress(
    language: str, labels: tuple[str, ...], sentence: str
) -> None:
    options = OPTIONS[language][: len(labels)]
    for position, label in enumerate(labels):
        for dress in DRESSES:
            text = sentence.format(dress.format(label))
            if "boxed" in dress and sentence.startswith("{}"):
                continue
            found = extract(text, labels=labels, options=options, languages=(language,))
            assert (found.kind, found.position) == ("picked", position), text


@pytest.mark.parametrize("language", ALPHABETS)
def test_a_label_with_its_text_is_read_back_and_with_another_text_is_a_conflict(language: str) -> None:
    for labels in ALPHABETS[language]:
        options = OPTIONS[language][: len(labels)]
        for position, label in enumerate(labels):
            for other, option in enumerate(options):
                for form in ("{}) {}", "({}) {}", "**{}. {}**", "{}: {}", "{} - {}"):
                    found = extract(form.format(label, option), labels=labels, options=options, languages=(language,))
                    assert found.kind == ("picked" if other == position else "conflict"), form.format(label, option)


WORDS = [
    *"A B C D E a b e o X 1 ۲".split(),
    *"الف ب ج د و به".split(),
    *"resposta alternativa letra correta é não mas ou e sim portanto escolho porque".split(),
    *"answer the is not option correct or but because".split(),
    *"پاسخ گزینه صحیح است نیست یا را انتخاب می‌کنم بلکه زیرا".split(),
    *[
        "ir",
        "ir embora",
        "باید صبر کند",
        "<think>",
        "</think>",
        "\\boxed{",
        "}",
        "**",
        "~~",
        "\n",
        ":",
        ".",
        ",",
        ")",
        "(",
        "?",
    ],
]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join) | st.lists(
    st.sampled_from(WORDS), max_size=12
).map("".join)


@given(st.text() | SENTENCES, st.sampled_from(list(ALPHABETS)), st.integers(0, 1), st.booleans())
@settings(max_examples=1000, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_it_never_raises_and_never_invents_a_label(text: str, language: str, which: int, truncated: bool) -> None:
    labels = ALPHABETS[language][which]
    options = OPTIONS[language][: len(labels)]
    found = extract(text, labels=labels, options=options, languages=(language,), truncated=truncated)
    if found.kind != "picked":
        assert found.position is None
        return
    position = found.position
    assert position is not None
    assert found.read == labels[position]
    named = any(token.position == position for token in Alphabet(labels).tokens(plain(text)))
    quoted = answer_key(options[position], language) in answer_key(strip_markup(text), language)
    assert named or (quoted and not truncated)


@given(SENTENCES)
@settings(max_examples=300, deadline=None)
def test_the_same_text_is_read_the_same_in_bold(text: str) -> None:
    if "<" in text or "~" in text or "*" in text:
        return
    asked = {"labels": tuple("ABCDE"), "options": OPTIONS["pt"], "languages": ("pt", "fa")}
    bold = " ".join(f"**{word}**" if word.isalnum() else word for word in text.split(" "))
    assert extract(bold, **asked) == extract(text, **asked)


@pytest.mark.parametrize(
    "text",
    [
        " " * 20_000 + "B x",
        "(" * 20_000 + "B x",
        "\n" * 20_000 + "B x",
        "a " * 10_000,
        "alternativa " * 1_000 + "B x",
        "resposta " * 1_000 + "B",
        "não é " * 1_000 + "B",
        "A, B ou " * 1_000,
        "گزینه " * 1_000 + "ب است",
        "ب یا " * 1_000,
        "<think>" * 5_000,
        "\\boxed{" * 1_000 + "B",
        "A) x\n" * 1_000,
        "~~a" * 5_000,
        "ir embora " * 1_000,
    ],
)
def test_degenerate_replies_do_not_blow_up(text: str) -> None:
    start = time.process_time()
    extract(text, labels=tuple("ABCDE"), options=OPTIONS["pt"], languages=("pt", "fa"))
    assert time.process_time() - start < 20
