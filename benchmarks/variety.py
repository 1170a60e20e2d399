"""Cues of pt-PT and pt-BR looked for in a megabyte of Portuguese.

Beside it, as the floor: the same text in small letters, cut into words.
"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from sotaque.language.variety import cues, variety_of

MEGABYTE = 1_000_000
RUNS = 5
WORD = re.compile(r"\w+")


def text() -> str:
    """Our own stories, over and over."""
    folder = Path(__file__).resolve().parent.parent / "src" / "sotaque" / "suites"
    files = (folder / "broverbs" / "stp.jsonl", folder / "alba" / "prompts.jsonl")
    stories = "".join(file.read_text(encoding="utf-8") for file in files)
    return (stories * (MEGABYTE // len(stories) + 1))[:MEGABYTE]


def cut(large: str) -> int:
    return sum(1 for _ in WORD.finditer(large.lower()))


def seconds(run: Callable[[str], object], large: str) -> float:
    start = perf_counter()
    run(large)
    return perf_counter() - start


def main() -> int:
    large = text()
    variety_of("pronto")  # the table is read and compiled once
    pairs = [(seconds(variety_of, large), seconds(cut, large)) for _ in range(RUNS)]
    ratio = median(each / floor for each, floor in pairs)
    ours = median(each for each, _ in pairs)
    print(f"{len(cues())} cues looked for in 1 MB: {ours:.2f} s, {ratio:.1f} times the floor")
    return 0 if ratio <= 20 else 1


if __name__ == "__main__":
    sys.exit(main())
