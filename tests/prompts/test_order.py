"""The order of options."""

from collections import Counter

from sotaque.prompts.order import order_for, orders_for, rotations
from sotaque.records import Item, Option, RunSpec


def item(name: str, options: int = 4) -> Item:
    return Item(name, {}, tuple(Option(str(n)) for n in range(options)), gold=0)


def test_the_sources_order_is_kept_unless_asked_otherwise():
    assert order_for(item("a"), None) == (0, 1, 2, 3)
    assert orders_for(item("a"), RunSpec("s", "m")) == ((0, 1, 2, 3),)


def test_a_shuffle_depends_on_seed_and_item_and_spreads_evenly():
    orders = [order_for(item(str(n)), 7) for n in range(400)]
    assert orders == [order_for(item(str(n)), 7) for n in range(400)]
    assert orders != [order_for(item(str(n)), 8) for n in range(400)]
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)
    assert all(70 <= count <= 130 for count in Counter(order.index(0) for order in orders).values())


def test_permuting_puts_each_option_in_each_position_once():
    orders = orders_for(item("a"), RunSpec("s", "m", permute=True, shuffle=3))
    assert len(orders) == 4
    for position in range(4):
        assert {order[position] for order in orders} == {0, 1, 2, 3}


def test_an_open_question_has_one_empty_order():
    assert rotations(()) == ((),)
    assert orders_for(item("a", options=0), RunSpec("s", "m", permute=True)) == ((),)
