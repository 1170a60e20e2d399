"""Where a context ends and its continuations begin, in tokens.

A token may span the seam of two strings: "saud" + "ade" may be one token, and the tokens of a context need not be the
first tokens of the context with a continuation. So the strings are joined first, tokenised whole, and cut where all
of them, the bare context among them, still agree. All continuations of one context are cut at the same place: their
log-probabilities are conditioned on the same tokens and can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile


@dataclass(frozen=True, slots=True)
class Split:
    """Token ids: the shared ``prefix``, and for each continuation the ``rest`` that is scored, never empty.

    ``overlap`` is the number of the context's own tokens that are scored with every continuation, because a token
    spans the seam in at least one of them; 0 where the seam is clean.
    """

    prefix: tuple[int, ...]
    rests: tuple[tuple[int, ...], ...]
    overlap: int = 0


def split(context: Sequence[int], wholes: Sequence[Sequence[int]]) -> Split:
    """Cut each of ``wholes`` (tokens of context + continuation) at their longest common prefix with ``context``.

    The prefix is shortened further where some whole would keep no token of its own. It is empty when nothing is
    shared; the caller then needs a token to start from.

    Raises:
        ValueError: ``wholes`` is empty, or one of them has no token at all.
    """
    if not wholes or not all(wholes):
        raise ValueError("there is no continuation, or one without a single token")
    size = min(common_length([context, *wholes]), min(len(whole) for whole in wholes) - 1)
    return Split(
        prefix=tuple(context[:size]),
        rests=tuple(tuple(whole[size:]) for whole in wholes),
        overlap=len(context) - size,
    )


def common_length(sequences: Iterable[Sequence[int]]) -> int:
    """How many first tokens all the sequences share."""
    return sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*sequences, strict=False)))
