import pytest

from sotaque.language.announce import Firmness, cues
from sotaque.language.labels import Alphabet
from sotaque.language.normalize import plain

LATIN, PERSIAN = Alphabet(["B", "C"]), Alphabet("الف ب ج د".split())


def firmness(text: str) -> list[Firmness]:
    text = plain(text)
    persian = list(PERSIAN.tokens(text))
    known = cues(("pt", "fa"))
    return [known.firmness(text, token) for token in persian or LATIN.tokens(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Resposta: B",
        "O gabarito é B",
        "letra correta: B",
        "Escolho a B.",
        "B está correta",
        "The answer is B",
        "I'd go with B.",
        "پاسخ: ب",
        "پاسخ ب است",
        "گزینه ب صحیح است",
        "ب را انتخاب می‌کنم",
    ],
)
def test_announced(text: str) -> None:
    assert firmness(text) == [Firmness.ANNOUNCED]


@pytest.mark.parametrize("text", ["Portanto, B.", "É B.", "A resposta seria B", "Com base no texto, letra B.", "پس ب."])
def test_leaning(text: str) -> None:
    assert firmness(text) == [Firmness.LEANING]


@pytest.mark.parametrize(
    "text",
    [
        "a alternativa B fala de pressa",
        "a resposta não é B",
        "Resposta: B?",
        "a alternativa B está errada",
        "The answer is not B",
        "option B isn't it",
        "Opções: B",
        "گزینه ب نیست",
        "گزینه ب درست نیست",
        "پاسخ نمی‌تواند گزینه ب باشد",
        "vitamina B",
    ],
)
def test_only_mentioned(text: str) -> None:
    assert firmness(text) == [Firmness.MENTIONED]


def test_a_text_can_be_announced_or_denied_too() -> None:
    known = cues(("pt",))
    assert known.announces("a resposta é ")
    assert not known.announces("a resposta não é ")
    assert known.denies("isto não é ")
    assert not known.denies("isto é ")
