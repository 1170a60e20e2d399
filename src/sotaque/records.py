"""The frozen types that flow through the layers, and the names they share.

    suite -> Item -> Request -> Reply -> Score -> summary -> report

Each stage is a function from one of these to the next; nothing here is ever changed after it was made.
What touches the disk is validated by pydantic models in the layer that reads it, then becomes one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Literal

from sotaque.checks import Check

Mode = Literal["generate", "choose", "judge"]
Rendering = Literal["chat", "text"]
ProtocolName = Literal["published", "default"]
AnswerForm = Literal["label", "option", "text"]

NOTHING: Mapping[str, str] = MappingProxyType({})


# ---------------------------------------------------------------- items


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose from; ``role`` says what kind of answer it is ("correct", "literal" ...)."""

    text: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    Attributes:
        id: unique within its task.
        fields: what prompts may refer to, as it is displayed; never parsed as a template.
        options: in the order of the source; empty for open questions.
        gold: index into ``options`` of the right one, ``None`` for open questions.
        answers: accepted texts of an open question.
        metadata: dimension, region, cluster ...: what results may be broken down by.
        irregular: what is odd about this row, in words; such a row is reported, not dropped.
        checks: what an open answer must keep to where that can be decided by rule.
    """

    id: str
    fields: Mapping[str, str]
    options: tuple[Option, ...] = ()
    gold: int | None = None
    answers: tuple[str, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    irregular: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemView:
    """What a baseline may know of an item: never the question.

    Attributes:
        options: the texts, in the order they are shown.
        counts: for each option, in how many of the task's options its text (key form) occurs.
        gold_rates: for each position, the share of the task's items whose gold is there; where all items have the
            same classes, the share of the class that is shown there.
        gold: position of the right option; given to the oracle only.
        usual: for an open question, the answer that is right most often in the task; empty where nothing is known.
        answer: for an open question, an accepted answer; given to the oracle only.
    """

    options: tuple[str, ...]
    counts: tuple[int, ...]
    gold_rates: tuple[float, ...]
    gold: int | None = None
    usual: str = ""
    answer: str = ""


# ---------------------------------------------------------------- requests


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How text is drawn. Part of the request key, whole."""

    max_tokens: int
    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Generate:
    """Ask for text: a chat (``messages``), or the continuation of a plain ``text`` (then ``messages`` is empty)."""

    sampling: Sampling
    messages: tuple[Message, ...] = ()
    text: str = ""
    repeat: int = 0

    @property
    def rendering(self) -> Rendering:
        """Whether this is a chat or a text to go on with."""
        return "chat" if self.messages else "text"


@dataclass(frozen=True, slots=True)
class Choose:
    """Ask for the log-probability of each continuation of ``context``.

    A continuation carries its own delimiter (" ir embora"), so that context + continuation is the whole text.
    """

    context: str
    continuations: tuple[str, ...]
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Guess:
    """Ask a baseline, which reads no prompt, to score the options of an item."""

    view: ItemView
    repeat: int = 0


Request = Generate | Choose | Guess


class Ability(StrEnum):
    """What a model can do; a task's mode needs one of them."""

    CHAT = "chat"
    COMPLETE = "complete"
    CHOOSE = "choose"
    GUESS = "guess"


# ---------------------------------------------------------------- replies


class Finish(StrEnum):
    """Why a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    REFUSAL = "refusal"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; what the server did not tell is 0."""

    prompt: int = 0
    completion: int = 0
    reasoning: int = 0
    cached: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt + other.prompt,
            self.completion + other.completion,
            self.reasoning + other.reasoning,
            self.cached + other.cached,
        )


