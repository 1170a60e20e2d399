"""Which prompts begin alike, and which are to be read together."""

from __future__ import annotations

from collections.abc import Sequence

from sotaque.models.boundary import common_length

# A forward step has a fixed cost, about that of reading so many more tokens.
STEP_WORTH = 16

Ids = Sequence[int]


def families(prompts: Sequence[Ids]) -> list[tuple[int, list[int]]]:
    """Sort prompts into families with a common beginning.

    Returns:
        for each family the length of what its members share, which leaves at least one token of each, and the members
        (places in ``prompts``), shortest first. A family of one shares nothing.
    """
    order = sorted(range(len(prompts)), key=lambda place: tuple(prompts[place]))
    alike = [common_length([prompts[a], prompts[b]]) for a, b in zip(order, order[1:], strict=False)]
    found: list[list[int]] = []
    shared = 0
    for number, place in enumerate(order):
        before = alike[number - 1] if number else 0
        after = alike[number] if number < len(alike) else 0
        # Who shares much more with the next one begins a family with it; and nobody shortens what others share.
        if number and before and before + STEP_WORTH >= max(after, shared if len(found[-1]) > 1 else 0):
            shared = min(before, shared) if len(found[-1]) > 1 else before
            found[-1].append(place)
        else:
            found.append([place])
    return [_family(prompts, members) for members in found]


def _family(prompts: Sequence[Ids], members: list[int]) -> tuple[int, list[int]]:
    members = sorted(members, key=lambda place: (len(prompts[place]), place))
    if len(members) == 1:
        return 0, members
    first, last = min(tuple(prompts[place]) for place in members), max(tuple(prompts[place]) for place in members)
    return min(common_length([first, last]), len(prompts[members[0]]) - 1), members


def blocks(lengths: Sequence[int]) -> list[int]:
    """Sizes of consecutive groups of texts, so that padding a group to its longest costs less than another step."""
    sizes: list[int] = []
    group: list[int] = []
    for length in lengths:
        wanted = [*group, length]
        if group and len(wanted) * max(wanted) - sum(wanted) > STEP_WORTH + sum(wanted) // 8:
            sizes.append(len(group))
            wanted = [length]
        group = wanted
    return [*sizes, len(group)] if group else sizes
