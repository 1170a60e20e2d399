import re
from dataclasses import fields

import pytest

from sotaque.language.answers import ENGLISH, LANGUAGES, PERSIAN, PORTUGUESE, answering
from sotaque.language.normalize import plain


def test_english_is_always_understood_and_listed_once() -> None:
    assert answering(("fa",)) == (PERSIAN, ENGLISH)
    assert answering(("pt-BR", "pt-PT", "en")) == (PORTUGUESE, ENGLISH)


def test_a_language_without_a_table_falls_back_to_english() -> None:
    assert answering(("sw",)) == (ENGLISH,)
    assert answering(()) == (ENGLISH,)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_is_a_pattern_in_plain_form(language: str) -> None:
    table = LANGUAGES[language]
    for field in fields(table):
        pattern = getattr(table, field.name)
        assert not re.compile(pattern).match(""), f"{language}.{field.name} matches nothing at all"
        letters = "".join(re.findall(r"[^\W\d_]+", pattern))
        assert plain(letters) == letters, f"{language}.{field.name} is not in the form that texts are matched in"
