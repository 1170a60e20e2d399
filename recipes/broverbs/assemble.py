"""Assemble the bundled BRoverbs questions from a table of proverbs and stories.

    python recipes/broverbs/assemble.py [FOLDER]

Writes pts.jsonl, stp.jsonl and their files of examples; the bundled ones, unless a folder is given. Each story makes
two questions: which of five stories goes with its proverb (PtS), and which of five proverbs goes with it (StP). The
four distractors are of four other proverbs of the same part, drawn at random, none of them kin. Right positions are
balanced. Of the seeds from 0 up, the first is taken by which the longest and the shortest option, and the one that
is used least and most often in the file, are right about as often as any other: neither gives the answer away.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "broverbs"
OPTIONS = 5
VERSION = "2"
SEEDS = 20_000


@dataclass(frozen=True)
class Story:
    """One story, and the proverb it illustrates."""

    id: str
    slug: str
    text: str
    proverb: str
    explanation: str
    kin: frozenset[str]


@dataclass(frozen=True)
class Question:
    """One question; ``gold`` is the position of the right option."""

    story: Story
    asked: str
    options: tuple[str, ...]
    gold: int


def main(folder: Path) -> None:
    """Write the four files."""
    stories = read_table(HERE / "proverbs.toml")
    for part, suffix in (("scored", ""), ("example", "_examples")):
        for task, make in (("pts", proverb_to_stories), ("stp", story_to_proverbs)):
            lines = [_line(question) for question in _fair(stories[part], make, f"{task} {part}")]
            (folder / f"{task}{suffix}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


def read_table(file: Path) -> dict[str, list[Story]]:
    """Stories by part, in the order of the table."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    found: dict[str, list[Story]] = {"scored": [], "example": []}
    for slug, row in table.items():
        kin = frozenset(row["kin"]) | {other for other, more in table.items() if slug in more["kin"]}
        for number, text in enumerate(row["stories"], start=1):
            story = Story(f"{slug}-{number}", slug, text, row["proverb"], row["explanation"], kin)
            found[row["part"]].append(story)
    return found


def proverb_to_stories(story: Story, others: Sequence[Story], seed: str) -> tuple[str, list[str]]:
    """The proverb, and the story followed by four that do not go with it."""
    return story.proverb, [story.text, *(other.text for other in _drawn(story, others, seed))]


def story_to_proverbs(story: Story, others: Sequence[Story], seed: str) -> tuple[str, list[str]]:
    """The story, and its proverb followed by four that do not go with it."""
    return story.text, [story.proverb, *(other.proverb for other in _drawn(story, others, seed))]


Make = Callable[[Story, Sequence[Story], str], tuple[str, list[str]]]


def _drawn(story: Story, others: Sequence[Story], seed: str) -> list[Story]:
    """Four stories of four other proverbs, by their place in an order that the seed gives."""
    chosen: dict[str, Story] = {}
    for other in sorted(others, key=lambda other: _rank(seed, story.id, other.id)):
        if other.slug != story.slug and other.slug not in story.kin:
            chosen.setdefault(other.slug, other)
    return list(chosen.values())[: OPTIONS - 1]


def _fair(stories: Sequence[Story], make: Make, name: str) -> list[Question]:
    for seed in range(SEEDS):
        questions = _assembled(stories, make, f"{name} {seed}")
        if is_fair(questions):
            return questions
    raise SystemExit(f"{name}: no seed below {SEEDS} hides the right option")


def is_fair(questions: Sequence[Question]) -> bool:
    """Whether neither length nor frequency gives the right option away, as far as so few questions can tell."""
    used = Counter(option for question in questions for option in question.options)
    slack = 0.5 / len(questions) + 0.02
    measures: tuple[Callable[[str], int], ...] = (len, used.__getitem__)
    return all(abs(share(questions, of, best) - 1 / OPTIONS) <= slack for of in measures for best in (max, min))


def _assembled(stories: Sequence[Story], make: Make, seed: str) -> list[Question]:
    order = sorted(range(len(stories)), key=lambda index: _rank(seed, "position", str(index)))
    questions: list[Question] = []
    for index, story in enumerate(stories):
        asked, (right, *wrong) = make(story, stories, seed)
        gold = order.index(index) % OPTIONS
        questions.append(Question(story, asked, (*wrong[:gold], right, *wrong[gold:]), gold))
    return questions


def share(questions: Sequence[Question], of: Callable[[str], int], best: Callable[[list[int]], int]) -> float:
    """How often picking the option with the most (or least) of something is right; ties are split."""
    total = 0.0
    for question in questions:
        found = [of(option) for option in question.options]
        if found[question.gold] == best(found):
            total += 1 / found.count(best(found))
    return total / len(questions)


def _line(question: Question) -> str:
    story = question.story
    row = {
        "id": story.id,
        "input": question.asked,
        "options": list(question.options),
        "gold": question.gold,
        "metadata": {
            "proverb": story.proverb,
            "explanation": story.explanation,
            "author": "model-written",
            "review": "unreviewed",
            "version": VERSION,
        },
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _rank(*parts: str) -> bytes:
    return sha256("\x1f".join(parts).encode()).digest()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
