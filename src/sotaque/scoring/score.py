"""Turns one reply into one score. Metrics never see how the reply came about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache

from sotaque.language.normalize import answer_key, strip_markup
from sotaque.records import (
    OUTSIDE_DENOMINATOR,
    Failure,
    Finish,
    Item,
    Metric,
    OptionScore,
    Outcome,
    Reading,
    Reply,
    Score,
)
from sotaque.scoring.extract import Extraction, extract
from sotaque.scoring.likelihood import Pick, pick
from sotaque.scoring.reasoning import after_reasoning, first_turn
from sotaque.suites.schema import METRICS

SCORING_VERSION = 1
"""Raised with every change that can give a stored reply another score: tables of ``language``, rules, tolerances."""

JUDGED = frozenset({Metric.JUDGE_SCORE})
"""Metrics that only a judge can give a value."""

_READ_AT_MOST = 120


def score_reply(
    item: Item, order: Sequence[int], reply: Reply | Failure, reading: Reading, similarity: float | None = None
) -> Score:
    """The score of one item.

    Args:
        item: the question.
        order: shown position -> index into ``item.options``.
        reply: what came back, or that nothing did.
        reading: how this task is read.
        similarity: BERTScore F1 of ``written_answer(reply)`` against the item's answers, where the task measures it.

    Raises:
        ValueError: the task cannot be scored as it is described (a metric that text cannot have, fewer labels than
            options, no gold); validating the suite prevents these.
    """
    if isinstance(reply, Failure):
        return Score(Outcome.ERROR, note=reply.message)
    if reply.finish is Finish.REFUSAL:
        return _without_answer(Outcome.REFUSED, reading)
    if reply.scores is not None:
        return _by_likelihood(item, order, reply.scores, reading)
    if reply.text is None or not reply.text.strip():
        outcome = Outcome.TRUNCATED if reply.finish is Finish.LENGTH else Outcome.EMPTY
        return _without_answer(outcome, reading)
    if reading.form == "text":
        return _by_text(item, reply, reply.text, reading, similarity)
    return _by_extraction(item, order, reply, reply.text, reading)


def written_answer(reply: Reply | Failure) -> str | None:
    """The text that is compared with an open question's answers; ``None`` where nothing was answered."""
    if isinstance(reply, Failure) or reply.finish is Finish.REFUSAL or not reply.text:
        return None
    answer = after_reasoning(reply.text)
    return (first_turn(answer).strip() or None) if answer else None


@lru_cache(maxsize=1024)
def scoring_hash(reading: Reading, encoder: str = "") -> str:
    """16 hexadecimal digits that change with anything that can change a score of the same reply.

    ``encoder`` identifies what BERTScore is computed with.
    """
    content: dict[str, object] = {
        "version": SCORING_VERSION,
        "form": reading.form,
        "labels": list(reading.labels),
        "languages": list(reading.languages),
        "metrics": [str(metric) for metric in reading.metrics],
        **({"encoder": encoder} if encoder else {}),
    }
    serialised = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(serialised.encode("ascii")).hexdigest()[:16]


# ---------------------------------------------------------------- option scores


def _by_likelihood(item: Item, order: Sequence[int], scores: Sequence[OptionScore], reading: Reading) -> Score:
    gold, texts = _gold(item), [item.options[index].text for index in order]
    picks = {metric: pick(scores, texts, metric) for metric in reading.metrics}
    headline = picks[reading.metrics[0]]
    if headline.problem:
        return Score(Outcome.UNSCORED, note=headline.problem)
    values = {str(metric): _credit(found, order, gold) for metric, found in picks.items()}
    ties = len(headline.top)
    if ties > 1:
        shares = any(order[position] == gold for position in headline.top)
        note = f"{ties} options share the top"
        tied = tuple(sorted(order[position] for position in headline.top))
        return Score(Outcome.TIE if shares else Outcome.WRONG, values=values, ties=ties, note=note, tied=tied)
    position = headline.top[0]
    picked = order[position]
    read = reading.labels[position] if position < len(reading.labels) else texts[position]
    return Score(_right_if(picked == gold), picked, read, values, ties)


def _credit(found: Pick, order: Sequence[int], gold: int) -> float:
    return 1 / len(found.top) if any(order[position] == gold for position in found.top) else 0.0


# ---------------------------------------------------------------- generated text


