"""The order in which an item's options are shown: the source's own, shuffled by seed, or every rotation."""

from __future__ import annotations

from sotaque.prompts.hashes import rank
from sotaque.records import Item, RunSpec

Order = tuple[int, ...]
"""Shown position -> index into the item's options."""


def orders_for(item: Item, spec: RunSpec) -> tuple[Order, ...]:
    """All orders in which a run shows this item: one, or with ``permute`` as many as it has options."""
    order = order_for(item, spec.shuffle)
    return rotations(order) if spec.permute else (order,)


def order_for(item: Item, shuffle_seed: int | None) -> Order:
    """The source's order, or one that depends on the seed and the item's id only."""
    order = tuple(range(len(item.options)))
    if shuffle_seed is None:
        return order
    return tuple(sorted(order, key=lambda index: rank(shuffle_seed, "order", item.id, index)))


def rotations(order: Order) -> tuple[Order, ...]:
    """Every rotation: over all of them each option stands in each position once."""
    return tuple(order[start:] + order[:start] for start in range(len(order))) or (order,)
