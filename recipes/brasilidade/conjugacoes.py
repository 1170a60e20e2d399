"""Write the questions on verb forms from the table of conjugations.

    python recipes/brasilidade/conjugacoes.py [FOLDER]

Writes conjugacoes.jsonl and conjugacoes_exemplos.jsonl, from conjugacoes.toml; the bundled ones, unless a folder is
given. Answers are written as the published ones are: with the subject, before the verb or, in imperatives, after it.
Reflexive pronouns stand before the verb, as Brazil has them after a subject, and after it in affirmative imperatives.
"""

from __future__ import annotations

import json
import sys
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "brasilidade"
VERSION = "3"

PERSONS = ("eu", "tu", "ele", "nós", "vós", "eles")
NAMED = {
    "eu": "primeira pessoa do singular",
    "tu": "segunda pessoa do singular",
    "ele": "terceira pessoa do singular",
    "nós": "primeira pessoa do plural",
    "vós": "segunda pessoa do plural",
    "eles": "terceira pessoa do plural",
}
REFLEXIVE = {"eu": "me", "tu": "te", "ele": "se", "nós": "nos", "vós": "vos", "eles": "se"}
ADDRESSED = {"ele": "você", "eles": "vocês"}

AFFIRMATIVE, NEGATIVE = "imperativo afirmativo", "imperativo negativo"
NEGATIVE_OBJECT = "imperativo negativo com pronome oblíquo"
OBJECT = "o"
"""The pronoun that is meant; questions name it, for a, os, me would do as well."""

TENSES = {
    "presente do indicativo": "pres-ind",
    "pretérito imperfeito do indicativo": "imperf-ind",
    "pretérito perfeito do indicativo": "perf-ind",
    "pretérito mais-que-perfeito simples do indicativo": "mqperf-ind",
    "futuro do presente do indicativo": "fut-pres",
    "futuro do pretérito do indicativo": "fut-pret",
    "presente do subjuntivo": "pres-subj",
    "pretérito imperfeito do subjuntivo": "imperf-subj",
    "futuro do subjuntivo": "fut-subj",
    AFFIRMATIVE: "imper-afirm",
    NEGATIVE: "imper-neg",
    NEGATIVE_OBJECT: "imper-neg-obl",
    "infinitivo pessoal": "inf-pess",
}
"""Tenses as questions name them, and as ids do."""

MISSING = "-"


def main(folder: Path) -> None:
    """Write the two files."""
    table = tomllib.loads((HERE / "conjugacoes.toml").read_text(encoding="utf-8"))
    for part, suffix in (("", ""), ("exemplo", "_exemplos")):
        verbs = {verb: row for verb, row in table.items() if row.get("parte", "") == part}
        text = "".join(line for verb, row in verbs.items() for line in questions(verb, row))
        (folder / f"conjugacoes{suffix}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def questions(verb: str, row: Mapping[str, object]) -> Iterator[str]:
    """One line of JSON for each row of the verb's table that asks for a person."""
    rows = row["formas"]
    if not isinstance(rows, list):
        raise SystemExit(f"{verb}: 'formas' has to be a list of rows")
    for tense, person, forms in rows:
        if person:
            yield _question(verb, str(row["tipo"]), tense, person, dict(zip(PERSONS, forms.split(), strict=True)))


def _question(verb: str, kind: str, tense: str, person: str, forms: Mapping[str, str]) -> str:
    if forms[person] == MISSING:
        raise SystemExit(f"{verb}, {tense}: '{person}' is asked for, and there is no such form")
    asked = NAMED[person]
    if tense.startswith("imperativo") and person in ADDRESSED:
        asked += f" ({ADDRESSED[person]})"
    named = f"{tense} ({OBJECT})" if tense == NEGATIVE_OBJECT else tense
    made = {
        "id": f"{_ascii(verb)}-{TENSES[tense]}-{_ascii(person)}",
        "question": f"Qual é a {asked} do {named} do verbo {verb}?",
        "answer": answer(verb, tense, person, forms[person]),
        "tipo": kind,
        "tempo": tense,
        "pessoa": person,
        "testa": f"conjugação de verbo {kind}",
        "author": "model-written",
        "review": "unreviewed",
        "version": VERSION,
    }
    return json.dumps(made, ensure_ascii=False) + "\n"


def answer(verb: str, tense: str, person: str, form: str) -> str:
    """The form with its subject and its other pronouns."""
    reflexive = REFLEXIVE[person] if verb.endswith("-se") else ""
    subject = ADDRESSED.get(person, person)
    if tense == AFFIRMATIVE:
        return f"{_enclitic(form, reflexive)} {subject}"
    if tense in (NEGATIVE, NEGATIVE_OBJECT):
        pronoun = OBJECT if tense == NEGATIVE_OBJECT else reflexive
        return " ".join(word for word in ("não", pronoun, form, subject) if word)
    return " ".join(word for word in (person, reflexive, form) if word)


def _enclitic(form: str, pronoun: str) -> str:
    if not pronoun:
        return form
    return f"{form.removesuffix('s')}-nos" if pronoun == "nos" else f"{form}-{pronoun}"


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFD", text).encode("ascii", "ignore").decode()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
