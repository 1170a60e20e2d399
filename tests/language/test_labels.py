import pytest

from sotaque.language.labels import Alphabet, labels_for
from sotaque.language.normalize import plain

LATIN, PERSIAN, DIGITS = "A B C D E".split(), "الف ب ج د".split(), "۱ ۲ ۳ ۴".split()


def found(text: str, labels: list[str]) -> list[str]:
    return [labels[token.position] for token in Alphabet(labels).tokens(plain(text))]


@pytest.mark.parametrize(
    ("spec", "n", "labels"),
    [
        ("A B C D E", 5, ("A", "B", "C", "D", "E")),
        ("الف ب ج د", 2, ("الف", "ب")),
        ("۱ ۲ ۳", 3, ("۱", "۲", "۳")),
        (" 1  2 3 ", 3, ("1", "2", "3")),
        ("I II III IV", 4, ("I", "II", "III", "IV")),
    ],
)
def test_labels_of_a_spec(spec: str, n: int, labels: tuple[str, ...]) -> None:
    assert labels_for(spec, n) == labels


def test_too_few_labels_name_both_counts_and_the_remedy() -> None:
    with pytest.raises(ValueError, match=r"'A B C' name 3 options, but there are 5: add 2 more"):
        labels_for("A B C", 5)


@pytest.mark.parametrize("spec", ["A B A", "1 ۱", "B Ｂ", "ی ي"])
def test_labels_that_mean_the_same_are_refused(spec: str) -> None:
    with pytest.raises(ValueError, match="must differ"):
        labels_for(spec, 2)


def test_cases_may_be_different_labels() -> None:
    alphabet = Alphabet(labels_for("A a", 2))
    assert alphabet.position("A") == 0
    assert alphabet.position("a") == 1


@pytest.mark.parametrize(
    ("sign", "label", "labels"),
    [
        ("Ｂ", "B", LATIN),
        ("Ⓑ", "B", LATIN),
        ("𝐁", "B", LATIN),
        ("b", "B", LATIN),
        ("ا", "الف", PERSIAN),
        ("آ", "الف", PERSIAN),
        ("أ", "الف", PERSIAN),
        ("اَلف", "الف", PERSIAN),
        ("بِ", "ب", PERSIAN),
        ("ﺏ", "ب", PERSIAN),
        ("جـ", "ج", PERSIAN),
        ("جیم", "ج", PERSIAN),
        ("2", "۲", DIGITS),
        ("٢", "۲", DIGITS),
        ("②", "۲", DIGITS),
        ("2️⃣", "۲", DIGITS),
    ],
)
def test_signs_that_mean_the_same_label(sign: str, label: str, labels: list[str]) -> None:
    assert found(sign, labels) == [label]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("B", PERSIAN),
        ("2", PERSIAN),
        ("ب", LATIN),
        ("В", LATIN),  # Cyrillic
        ("Β", LATIN),  # Greek
        ("F", LATIN),
    ],
)
def test_other_scripts_ranks_and_lookalikes_are_not_labels(text: str, labels: list[str]) -> None:
    assert found(text, labels) == []


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("desconheço Bahia", LATIN),
        ("E-mail, D.C., C++, A+, C#, A/C", LATIN),
        ("D'água, d’água, C'est", LATIN),
        ("1º 2ª 3,5 3.5 10 50% 3:30", DIGITS),
        ("به در آنجا الفبا", PERSIAN),
        ("A\u0323\u0331 B\u0335", LATIN),
        ("B_1", LATIN),
    ],
)
def test_a_label_inside_a_word_or_number_is_none(text: str, labels: list[str]) -> None:
    assert found(text, labels) == []


def test_a_devanagari_letter_with_a_vowel_sign_is_not_the_label() -> None:
    assert found("का", ["क", "ख"]) == []
    assert found("क)", ["क", "ख"]) == ["क"]


@pytest.mark.parametrize("text", ["(B)", "[B]", "B.", "B:", "«B»", '"B"', "B,", "B\n", "-B", "B–x", "…B"])
def test_a_label_beside_punctuation_is_a_token(text: str) -> None:
    assert found(text, LATIN) == ["B"]


@pytest.mark.parametrize("text", ["ب)متن", "ب-متن", "ب.متن", ")ب(", "\u202bب\u202c", "ب：متن"])
def test_a_persian_label_may_touch_its_text(text: str) -> None:
    assert found(text, PERSIAN) == ["ب"]


def test_only_a_sign_that_may_go_on_is_unfinished() -> None:
    assert Alphabet([str(n) for n in range(1, 11)]).unfinished("1")
    assert Alphabet(PERSIAN).unfinished("ا")
    assert Alphabet(LATIN).unfinished("a")
    assert not Alphabet(PERSIAN).unfinished("د")
    assert not Alphabet(LATIN).unfinished("A")


def test_no_labels_find_nothing() -> None:
    assert found("A B", []) == []
    assert [t.position for t in Alphabet(["", "B"]).tokens("A B")] == [1]
