"""Warnings that the replies themselves give rise to: cut off, empty, stopped too early, from several models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sotaque.records import Finish, Outcome, Reply, Sample
from sotaque.summary.results import TaskFacts

MANY_UNREADABLE = 0.1
SAME_PLACE = 0.95
ENOUGH_TO_SEE_A_HABIT = 20
ROOM_TO_REASON = 1024


def run_cautions(reported: Mapping[str, int]) -> tuple[str, ...]:
    """What concerns all tasks: a model name that changed under way."""
    if len(reported) < 2:
        return ()
    names = ", ".join(f"{name} ({count})" for name, count in sorted(reported.items()))
    return (f"The server reported {len(reported)} model names: {names}. The replies may come from different models.",)


def task_cautions(samples: Sequence[Sample], facts: TaskFacts) -> tuple[str, ...]:
    """What concerns one task, most serious first."""
    tally = Counter(sample.score.outcome for sample in samples)
    return (
        *_waiting(tally),
        *_lost(tally, len(samples)),
        *_empty(samples, tally, facts),
        *_cut_off(samples, facts),
        *_unreadable(tally, len(samples)),
        *_same_place(samples, facts),
    )


def _waiting(tally: Mapping[Outcome, int]) -> Iterator[str]:
    """Without numbers, so that it is said once for all tasks."""
    if tally[Outcome.AWAITING]:
        yield "The answers await a judge: they are kept, and have no score yet."


def _lost(tally: Mapping[Outcome, int], total: int) -> Iterator[str]:
    if errors := tally[Outcome.ERROR]:
        yield f"{errors:,} of {total:,} requests got no reply: left out of the score, asked again by the next run."
    if unscored := tally[Outcome.UNSCORED]:
        yield f"{unscored:,} of {total:,} replies could not be scored: left out of the score."


def _empty(samples: Sequence[Sample], tally: Mapping[Outcome, int], facts: TaskFacts) -> Iterator[str]:
    """FIELD_FAULTS 19: a stop string that a model writes first leaves nothing of its answers."""
    replies = sum(isinstance(sample.reply, Reply) for sample in samples)
    empty = tally[Outcome.EMPTY]
    stopped = sum(_finish(sample) is Finish.STOP for sample in samples if sample.score.outcome is Outcome.EMPTY)
    if empty and empty == replies:
        yield "Every reply was empty: this score says nothing about the model."
    if stopped * 2 > replies:
        cause = f"; the stop strings ({_quoted(facts.stop)}) may cut every answer short" if facts.stop else ""
        yield f"{stopped:,} of {replies:,} replies stopped before any text{cause}."


def _cut_off(samples: Sequence[Sample], facts: TaskFacts) -> Iterator[str]:
    cut = [sample.reply for sample in samples if sample.score.outcome is Outcome.TRUNCATED]
    replies = [reply for reply in cut if isinstance(reply, Reply)]
    if not replies:
        return
    thinking = sum(_spent_on_reasoning(reply) for reply in replies)
    limit = f" of {facts.max_tokens}" if facts.max_tokens else ""
    room = max(ROOM_TO_REASON, 4 * (facts.max_tokens or 0))
    guess = "" if thinking else " A reasoning model?"
    yield (
        f"{len(replies):,} of {len(samples):,} replies were cut off at the token limit{limit}, before an answer "
        f"that can be read.{guess} Try --max-tokens {room}."
    )
    if thinking:
        yield f"In {thinking:,} of these {len(replies):,}, reasoning tokens used up the budget."


def _spent_on_reasoning(reply: Reply) -> bool:
    text = (reply.text or "").strip()
    return bool(reply.reasoning) or text.startswith("<think>") or 2 * reply.usage.reasoning > reply.usage.completion


def _unreadable(tally: Mapping[Outcome, int], total: int) -> Iterator[str]:
    count = tally[Outcome.INVALID] + tally[Outcome.CONFLICT]
    if count and count >= MANY_UNREADABLE * total:
        yield f"{count:,} of {total:,} replies hold no answer that can be read; they count as not correct."


def _same_place(samples: Sequence[Sample], facts: TaskFacts) -> Iterator[str]:
    """A model that always answers with the same label has not answered the question. Baselines may do as they do."""
    if facts.mode != "generate" or facts.reads_nothing:
        return
    places = Counter(s.order.index(s.score.picked) for s in samples if s.score.picked is not None)
    total = sum(places.values())
    if total < ENOUGH_TO_SEE_A_HABIT:
        return
    place, count = places.most_common(1)[0]
    if count >= SAME_PLACE * total:
        yield f"{count:,} of {total:,} answers pick the option in place {place + 1}, whatever the question."


def _finish(sample: Sample) -> Finish | None:
    return sample.reply.finish if isinstance(sample.reply, Reply) else None


def _quoted(stop: Sequence[str]) -> str:
    return ", ".join(f'"{text}"'.encode("unicode_escape").decode("ascii") for text in stop)
