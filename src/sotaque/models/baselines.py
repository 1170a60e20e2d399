"""Baselines: models that never read a question. What they get right is an artefact of the benchmark.

They run through the same path as any model and stand in the same table.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sotaque.errors import ModelError, Rejected, UnknownModel
from sotaque.models.model import Identity
from sotaque.records import Ability, Guess, ItemView, OptionScore, Reply, Request

PREFIX = "baseline/"
VERSION = "1"
"""Part of the request key: raise it when a baseline changes what it picks."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How a baseline picks: options with the highest value share the top."""

    about: str
    value: Callable[[ItemView, int], float]


RULES: dict[str, Rule] = {
    "chance": Rule("all options are equal", lambda view, at: 0),
    "first": Rule("always the first option", lambda view, at: -at),
    "longest": Rule("the option with most characters", lambda view, at: len(view.options[at])),
    "shortest": Rule("the option with fewest characters", lambda view, at: -len(view.options[at])),
    "rarest": Rule("the option whose text is rarest in the task", lambda view, at: -view.counts[at]),
    "majority": Rule(
        "what is right most often in the task: a place, a class, an answer", lambda view, at: view.gold_rates[at]
    ),
    "oracle": Rule("the right answer", lambda view, at: at == view.gold),
}

OPEN: dict[str, Callable[[ItemView], str]] = {
    "majority": lambda view: view.usual,
    "oracle": lambda view: view.answer,
}
"""What the baselines that have something to say write as the answer to an open question."""


def baseline(name: str) -> Baseline:
    """The baseline of a name, with or without "baseline/".

    Raises:
        UnknownModel: there is none of that name.
    """
    short = name.removeprefix(PREFIX)
    if short not in RULES:
        close = difflib.get_close_matches(short, RULES, n=1)
        remedy = f"did you mean '{PREFIX}{close[0]}'?" if close else f"baselines: {', '.join(RULES)}"
        raise UnknownModel(f"there is no baseline '{short}'", remedy)
    return Baseline(short)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A rule as a model. It answers ``Guess`` with a score of 0 for each option it would pick, -1 for the others."""

    rule: str

    @property
    def identity(self) -> Identity:
        """Name and version; what it does is known for good."""
        return Identity(PREFIX + self.rule, {"version": VERSION}, about=RULES[self.rule].about)

    @property
    def abilities(self) -> frozenset[Ability]:
        """Only to guess."""
        return frozenset({Ability.GUESS})

    @property
    def batch_size(self) -> int:
        """Guesses are free: large."""
        return 1024

    @property
    def needs_gold(self) -> bool:
        """Whether it must be told the right option; true for the oracle only."""
        return self.rule == "oracle"

    def prepare(self, needs: frozenset[Ability]) -> None:
        """Nothing to load."""

    def preview(self, request: Request) -> str:
        """The options as the baseline sees them."""
        if not isinstance(request, Guess):
            return self.refusal(Ability.COMPLETE)
        if not request.view.options:
            return f"{RULES[self.rule].about}:\n{self.writes(request.view)}"
        scores = self._scores(request.view)
        lines = (
            f"{'*' if score.logprob == 0 else ' '} {text}"
            for text, score in zip(request.view.options, scores, strict=True)
        )
        return "\n".join([f"{RULES[self.rule].about}:", *lines])

    def refusal(self, ability: Ability) -> str:
        """The same for every ability it lacks."""
        return f"{PREFIX}{self.rule} reads no prompt: it only looks at the options"

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply | ModelError]]:
        """Scores for each ``Guess``, or a text where there are no options; any other request is rejected."""
        for request in requests:
            if isinstance(request, Guess) and not request.view.options:
                yield request, Reply(text=self.writes(request.view), model=PREFIX + self.rule)
            elif isinstance(request, Guess):
                yield request, Reply(scores=self._scores(request.view), model=PREFIX + self.rule)
            else:
                yield request, Rejected(self.refusal(Ability.COMPLETE))

    @property
    def writes_answers(self) -> bool:
        """Whether it has something to say where there are no options."""
        return self.rule in OPEN

    def writes(self, view: ItemView) -> str:
        """The answer to an open question; empty for a rule that only looks at options."""
        return OPEN[self.rule](view) if self.writes_answers else ""

    def picks(self, view: ItemView) -> tuple[int, ...]:
        """The positions that share the top: one, or all that the rule cannot tell apart."""
        value = RULES[self.rule].value
        values = [value(view, at) for at in range(len(view.options))]
        top = max(values)
        return tuple(at for at, each in enumerate(values) if each == top)

    def _scores(self, view: ItemView) -> tuple[OptionScore, ...]:
        picked = self.picks(view)
        return tuple(OptionScore(0.0 if at in picked else -1.0, 1) for at in range(len(view.options)))
