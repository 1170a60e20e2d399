"""A suite of any size for benchmarks: the shape of a real one, with generated text."""

import json
import random
from pathlib import Path

SUITE = """
format = 1
name = "synthetic"
title = "Generated questions, for benchmarks"
languages = ["pt-BR"]
version = "1"

[sources.own]
files = { quiz = "quiz.jsonl" }
provenance = { author = "a program", review = "none", licence = "CC0-1.0", share = "yes" }

[tasks.quiz]
about = "Which option?"
source = "quiz"
mode = "generate"
labels = "A B C D"
prompt = "{text}\\n\\n{options}\\n\\nResponda com a letra."
metrics = ["accuracy"]
"""

WORDS = "quem nunca cada grão água pedra tempo gato cão mar rio casa lua sol vento mão olho pé boca rei".split()


def write_suite(folder: Path, items: int) -> Path:
    """A folder with suite.toml and that many items of four options."""
    draw = random.Random(7)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.toml").write_text(SUITE, encoding="utf-8")
    with (folder / "quiz.jsonl").open("w", encoding="utf-8") as file:
        for number in range(items):
            options = [" ".join(draw.choices(WORDS, k=5)) + f" {number}-{place}" for place in range(4)]
            text = " ".join(draw.choices(WORDS, k=60))
            row = {"id": str(number), "text": text, "options": options, "gold": draw.randrange(4)}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return folder
