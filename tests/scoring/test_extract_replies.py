"""A thousand replies as models write them: bare, announced, decorated, explained, hedged, negated, taken back.

``replies/LANGUAGE.tsv``: what must be read (a label, "invalid" or "conflict"), a tab, the reply; ⏎ is a line break.
"""

from pathlib import Path

import pytest

from sotaque.scoring.extract import Extraction, extract

HERE = Path(__file__).resolve().parent / "replies"
PERSIAN = (
    "از او تشکر کند",
    "به او هشدار بدهد که عجله نکند",
    "موضوع بحث را عوض کند",
    "او را برای اشتباهش سرزنش کند",
)
PORTUGUESE = (
    "suportar situações desagradáveis em silêncio",
    "comer algo estragado",
    "mentir para agradar alguém",
    "perder a paciência com facilidade",
    "guardar um segredo",
)
ENGLISH = (
    "to put up with unpleasant things",
    "to eat something spoiled",
    "to lie in order to please",
    "to lose one's temper",
)
ASKED = {
    "pt": ("A B C D E", PORTUGUESE, ("pt",)),
    "fa": ("الف ب ج د", PERSIAN, ("fa", "en")),
    "fa_digits": ("۱ ۲ ۳ ۴", PERSIAN, ("fa", "en")),
    "en": ("A B C D", ENGLISH, ("en",)),
}


def table(name: str) -> list[tuple[str, str]]:
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if line]
    return [(read, reply.replace("⏎", "\n")) for read, reply in rows]


def read(name: str, reply: str, *, truncated: bool = False) -> str:
    labels, options, languages = ASKED[name]
    found = extract(reply, labels=tuple(labels.split()), options=options, languages=languages, truncated=truncated)
    return said(found)


def said(found: Extraction) -> str:
    return found.read if found.kind == "picked" else found.kind


@pytest.mark.parametrize("name", ASKED)
def test_every_reply_is_read_as_a_person_reads_it(name: str) -> None:
    rows = table(name)
    misread = [(reply, expected, read(name, reply)) for expected, reply in rows if read(name, reply) != expected]
    assert misread == []


@pytest.mark.parametrize("name", ASKED)
def test_a_cut_off_reply_is_read_as_its_whole_or_not_at_all(name: str) -> None:
    for expected, reply in table(name):
        assert read(name, reply, truncated=True) in {expected, "invalid"}, reply


def test_each_table_has_every_label_and_outcome() -> None:
    for name, (labels, _, _) in ASKED.items():
        assert {expected for expected, _ in table(name)} == {*labels.split(), "invalid", "conflict"}
    assert sum(len(table(name)) for name in ASKED) > 1000
