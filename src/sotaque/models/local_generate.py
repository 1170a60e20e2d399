"""Text, token by token: greedy or sampled, with stop strings, and nothing from a model's generation defaults."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sotaque.errors import Rejected
from sotaque.models.limits import Text, check_prompt, stopped
from sotaque.models.local_library import Cache, Tensor
from sotaque.models.local_network import Network, OutOfRoom, check_ids
from sotaque.models.next_token import Top, check, sampler, tops
from sotaque.records import Finish, Sampling


@dataclass(frozen=True, slots=True)
class Task:
    """What to write.

    Attributes:
        prompt: token ids to continue.
        ends: token ids that end a text.
        text: token ids -> text, as it reads behind the prompt.
    """

    prompt: Sequence[int]
    sampling: Sampling
    repeat: int
    ends: frozenset[int]
    text: Text


@dataclass(frozen=True, slots=True)
class Written:
    """A finished text.

    Attributes:
        text: without the stop string.
        tokens: all that were drawn, the ending one among them.
        seconds: from the reading of its prompt to its end, with what was written beside it in that time.
        notes: what makes it depend on anything but the request.
    """

    text: str
    finish: Finish
    tokens: int
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class Draft:
    """A text in the making.

    Attributes:
        ids: prompt and what was drawn so far.
    """

    def __init__(self, network: Network, task: Task) -> None:
        _check(network, task)
        self.ids = list(task.prompt)
        self._task = task
        self._sampled = sampler(task.sampling, task.repeat) if task.sampling.temperature > 0 else None
        self._began = 0.0
        self._tied = False
        self._notes: list[str] = []

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is taken."""
        return self._sampled is None

    @property
    def drawn(self) -> list[int]:
        """The tokens written so far."""
        return self.ids[len(self._task.prompt) :]

    @property
    def longest(self) -> int:
        """The tokens of prompt and text at the most."""
        return len(self._task.prompt) + self._task.sampling.max_tokens

    def begin(self) -> Written | None:
        """Start the clock; the text, where none is wanted."""
        self._began = self._began or time.perf_counter()
        return self._written([], Finish.LENGTH, 0) if self._task.sampling.max_tokens < 1 else None

    def note(self, note: str) -> None:
        """Keep a note for the record."""
        self._notes.append(note)

    def note_tie(self, lead: float) -> None:
        """Note that the next token led by no more than rounding; the first such token says it all."""
        if not self._tied:
            self._tied = True
            self.note(
                f"token {len(self.drawn) + 1}: two candidates {lead:.2g} apart, too close to call in this precision: "
                "in a batch of another size another text may follow"
            )

    def pick(self, logits: Tensor, top: Top) -> int:
        """The next token, from logits of shape (vocabulary,).

        Raises:
            Rejected: the logits are not numbers.
        """
        check(top)
        return self._sampled(logits) if self._sampled else top.token

    def add(self, token: int) -> Written | None:
        """Go on with ``token``; the text, when it has ended."""
        drawn, count = self.drawn, len(self.ids) - len(self._task.prompt) + 1
        if token in self._task.ends:
            return self._written(drawn, Finish.STOP, count)
        self.ids.append(token)
        drawn.append(token)
        if (cut := stopped(self._task.text, drawn, self._task.sampling.stop)) is not None:
            return self._written(cut, Finish.STOP, count)
        return self._written(drawn, Finish.LENGTH, count) if count >= self._task.sampling.max_tokens else None

    def _written(self, text: str | Sequence[int], finish: Finish, tokens: int) -> Written:
        shown = text if isinstance(text, str) else self._task.text(text)
        return Written(shown, finish, tokens, time.perf_counter() - self._began, tuple(self._notes))


def write_alone(network: Network, draft: Draft) -> Written:
    """Continue one prompt with the network's own cache. Python is in charge between tokens: signals are heard.

    Raises:
        Rejected: no memory, or the logits are not numbers.
    """
    written, cache, done = draft.begin(), None, 0
    while written is None:
        logits, cache = _next(network, draft, cache, done)
        done = len(draft.ids)
        written = draft.add(draft.pick(logits[0, -1], tops(logits[:, -1])[0]))
    return written


def _next(network: Network, draft: Draft, cache: Cache, done: int) -> tuple[Tensor, Cache]:
    # A network that keeps no cache is given everything anew.
    try:
        return network.step([draft.ids if cache is None else draft.ids[done:]], cache)
    except OutOfRoom as error:
        raise no_room(draft, error) from error


def no_room(draft: Draft, error: OutOfRoom) -> Rejected:
    """The refusal of a draft that does not fit even alone."""
    size = len(draft.ids) - len(draft.drawn)
    return Rejected(f"no memory for a prompt of {size} tokens ({error})", "free memory, or choose a smaller model")


def _check(network: Network, task: Task) -> None:
    check_prompt(network.window, len(task.prompt), task.sampling.max_tokens)
    # Found here, because in a batch it would spoil its neighbours.
    check_ids([task.prompt], network.vocabulary)
