"""Our own rated answers to ALBA's bundled prompts: written by a model, rated by it, reviewed by nobody.

They show how a judge works and test it; they say nothing about how well it agrees with experts. So each row must say
that it is a fixture, and each ``RatedAnswer`` made of one says it as well.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, cast, get_args

from sotaque.data.alba import DIMENSIONS, LANGUAGE, RatedAnswer, Tier
from sotaque.data.broken import BrokenRows, RowFault
from sotaque.data.lines import numbered_lines
from sotaque.data.tables import text_of
from sotaque.language.normalize import key

BUNDLED = Path(str(files("sotaque.suites"))) / "alba" / "answers.jsonl"


def read_fixtures(file: Path = BUNDLED) -> tuple[RatedAnswer, ...]:
    """All rated answers of a file of fixtures, in its order.

    Raises:
        ItemError: rows that are no rated answers, or do not say that they are fixtures; all of them at once.
    """
    broken, found = BrokenRows(file), list[RatedAnswer]()
    seen: set[tuple[str, str]] = set()
    with file.open("rb") as stream:
        for line, text in numbered_lines(stream, broken):
            try:
                answer = _answer(_row(text))
                if (answer.question, answer.tier) in seen:
                    raise RowFault(f"answer {answer.tier} to {answer.question} was given before", "keep one of them")
            except RowFault as fault:
                broken.add(line, fault.message, fault.remedy)
                continue
            seen.add((answer.question, answer.tier))
            found.append(answer)
    if not found and not broken.faults:
        broken.add(1, "the file has no answers", "write one JSON object per line")
    broken.check()
    return tuple(found)


def _row(text: str) -> Mapping[str, Any]:
    try:
        row: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RowFault(f"not valid JSON ({error})", "write one JSON object per line") from None
    if not isinstance(row, dict):
        raise RowFault("not a JSON object", "write one JSON object per line")
    return cast("Mapping[str, Any]", row)


def _answer(row: Mapping[str, Any]) -> RatedAnswer:
    if row.get("fixture") is not True:
        raise RowFault("the row does not say that it is a fixture", 'write "fixture": true')
    dimension, tier, rating = row.get("dimension"), row.get("tier"), row.get("rating")
    if dimension not in DIMENSIONS:
        raise RowFault(f"unknown dimension {dimension!r}", f"dimensions are: {', '.join(DIMENSIONS)}")
    if tier not in get_args(Tier):
        raise RowFault(f"'tier' is {tier!r}", "a tier is A, B or C")
    if isinstance(rating, bool) or not isinstance(rating, int) or not 1 <= rating <= 5:
        raise RowFault(f"'rating' is {rating!r}", "a rating is a whole number from 1 to 5")
    prompt, answer = text_of(row, "prompt"), text_of(row, "answer")
    return RatedAnswer(
        dimension=cast(str, dimension),
        question=text_of(row, "question"),
        prompt=prompt,
        prompt_key=key(prompt, LANGUAGE),
        tier=cast(Tier, tier),
        answer=answer,
        answer_key=key(answer, LANGUAGE),
        rating=rating,
        split="",
        fixture=True,
        reason=text_of(row, "reason"),
    )