@dataclass(frozen=True, slots=True)
class OptionScore:
    """A continuation's summed log-probability (natural log) and the number of tokens it was summed over."""

    logprob: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: ``text`` (with ``reasoning``, where the server keeps it apart), or one score per option.

    Attributes:
        model: the name the server reports, which may be more exact than the one asked for.
        seconds: from sending to the last byte, without waiting in our own queue.
        notes: what the adapter had to change or noticed ("temperature dropped at the server's demand").
    """

    text: str | None = None
    reasoning: str | None = None
    scores: tuple[OptionScore, ...] | None = None
    finish: Finish = Finish.STOP
    usage: Usage = Usage()
    model: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """No reply, after all tries. Never stored, never scored, always counted."""

    message: str
    tries: int = 1


# ---------------------------------------------------------------- scores


class Outcome(StrEnum):
    """What became of one item. Accuracy = credit / all items except ERROR and UNSCORED: silence is not rewarded.

    TIE is an option-scored item whose gold shares the top with k - 1 others: it earns 1/k. GRADED is an open answer
    that earns something between 0 and 1, and is neither right nor wrong. AWAITING is an open answer that a judge has
    not read yet: it has no score, and nothing is wrong with it.
    """

    CORRECT = "correct"
    WRONG = "wrong"
    TIE = "tie"
    GRADED = "graded"
    INVALID = "invalid"
    CONFLICT = "conflict"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    AWAITING = "awaiting_judge"
    UNSCORED = "unscored"
    ERROR = "error"


OUTSIDE_DENOMINATOR = frozenset({Outcome.AWAITING, Outcome.UNSCORED, Outcome.ERROR})


class Metric(StrEnum):
    """Names of metrics, as suite.toml and results spell them."""

    ACCURACY = "accuracy"
    ACCURACY_PER_CHARACTER = "accuracy_per_character"
    ACCURACY_PER_BYTE = "accuracy_per_byte"
    ACCURACY_PER_TOKEN = "accuracy_per_token"
    WEIGHTED_F1 = "weighted_f1"
    EXACT_MATCH = "exact_match"
    BERTSCORE_F1 = "bertscore_f1"
    JUDGE_SCORE = "judge_score"


class Shortcut(StrEnum):
    """Rules that pick an option without answering, as suite.toml and the audit spell them."""

    LONGEST = "longest"
    SHORTEST = "shortest"
    FIRST = "first"
    RAREST = "rarest"
    PUNCTUATION = "punctuation"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class Score:
    """One item's outcome.

    Attributes:
        outcome: by the first metric of the task.
        picked: index of the chosen option in the item's own order; ``None`` when none (or several) was chosen.
        read: what was read from the reply, as displayed ("ب"); empty when nothing was.
        values: credit per metric, in [0, 1]; empty when the outcome is outside the denominator.
        ties: how many options shared the top; 1 when there was a single best, 0 for generated answers.
        note: why, where it is not obvious ("letter B, but the text of option A").
        tied: the options that shared the top, in the item's own order; empty when there was a single best.
    """

    outcome: Outcome
    picked: int | None = None
    read: str = ""
    values: Mapping[str, float] = field(default_factory=dict[str, float])
    ties: int = 0
    note: str = ""
    tied: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How the replies to one task are read and scored. All of it is hashed into the scoring hash.

    Attributes:
        form: "label" (a letter is asked for), "option" (an option's text), "text" (an open answer).
        labels: one per shown option, in order.
        languages: whose ways of announcing an answer are understood; English always is.
        metrics: the first is the headline.
    """

    form: AnswerForm
    labels: tuple[str, ...]
    languages: tuple[str, ...]
    metrics: tuple[Metric, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """One item as it was run: the line that samples.jsonl holds.

    Attributes:
        order: shown position -> index into the item's options.
        roles: of the item's options, in the item's own order.
        groups: the values results are broken down by ("region" -> "NE").
        reply_id: names the stored reply ("KEY.TAKE"); empty for a failure.
    """

    task: str
    item: str
    cluster: str
    order: tuple[int, ...]
    roles: tuple[str, ...]
    gold: int | None
    groups: Mapping[str, str]
    item_hash: str
    prompt_hash: str
    scoring_hash: str
    repeat: int
    reply_id: str
    reply: Reply | Failure
    score: Score
    irregular: tuple[str, ...] = ()


# ---------------------------------------------------------------- runs


@dataclass(frozen=True, slots=True)
class RunSpec:
    """What the user asked for, for one suite and one model. Everything that shapes a run is here.

    Attributes:
        source: "bundled", "official", or a folder.
        tasks: names; empty for the suite's default tasks.
        mode: only tasks of this mode.
        limit: that many items per task, drawn by seeded hash of the item id.
        first: the first that many items per task.
        items: only these ids ("task/id", or "id" in every task).
        shuffle: seed by which each item's options are reordered; ``None`` keeps the source's order.
        rendering: "chat" or "text"; ``None`` lets the model decide.
        max_tokens: overrides the protocol's.
        shots: likewise.
        encoder: a folder or hub id that is used instead of the encoders that tasks name.
        encoder_layer: overrides the tasks' layer.
    """

    suite: str
    model: str
    source: str = "bundled"
    protocol: ProtocolName = "default"
    tasks: tuple[str, ...] = ()
    mode: Mode | None = None
    limit: int | None = None
    first: int | None = None
    items: frozenset[str] = frozenset()
    shuffle: int | None = None
    permute: bool = False
    rendering: Rendering | None = None
    repeat: int = 1
    seed: int = 0
    max_tokens: int | None = None
    shots: int | None = None
    encoder: str = ""
    encoder_layer: int | None = None
