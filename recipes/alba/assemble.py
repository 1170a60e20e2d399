"""Make the bundled ALBA prompts and rated answers from tables, one for each dimension.

    python recipes/alba/assemble.py [FOLDER]

Writes prompts.jsonl and answers.jsonl; the bundled ones, unless a folder is given. A table holds [[prompt]] entries:
id, topic, text; where an instruction is decidable by rule its checks; and for some of them three answers a, b, c of
falling quality, with "ratings" of b and c (a has 5) and the "reasons" of all three. An answer that is Brazilian on
purpose is declared: other_variety = { b = "pt-BR" }. The answers are fixtures for tests of judges: written to be
rated, never asked for.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "alba"
DIMENSIONS = (
    "language_variety",
    "culture_bound_semantics",
    "discourse_analysis",
    "word_plays",
    "syntax",
    "morphology",
    "lexicology",
    "phonetics_phonology",
)
BEST = 5
STATE = {"author": "model-written", "review": "unreviewed"}


def main(folder: Path) -> None:
    """Write both files."""
    rows = [(slug, row) for slug in DIMENSIONS for row in read_table(HERE / f"{slug}.toml")]
    write(folder / "prompts.jsonl", (prompt(slug, row) for slug, row in rows))
    write(folder / "answers.jsonl", (answer for slug, row in rows for answer in answers(slug, row)))


def read_table(file: Path) -> list[dict[str, Any]]:
    """The entries of a dimension, in the order of the table."""
    return tomllib.loads(file.read_text(encoding="utf-8"))["prompt"]


def prompt(slug: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """One line of prompts.jsonl."""
    metadata = {"dimension": slug, "topic": row["topic"], **STATE, "version": row.get("version", "1")}
    checks = {"checks": row["checks"]} if "checks" in row else {}
    return {"id": f"{slug}-{row['id']}", "prompt": row["text"], **checks, "metadata": metadata}


def answers(slug: str, row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The three lines of answers.jsonl, where a prompt has answers."""
    if "a" not in row:
        return
    for tier, rating, reason in zip("ABC", (BEST, *row["ratings"]), row["reasons"], strict=True):
        declared = row.get("other_variety", {}).get(tier.lower())
        yield {
            "dimension": slug,
            "question": f"{slug}-{row['id']}",
            "prompt": row["text"],
            "tier": tier,
            "answer": row[tier.lower()].strip(),
            "rating": rating,
            "reason": reason,
            "reason_language": "pt-PT",
            "fixture": True,
            **STATE,
            "version": row.get("version", "1"),
            **({"metadata": {"other_variety": declared}} if declared else {}),
        }


def write(file: Path, rows: Iterator[dict[str, Any]]) -> None:
    """One JSON object per line."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
