"""Verb forms of the table against a program that is not ours: Debian's ``conjugue`` (brazilian-conjugate, GPL).

It is run here and nothing of it is shipped. Its spelling is that of before the agreement of 1990, and its bank of
verbs has slips of its own: where the two differ, ``OURS`` says why ours stands.
"""

import os
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from optional_parts import require

TABLE = Path(__file__).parents[2] / "recipes" / "brasilidade" / "conjugacoes.toml"
PROGRAM = "conjugue-UTF-8"
"""The package's wrapper picks it, or its Latin-1 twin, by the locale; the checks ask for it by name."""

PERSONS = ("eu", "tu", "ele", "nós", "vós", "eles")
NAMED_BY_PROGRAM = {
    "presente do indicativo": "PI",
    "pretérito imperfeito do indicativo": "II",
    "pretérito perfeito do indicativo": "EI",
    "pretérito mais-que-perfeito simples do indicativo": "MI",
    "futuro do presente do indicativo": "FI",
    "futuro do pretérito do indicativo": "TI",
    "presente do subjuntivo": "PS",
    "pretérito imperfeito do subjuntivo": "IS",
    "futuro do subjuntivo": "FS",
    "imperativo afirmativo": "IA",
    "imperativo negativo": "IN",
    "imperativo negativo com pronome oblíquo": "IN",
    "infinitivo pessoal": "IP",
}

AGREEMENT = "the agreement of 1990 took the accent from -eem"
SLIP = "a slip of the program's bank"
REQUERER = f"{SLIP}: its own present subjunctive is requeira, and the negative imperative is the same"
DISTINGUIR = f"{SLIP}: the u of gu is only written before e and i"
OURS = {
    ("ler", "PI", "eles"): ("lêem", AGREEMENT),
    ("crer", "PI", "eles"): ("crêem", AGREEMENT),
    ("dar", "PS", "eles"): ("dêem", AGREEMENT),
    ("convir", "PI", "eles"): ("convém", f"{SLIP}: the singular; those of vir have a circumflex in the plural"),
    ("dirigir", "IN", "ele"): ("dirijas", f"{SLIP}: the second person twice"),
    ("distinguir", "IA", "ele"): ("distingua", DISTINGUIR),
    ("distinguir", "IA", "nós"): ("distinguamos", DISTINGUIR),
    ("distinguir", "IA", "eles"): ("distinguam", DISTINGUIR),
    ("requerer", "IN", "tu"): ("requeras", REQUERER),
    ("requerer", "IN", "ele"): ("requera", REQUERER),
    ("requerer", "IN", "nós"): ("requeramos", REQUERER),
    ("requerer", "IN", "vós"): ("requerais", REQUERER),
    ("requerer", "IN", "eles"): ("requeram", REQUERER),
}
"""(verb, tense, person): what the program says, and why the table says otherwise."""

Cell = tuple[str, str, str]


@pytest.fixture(scope="module")
def table() -> dict[str, list[list[str]]]:
    rows = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {verb: row["formas"] for verb, row in rows.items()}


@pytest.fixture(scope="module")
def oracle(table: dict[str, list[list[str]]], tmp_path_factory: pytest.TempPathFactory) -> dict[Cell, str]:
    """Every form of every verb of the table, from one run of the program; "-" is a form that it does not give."""
    require(shutil.which(PROGRAM) is not None, f"{PROGRAM} (Debian package brazilian-conjugate)")
    home = tmp_path_factory.mktemp("home")  # the program notes verbs that it lacks in a file there
    verbs = [verb.removesuffix("-se") for verb in table]
    ran = subprocess.run(
        [PROGRAM],
        input="".join(f"{verb}\n" for verb in verbs),
        env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(home)},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    _, *answers = ran.stdout.split("\n: ")
    return {
        (verb, tense, person): form
        for verb, answer in zip(table, answers[: len(verbs)], strict=True)
        for tense, forms in tenses(answer)
        for person, form in zip(PERSONS, forms, strict=True)
    }


def tenses(answer: str) -> Iterator[tuple[str, list[str]]]:
    """Lines such as ``PI:caibo:cabes:...``; imperatives have five forms, and a line may lack its last, empty, ones."""
    for line in answer.splitlines():
        tense, colon, forms = line.partition(":")
        if colon and tense in NAMED_BY_PROGRAM.values():
            found = [form or "-" for form in forms.split(":")]
            found = ["-", *found] if tense in ("IA", "IN") else found
            yield tense, [*found, *["-"] * len(PERSONS)][: len(PERSONS)]


def cells(table: dict[str, list[list[str]]]) -> Iterator[tuple[Cell, str]]:
    for verb, rows in table.items():
        for tense, _, forms in rows:
            for person, form in zip(PERSONS, forms.split(), strict=True):
                yield (verb, NAMED_BY_PROGRAM[tense], person), form


def test_the_program_knows_every_verb(table: dict[str, list[list[str]]], oracle: dict[Cell, str]):
    assert {verb for verb, _, _ in oracle} == table.keys()


def test_every_form_of_the_table_is_the_programs_or_its_difference_is_explained(
    table: dict[str, list[list[str]]], oracle: dict[Cell, str]
):
    checked = list(cells(table))
    assert len(checked) > 1800
    differ = {cell: (oracle[cell], form) for cell, form in checked if oracle[cell] != form}
    assert {cell: theirs for cell, (theirs, _) in differ.items()} == {cell: told for cell, (told, _) in OURS.items()}
    assert all(reason for _, reason in OURS.values())


def test_forms_that_defective_verbs_lack_are_the_programs(table: dict[str, list[list[str]]], oracle: dict[Cell, str]):
    lacking = {cell for cell, form in cells(table) if form == "-" and not (cell[1] in ("IA", "IN") and cell[2] == "eu")}
    verbs = {verb for verb, _, _ in lacking}
    assert verbs == {"abolir", "banir", "colorir", "demolir", "extorquir", "falir", "precaver", "reaver"}
    assert all(oracle[cell] == "-" for cell in lacking)
