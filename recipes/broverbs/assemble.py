"""Assemble the bundled BRoverbs questions from a table of proverbs and stories.

    python recipes/broverbs/assemble.py [FOLDER]

Writes pts.jsonl, stp.jsonl, their variants of ten alternatives and the examples of each; the bundled ones, unless a
folder is given. Each story makes two questions: which of five (or ten) stories goes with its proverb (PtS), and which
of five (or ten) proverbs goes with it (StP). The others are of proverbs of the same part that are no kin (kin.toml),
and none is given away by its words: no story beside a proverb has a content word of it.

The seed is the name of the file. Wrong options come in rounds: in each, every proverb lends its wrong option to one
question, so that all are used equally often, and right positions are balanced. Nothing is tried twice.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "broverbs"
OPTIONS = {"": 5, "_10": 10}
VERSION = "3"
STEM = 5
FUNCTION_WORDS = frozenset(
    "a ao aquele as com cada da de depois do dos dois e em eu ha mais me mesma meu na nao nas nem no nos nunca o onde "
    "os ou para pela por quando que quem se seu seus so sobre sua te tem todos tudo um uma vai vao vem voce".split()
)
TESTS = {
    "pts": "what a proverb means: recognising a situation that it describes",
    "stp": "what a proverb means: recognising the proverb that describes a situation",
}


@dataclass(frozen=True, eq=False)
class Proverb:
    """One proverb, its stories, the proverbs it never meets, and how words begin that would give it away."""

    slug: str
    text: str
    explanation: str
    stories: tuple[str, ...]
    kin: frozenset[str]
    stems: tuple[str, ...]


@dataclass(frozen=True)
class Pick:
    """A story by its proverb and number; as an option of StP it stands for the proverb."""

    proverb: Proverb
    number: int

    @property
    def story(self) -> str:
        """Its text."""
        return self.proverb.stories[self.number]


def main(folder: Path) -> None:
    """Write the eight files."""
    for part, suffix in (("scored", ""), ("example", "_examples")):
        proverbs = read_tables(part)
        for task in ("pts", "stp"):
            for variant, n_options in OPTIONS.items():
                name = f"{task}{variant}{suffix}"
                lines = questions(task, proverbs, n_options, f"broverbs {name}")
                (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


def read_tables(part: str) -> list[Proverb]:
    """The proverbs of one part, in the order of the table.

    Raises:
        SystemExit: kin.toml names a proverb that the table lacks.
    """
    table = tomllib.loads((HERE / "proverbs.toml").read_text(encoding="utf-8"))
    kin: dict[str, set[str]] = {slug: set() for slug in table}
    for one, reasons in tomllib.loads((HERE / "kin.toml").read_text(encoding="utf-8")).items():
        for other in (other for others in reasons.values() for other in others):
            if one not in table or other not in table:
                raise SystemExit(f"kin.toml: '{one}' or '{other}' is not in proverbs.toml: correct the name")
            kin[one].add(other)
            kin[other].add(one)
    return [_proverb(slug, row, frozenset(kin[slug])) for slug, row in table.items() if row["part"] == part]


def _proverb(slug: str, row: dict[str, Any], kin: frozenset[str]) -> Proverb:
    content = [word for word in words(row["proverb"]) if word not in FUNCTION_WORDS]
    stems = [word[:STEM] if len(word) > 3 else f"{word} " for word in content]
    stems += [folded(stem) for stem in row.get("avoid", ())]
    return Proverb(slug, row["proverb"], row["explanation"], tuple(row["stories"]), kin, tuple(stems))


@cache
def shows(proverb: Proverb, story: str) -> bool:
    """Whether the story has a content word of the proverb."""
    return any(f"{word} ".startswith(proverb.stems) for word in words(story))


@cache
def words(text: str) -> tuple[str, ...]:
    """Its words, in lower case and without accents."""
    return tuple(re.findall(r"\w+", folded(text)))


def folded(text: str) -> str:
    """In lower case and without accents."""
    return "".join(char for char in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(char))


def questions(task: str, proverbs: Sequence[Proverb], n_options: int, seed: str) -> Iterator[str]:
    """One line for each story."""
    asked = [Pick(proverb, number) for proverb in proverbs for number in range(len(proverb.stories))]
    wrong = drawn(task, proverbs, n_options - 1, seed)
    order = sorted(range(len(asked)), key=lambda index: rank(seed, "position", str(index)))
    golds = {index: place % n_options for place, index in enumerate(order)}
    for index, pick in enumerate(asked):
        name = f"{pick.proverb.slug}-{pick.number + 1}"
        options = sorted(wrong[pick], key=lambda other: rank(seed, "order", name, other.proverb.slug))
        options.insert(golds[index], pick)
        yield _line(task, name, pick, options, golds[index])


def drawn(task: str, proverbs: Sequence[Proverb], count: int, seed: str) -> dict[Pick, list[Pick]]:
    """The wrong options of each question, every proverb (and in PtS every story) as often as any other."""
    numbers = range(len(proverbs[0].stories))
    wrong: dict[Pick, list[Pick]] = {Pick(proverb, number): [] for proverb in proverbs for number in numbers}
    met: set[tuple[str, str]] = set()
    for turn, number in product(range(count), numbers):
        lent = (number + turn) % len(numbers)
        choices: dict[Proverb, list[Proverb]] = {}
        for asked in proverbs:
            pick = Pick(asked, number)
            free = [other for other in proverbs if may_meet(task, pick, Pick(other, lent), wrong[pick])]
            order = (seed, str(turn), str(number), asked.slug)
            choices[asked] = sorted(free, key=lambda one: ((asked.slug, one.slug) in met, rank(*order, one.slug)))
        for asked, other in matching(choices).items():
            wrong[Pick(asked, number)].append(Pick(other, lent))
            met.add((asked.slug, other.slug))
    return wrong


def may_meet(task: str, asked: Pick, option: Pick, others: Sequence[Pick]) -> bool:
    """Whether an option may stand in a question, beside the wrong ones that it has already."""
    other = option.proverb
    if other is asked.proverb or other.slug in asked.proverb.kin or any(other is one.proverb for one in others):
        return False
    return not (shows(other, asked.story) if task == "stp" else shows(asked.proverb, option.story))


def matching(choices: Mapping[Proverb, Sequence[Proverb]]) -> dict[Proverb, Proverb]:
    """One of its choices for each proverb, no two the same: a perfect matching by augmenting paths (Kuhn).

    Raises:
        SystemExit: there is none; too many proverbs are kin.
    """
    taken: dict[Proverb, Proverb] = {}

    def placed(asked: Proverb, seen: set[Proverb]) -> bool:
        for other in choices[asked]:
            if other not in seen:
                seen.add(other)
                if other not in taken or placed(taken[other], seen):
                    taken[other] = asked
                    return True
        return False

    for asked in choices:
        if not placed(asked, set()):
            raise SystemExit(f"'{asked.slug}' has too few proverbs it may meet: take some out of kin.toml")
    return {asked: other for other, asked in taken.items()}


def rank(*parts: str) -> bytes:
    """A place in an order that looks random and is the same everywhere."""
    return sha256("\x1f".join(parts).encode()).digest()


def _line(task: str, name: str, pick: Pick, options: Sequence[Pick], gold: int) -> str:
    proverb, story = pick.proverb, pick.story
    row = {
        "id": name,
        "input": proverb.text if task == "pts" else story,
        "options": [option.story if task == "pts" else option.proverb.text for option in options],
        "gold": gold,
        "metadata": {
            "proverb": proverb.text,
            "explanation": proverb.explanation,
            "tests": TESTS[task],
            "author": "model-written",
            "review": "unreviewed",
            "version": VERSION,
        },
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