def _by_extraction(item: Item, order: Sequence[int], reply: Reply, text: str, reading: Reading) -> Score:
    _only_of_texts(item, reading)
    gold, cut = _gold(item), reply.finish is Finish.LENGTH
    found = extract(
        text,
        labels=_labels(item, order, reading),
        options=[item.options[index].text for index in order],
        languages=reading.languages,
        truncated=cut,
        form=reading.form,
    )
    if found.position is None:
        return _without_answer(_unread(found, cut), reading, found.read, found.note)
    picked = order[found.position]
    return _answered(picked == gold, reading, picked, found.read, found.note)


def _by_text(item: Item, reply: Reply, text: str, reading: Reading, similarity: float | None) -> Score:
    """Exact match on keys: case, white space, quotes, final punctuation and markup do not count; accents do.

    Where BERTScore is measured, a whole answer earns it: what is cut off has no value, as what is empty has none.

    What counts as equal is written down for users in docs/results.md.
    """
    if Metric.JUDGE_SCORE in reading.metrics:
        return _for_a_judge(reply, text)
    _only_of_texts(item, reading)
    if not item.answers:
        raise ValueError(f"item {item.id}: an open question needs at least one accepted answer in 'answers'")
    cut = reply.finish is Finish.LENGTH
    answer = written_answer(reply)
    if answer is None:
        return _without_answer(Outcome.TRUNCATED if cut else Outcome.INVALID, reading, note="no answer after reasoning")
    language = reading.languages[0] if reading.languages else "en"
    given = answer_key(strip_markup(answer), language)
    right = any(given == answer_key(strip_markup(accepted), language) for accepted in item.answers)
    if not right and cut:
        return _without_answer(Outcome.TRUNCATED, reading, note="cut off, and not an accepted answer so far")
    if Metric.BERTSCORE_F1 in reading.metrics:
        return _graded(item, right, similarity, reading, answer)
    return _answered(right, reading, None, answer[:_READ_AT_MOST], "")


def _graded(item: Item, right: bool, similarity: float | None, reading: Reading, answer: str) -> Score:
    """A similarity below 0 earns nothing; above 1 it is rounding, as is what follows the sixth decimal."""
    if similarity is None:
        raise ValueError(f"item {item.id}: {Metric.BERTSCORE_F1} is measured, and no similarity was given")
    values = dict.fromkeys(map(str, reading.metrics), float(right))
    values[Metric.BERTSCORE_F1.value] = min(1.0, max(0.0, round(similarity, 6)))
    outcome = Outcome.GRADED if reading.metrics[0] is Metric.BERTSCORE_F1 else _right_if(right)
    return Score(outcome, None, answer[:_READ_AT_MOST], values)


def _for_a_judge(reply: Reply, text: str) -> Score:
    """An answer that was given waits to be read; what is no whole answer is known at once, and has no score yet."""
    answer = after_reasoning(text)
    if reply.finish is Finish.LENGTH:
        return Score(Outcome.TRUNCATED)
    if answer is None or not answer.strip():
        return Score(Outcome.EMPTY, note="no answer after reasoning")
    return Score(Outcome.AWAITING)


def _unread(found: Extraction, cut: bool) -> Outcome:
    if found.kind == "conflict":
        return Outcome.CONFLICT
    return Outcome.TRUNCATED if cut else Outcome.INVALID


def _answered(right: bool, reading: Reading, picked: int | None, read: str, note: str) -> Score:
    values = {str(metric): float(right) for metric in reading.metrics}
    return Score(_right_if(right), picked, read, values, note=note)


def _without_answer(outcome: Outcome, reading: Reading, read: str = "", note: str = "") -> Score:
    scored = [] if outcome in OUTSIDE_DENOMINATOR else [each for each in reading.metrics if each not in JUDGED]
    values = {str(metric): 0.0 for metric in scored}
    return Score(outcome, None, read, values, note=note)


def _right_if(right: bool) -> Outcome:
    return Outcome.CORRECT if right else Outcome.WRONG


# ---------------------------------------------------------------- what a valid suite guarantees


def _gold(item: Item) -> int:
    if item.gold is None:
        raise ValueError(f"item {item.id}: cannot be scored without a gold option; give 'gold', or ask for a text")
    return item.gold


def _only_of_texts(item: Item, reading: Reading) -> None:
    unknown = [str(metric) for metric in reading.metrics if metric not in METRICS["generate"]]
    if unknown:
        raise ValueError(
            f"item {item.id}: {', '.join(unknown)} cannot be computed from generated text; "
            "use 'accuracy', or mode = \"choose\""
        )


def _labels(item: Item, order: Sequence[int], reading: Reading) -> tuple[str, ...]:
    labels = reading.labels[: len(order)]
    if reading.form == "label" and len(labels) < len(order):
        raise ValueError(f"item {item.id}: {len(order)} options, but only {len(labels)} labels; add labels to the task")
    return labels
