"""Warnings that the replies themselves give rise to: cut off, empty, stopped too early, from several models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sotaque.records import Failure, Finish, Outcome, Reply, Sample
from sotaque.scoring.reasoning import after_reasoning
from sotaque.summary.results import TaskFacts

MANY_UNREADABLE = 0.1
SAME_PLACE = 0.95
ENOUGH_TO_SEE_A_HABIT = 20
ROOM_TO_REASON = 1024
TOO_LITTLE_TO_REASON = 64
LONGEST_REASON = 200
SHOWN_NAMES = 5


def run_cautions(reported: Mapping[str, int]) -> tuple[str, ...]:
    """What concerns all tasks: a model name that changed under way."""
    if len(reported) < 2:
        return ()
    ranked = sorted(reported.items(), key=lambda pair: (-pair[1], pair[0]))
    names = ", ".join(f"{name} ({count})" for name, count in ranked[:SHOWN_NAMES])
    names += f" and {len(reported) - SHOWN_NAMES} more" if len(reported) > SHOWN_NAMES else ""
    return (f"The server reported {len(reported)} model names: {names}. The replies may come from different models.",)


def task_cautions(samples: Sequence[Sample], facts: TaskFacts) -> tuple[str, ...]:
    """What concerns one task, most serious first."""
    tally = Counter(sample.score.outcome for sample in samples)
    return (
        *_waiting(tally),
        *_lost(samples, tally),
        *_empty(samples, tally, facts),
        *_cut_off(samples, facts),
        *_reasoning_billed(samples, facts),
        *_unreadable(samples, tally, facts),
        *_same_place(samples, facts),
    )


def _waiting(tally: Mapping[Outcome, int]) -> Iterator[str]:
    """Without numbers, so that it is said once for all tasks."""
    if tally[Outcome.AWAITING]:
        yield "The answers await a judge: they are kept, and have no score yet."


def _lost(samples: Sequence[Sample], tally: Mapping[Outcome, int]) -> Iterator[str]:
    total = len(samples)
    if errors := tally[Outcome.ERROR]:
        yield f"{errors:,} of {total:,} requests got no reply: left out of the score, asked again by the next run."
    if unscored := tally[Outcome.UNSCORED]:
        yield f"{unscored:,} of {total:,} replies could not be scored: left out of the score."
    reasons = Counter(_reason(sample.reply) for sample in samples if isinstance(sample.reply, Failure))
    for reason, count in reasons.most_common(1):
        yield f"Why there was no reply{'' if count == errors else f' to {count:,} of them'}: {reason}"


def _reason(failure: Failure) -> str:
    """Only a beginning: servers may quote the prompt in their error."""
    line = failure.message.split("\n", 1)[0]
    return line if len(line) <= LONGEST_REASON else f"{line[: LONGEST_REASON - 1]}…"


def _empty(samples: Sequence[Sample], tally: Mapping[Outcome, int], facts: TaskFacts) -> Iterator[str]:
    """FIELD_FAULTS 19: a stop string that a model writes first leaves nothing of its answers."""
    replies = sum(isinstance(sample.reply, Reply) for sample in samples)
    empty = tally[Outcome.EMPTY]
    stopped = sum(_finish(sample) is Finish.STOP for sample in samples if sample.score.outcome is Outcome.EMPTY)
    if empty and empty == replies:
        yield "Every reply was empty: this score says nothing about the model."
    if stopped * 2 > replies:
        yield f"{stopped:,} of {replies:,} replies stopped before any text{_stop_strings(facts)}."


def _cut_off(samples: Sequence[Sample], facts: TaskFacts) -> Iterator[str]:
    cut = [sample.reply for sample in samples if sample.score.outcome is Outcome.TRUNCATED]
    replies = [reply for reply in cut if isinstance(reply, Reply)]
    if not replies:
        return
    thinking = sum(_spent_on_reasoning(reply) for reply in replies)
    limit = f" of {facts.max_tokens}" if facts.max_tokens else ""
    room = max(ROOM_TO_REASON, 4 * (facts.max_tokens or 0))
    advice = f"Try --max-tokens {room}." if thinking else f"A reasoning model needs more room (--max-tokens {room})."
    before = "before they were finished" if facts.mode == "judge" else "before an answer that can be read"
    yield f"{len(replies):,} of {len(samples):,} replies were cut off at the token limit{limit}, {before}. {advice}"
    if len(replies) == len(samples):
        yield "Not one reply came to an answer: this score says nothing about what the model knows."
    if thinking:
        yield f"In {thinking:,} of these {len(replies):,}, reasoning tokens used up the budget."


def _reasoning_billed(samples: Sequence[Sample], facts: TaskFacts) -> Iterator[str]:
    """A short limit that includes reasoning measures how little a model thinks, even where it still answers."""
    if facts.max_tokens is None or facts.max_tokens >= TOO_LITTLE_TO_REASON:
        return
    thinking = sum(isinstance(s.reply, Reply) and s.reply.usage.reasoning > 0 for s in samples)
    if thinking:
        yield (
            f"{thinking:,} of {len(samples):,} replies spent reasoning tokens inside the limit of {facts.max_tokens}: "
            f"the limit, not the language, may decide. Try --max-tokens {ROOM_TO_REASON}."
        )


def _spent_on_reasoning(reply: Reply) -> bool:
    text = reply.text or ""
    return bool(reply.reasoning) or after_reasoning(text) != text or 2 * reply.usage.reasoning > reply.usage.completion


def _unreadable(samples: Sequence[Sample], tally: Mapping[Outcome, int], facts: TaskFacts) -> Iterator[str]:
    """FIELD_FAULTS 19 again: "Resposta:" before the line break at which every reply was stopped is no answer."""
    total = len(samples)
    stopped = sum(_finish(sample) is Finish.STOP for sample in samples if sample.score.outcome is Outcome.INVALID)
    cause = _stop_strings(facts) if stopped * 2 > total else ""
    words = {
        Outcome.INVALID: ("no answer that can be read", cause),
        Outcome.CONFLICT: ("a label and the text of another option", ""),
    }
    for outcome, (what, why) in words.items():
        count = tally[outcome]
        if count and count >= MANY_UNREADABLE * total:
            yield f"{count:,} of {total:,} replies hold {what}; they count as not correct{why}."


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


def _stop_strings(facts: TaskFacts) -> str:
    """The stop strings as a possible cause; empty when none was in force."""
    quoted = ", ".join(json.dumps(text, ensure_ascii=False) for text in facts.stop)
    return f"; the stop strings ({quoted}) may cut every answer short" if quoted else ""
