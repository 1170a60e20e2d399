"""Write the questions on augmentatives and diminutives from the table of right and wrong forms.

    python recipes/brasilidade/graus.py [FOLDER]

Writes aumentativo.jsonl and diminutivo.jsonl and their files of examples, from graus.toml; the bundled ones, unless a
folder is given. The five places are right equally often; which word gets which, and the order of the wrong forms,
hang on the suite's name and the word alone.
"""

from __future__ import annotations

import json
import sys
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "brasilidade"
SEED = "brasilidade"
LETTERS = "abcde"
VERSION = "3"

Row = Mapping[str, object]


def main(folder: Path) -> None:
    """Write the four files."""
    table = tomllib.loads((HERE / "graus.toml").read_text(encoding="utf-8"))
    for degree, rows in table.items():
        for part, suffix in (("", ""), ("exemplo", "_exemplos")):
            lines = questions(degree, [row for row in rows if row.get("parte", "") == part])
            (folder / f"{degree}{suffix}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


def questions(degree: str, rows: Sequence[Row]) -> list[str]:
    """One line of JSON for each row, in the order of the table."""
    order = sorted(range(len(rows)), key=lambda index: _rank(degree, "place", str(rows[index]["palavra"])))
    places = {index: turn % len(LETTERS) for turn, index in enumerate(order)}
    return [_question(degree, row, places[index]) for index, row in enumerate(rows)]


def _question(degree: str, row: Row, place: int) -> str:
    word, right = str(row["palavra"]), str(row["certa"])
    wrong = sorted(_texts(row["erradas"]), key=lambda form: _rank(degree, word, form))
    forms = [*wrong[:place], right, *wrong[place:]]
    made: dict[str, object] = {
        "id": unicodedata.normalize("NFD", word).encode("ascii", "ignore").decode(),
        "palavra": word,
        "pergunta": f"Entre as opções abaixo, qual é o {degree} correto da palavra '{word}'?",
        "grau": degree,
    }
    for letter, form in zip(LETTERS, forms, strict=True):
        made |= {f"alternativa_{letter}": form, f"alternativa_{letter}_correta": form == right}
    made["resposta_correta"] = right
    made |= {"testa": f"formação do {degree}", "author": "model-written", "review": "unreviewed", "version": VERSION}
    return json.dumps(made, ensure_ascii=False) + "\n"


def _texts(value: object) -> list[str]:
    if not isinstance(value, list):
        raise SystemExit(f"'erradas' has to be a list of forms: {value!r}")
    return [str(text) for text in value]


def _rank(*parts: str) -> bytes:
    return sha256("\x1f".join((SEED, *parts)).encode()).digest()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
