"""Many texts at once, each as it would be alone.

Texts that begin alike share the reading of that beginning. A text that has ended makes room for the next at once, so
that one long text does not keep the others computing.

Another batch is another order of summation, and floating-point noise may turn the likeliest token into the second
where both are all but equal. Where the lead of a token is within that noise, the step is decided by reading the text
so far alone and without a cache: every batch decides it the same way. In half precision that is not affordable,
because a large share of all steps is that close: there the reply gets a note.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sotaque.errors import Rejected
from sotaque.models.boundary import common_length
from sotaque.models.local_generate import Draft, Task, Written, no_room, write_alone
from sotaque.models.local_library import Tensor, library
from sotaque.models.local_network import Network, OutOfRoom, out_of_room
from sotaque.models.next_token import Top, tops
from sotaque.models.prompt_families import blocks, families
from sotaque.models.slot_cache import SlotCache
from sotaque.models.slot_reading import SlotReader, compared

# Texts that are written at the same time. More gains little on a CPU.
ROWS = 16
# Memory for their keys and values on a CPU; on a GPU half of what is free.
CACHE_BYTES = 2**30
# A lead below this, or below so many times what a logit may be off, is noise. (SmolLM2-135M, texts of up to 400 tokens:
# logits were off by 3.5e-5 in float32, and by 0.7 in bfloat16, of a largest logit of 23.)
NEAR_TIE = 1e-3
NOISE_FACTOR = 4
# Up to this lead near ties are rare, and reading a text anew for each costs next to nothing.
DECIDABLE = 2e-2

Answer = tuple[int, Written | Rejected]


@dataclass(eq=False, slots=True)
class _Row:
    """A draft and its place among the tasks; ``shared`` tokens of it are those of all its ``family`` (0: none)."""

    place: int
    draft: Draft
    family: int = 0
    shared: int = 0


class BatchWriter:
    """Writes for one network; keeps the latest common beginning for the batches to come.

    Attributes:
        why_alone: why its texts are written one at a time; empty when they are written together.
        near: the lead, in logits, below which a token might be another one in another batch.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._reader = SlotReader(network)
        self.why_alone, noise = compared(network)
        self.near = max(NEAR_TIE, NOISE_FACTOR * noise)
        self._limit = self._tried = ROWS
        self._waiting: deque[_Row] = deque()
        self._active: list[_Row] = []
        self._forget()

    def write(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """Continue every prompt, yielding (place in ``tasks``, text or refusal) as soon as a text has ended."""
        rows: list[_Row] = []
        for place, task in enumerate(tasks):
            try:
                rows.append(_Row(place, Draft(self._network, task)))
            except Rejected as error:
                yield place, error
        yield from self._alone(rows) if self.why_alone else self._together(rows)

    def _alone(self, rows: Sequence[_Row]) -> Iterator[Answer]:
        for row in rows:
            row.draft.note(f"written one at a time: {self.why_alone}")
            try:
                yield row.place, write_alone(self._network, row.draft)
            except Rejected as error:
                yield row.place, error

    def _together(self, rows: Sequence[_Row]) -> Iterator[Answer]:
        self._active.clear()
        self._waiting = deque(_queue(rows))
        self._limit, self._slots = ROWS, SlotCache()
        while self._waiting or self._active:
            try:
                yield from self._admitted()
                yield from self._advanced()
            except OutOfRoom as error:
                yield from self._retreated(error)
        self._slots = SlotCache()

    def _admitted(self) -> Iterator[Answer]:
        """Take in what there is room for, and read it."""
        while self._waiting and self._fits(()):
            family: list[_Row] = []
            number = self._waiting[0].family
            while self._waiting and self._waiting[0].family == number and self._fits(family):
                row = self._waiting.popleft()
                if (written := row.draft.begin()) is not None:
                    yield row.place, written
                else:
                    family.append(row)
            for size in blocks([len(row.draft.ids) - row.shared for row in family]):
                self._take_in(family[:size], family)
                family = family[size:]

    def _fits(self, begun: Sequence[_Row]) -> bool:
        """Whether the next in the queue may be written beside those that are; one always may."""
        rows = [*self._active, *begun, self._waiting[0]]
        longest = max(row.draft.longest for row in rows)
        return len(rows) == 1 or (len(rows) <= self._limit and len(rows) * longest <= self._tokens)

    def _take_in(self, block: Sequence[_Row], pending: Sequence[_Row]) -> None:
        first = len(self._active)
        self._tried = first + len(block)
        try:
            shared = self._beginning(block)
            self._slots.fill(first, len(block), self._trunk, shared)
            # The last token is left to the first step; a text with no other reads it twice, which changes nothing.
            rests = [row.draft.ids[shared:] for row in block]
            if any(len(rest) > 1 for rest in rests):
                self._reader.read(self._slots, first, [rest[:-1] or rest for rest in rests], shared)
        except OutOfRoom:
            self._waiting.extendleft(reversed(pending))
            raise
        self._active += block

    def _beginning(self, block: Sequence[_Row]) -> int:
        """How many first tokens of these texts the trunk holds, once what they share has been read into it."""
        ids = block[0].draft.ids
        wanted = 0 if self._limit == 1 else block[0].shared
        held = common_length([self._trunk_ids, ids])
        if held < wanted:
            del self._trunk_ids[held:]
            self._reader.read(self._trunk, 0, [ids[held:wanted]], held)
            self._trunk_ids += ids[held:wanted]
        if wanted:
            return wanted
        return min(held, *(common_length([self._trunk_ids, row.draft.ids[:-1]]) for row in block))

    def _advanced(self) -> Iterator[Answer]:
        """One token more for each."""
        if not self._active:
            return
        self._tried = len(self._active)
        drafts = [row.draft for row in self._active]
        tokens, positions = [draft.ids[-1] for draft in drafts], [len(draft.ids) - 1 for draft in drafts]
        logits = self._reader.step(self._slots, tokens, positions)
        ended: dict[_Row, Written | Rejected] = {}
        with out_of_room():
            highest = tops(logits)
        for row, scores, top in zip(self._active, logits, highest, strict=True):
            try:
                written = row.draft.add(self._decided(row.draft, scores, top))
            except Rejected as error:
                written = error
            if written is not None:
                ended[row] = written
        for slot in reversed(range(len(self._active))):
            if self._active[slot] in ended:
                self._drop(slot)
        yield from ((row.place, written) for row, written in ended.items())

    def _decided(self, draft: Draft, logits: Tensor, top: Top) -> int:
        token = draft.pick(logits, top)
        if not draft.greedy or top.lead > self.near:
            return token
        decided = self._read_alone(draft) if self.near <= DECIDABLE else None
        if decided is None:
            draft.note_tie(top.lead)
        return token if decided is None else decided

    def _read_alone(self, draft: Draft) -> int | None:
        try:
            return tops(self._reader.plain(draft.ids)[None])[0].token
        except OutOfRoom:
            return None

    def _drop(self, slot: int) -> None:
        last = self._active.pop()
        if slot < len(self._active):
            self._slots.move(len(self._active), slot)
            self._active[slot] = last

    def _retreated(self, error: OutOfRoom) -> Iterator[Answer]:
        """Go on with half as many, read anew; what was written so far stays written. One alone is given up."""
        self._waiting.extendleft(reversed(self._active))
        self._active.clear()
        self._forget()
        if self._limit > 1:
            self._limit = max(1, min(self._tried, self._limit) // 2)
            return
        self._limit = ROWS
        row = self._waiting.popleft()
        yield row.place, no_room(row.draft, error)

    def _forget(self) -> None:
        self._slots, self._trunk = SlotCache(), SlotCache()
        self._trunk_ids: list[int] = []
        self._tokens = _memory(self._network) // self._network.cache_bytes


def _queue(rows: Sequence[_Row]) -> Iterator[_Row]:
    """The order in which texts are begun: one family after the other, then those that have none; shortest first."""
    single: list[_Row] = []
    for number, (shared, members) in enumerate(families([row.draft.ids for row in rows]), 1):
        for row in (rows[member] for member in members):
            if shared:
                row.family, row.shared = number, shared
                yield row
            else:
                single.append(row)
    yield from sorted(single, key=lambda row: len(row.draft.ids))


def _memory(network: Network) -> int:
    device = network.net.device
    return library("torch").cuda.mem_get_info(device)[0] // 2 if device.type == "cuda" else CACHE_BYTES
