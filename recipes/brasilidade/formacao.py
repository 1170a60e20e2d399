"""Write the questions on word formation from the table of words.

    python recipes/brasilidade/formacao.py [FOLDER]

Writes formacao.jsonl and formacao_exemplos.jsonl, from formacao.toml; the bundled ones, unless a folder is given.
One row serves several tasks. What is not asked about a word is left empty, and its task passes the word over; the
pieces of a word whose pieces are not asked are told in `observacao`, its class in `classe_da_palavra`.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "brasilidade"
VERSION = "3"
MOST = 5
"""Morphemes of a word: the published fields go no further."""

TESTED = {"classe": "classe gramatical", "tipo": "tipo de formação", "morfemas": "segmentação em morfemas"}

Row = Mapping[str, object]
Pieces = Sequence[tuple[str, str, str]]


def main(folder: Path) -> None:
    """Write the two files."""
    table = tomllib.loads((HERE / "formacao.toml").read_text(encoding="utf-8"))["palavra"]
    for part, suffix in (("", ""), ("exemplo", "_exemplos")):
        text = "".join(_line(row) for row in table if row.get("parte", "") == part)
        (folder / f"formacao{suffix}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def _line(row: Row) -> str:
    asked, pieces = _asked(row), _pieces(row)
    shown = pieces if "morfemas" in asked else ()
    told = "" if shown else " + ".join(piece for piece, _, _ in pieces)
    notes = [str(note) for note in (told, row.get("observacao"), row.get("mudanca")) if note]
    made: dict[str, object] = {
        "id": _slug(str(row["termo"])),
        "termo": row["termo"],
        "classe": row["classe"] if "classe" in asked else None,
        "derivacao": _type(row, "derivacao", "Derivação") if "tipo" in asked else None,
        "composicao": _type(row, "composicao", "Composição por") if "tipo" in asked else None,
        "observacao": "; ".join(notes) or None,
    }
    for place in range(MOST):
        piece, kind, meaning = shown[place] if place < len(shown) else (None, None, None)
        names = (f"{name}_{place + 1}" for name in ("morfema", "significado", "classificacao"))
        made |= dict(zip(names, (piece, meaning, kind), strict=True))
    made["classe_da_palavra"] = row.get("classe")
    made["testa"] = ", ".join(TESTED[each] for each in asked)
    made |= {"author": "model-written", "review": "unreviewed", "version": VERSION}
    return json.dumps(made, ensure_ascii=False) + "\n"


def _type(row: Row, column: str, named: str) -> str | None:
    return f"{named} {row[column]}" if column in row else None


def _asked(row: Row) -> list[str]:
    asked = row["perguntas"]
    if not isinstance(asked, list) or not set(asked) <= TESTED.keys():
        raise SystemExit(f"{row['termo']}: 'perguntas' may hold {', '.join(TESTED)}")
    return asked


def _pieces(row: Row) -> Pieces:
    pieces = row.get("morfemas", [])
    if not isinstance(pieces, list) or len(pieces) > MOST:
        raise SystemExit(f"{row['termo']}: 'morfemas' has to be a list of up to {MOST} pieces")
    return [(piece, kind, meaning) for piece, kind, meaning in pieces]


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.lower()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
