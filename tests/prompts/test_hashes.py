"""What makes two items, and two ranks, the same."""

from dataclasses import replace

from sotaque.checks import Palindrome, Words
from sotaque.prompts.hashes import item_hash, rank
from sotaque.records import Item, Option

ITEM = Item("1", {"question": "P1"}, (Option("ir"), Option("ir embora")), gold=1)


def test_an_item_hash_covers_the_question_but_not_its_id_and_metadata():
    assert item_hash(replace(ITEM, id="2", metadata={"review": "done"}, irregular=("x",))) == item_hash(ITEM)
    changed = [
        replace(ITEM, fields={"question": "P2"}),
        replace(ITEM, fields={"pergunta": "P1"}),
        replace(ITEM, options=(Option("ir embora"), Option("ir"))),
        replace(ITEM, options=(Option("ir", "literal"), Option("ir embora"))),
        replace(ITEM, gold=0),
        replace(ITEM, answers=("x",)),
        replace(ITEM, checks=(Palindrome(),)),
        replace(ITEM, checks=(Words(min=3),)),
        replace(ITEM, checks=(Words(min=3, read="text"),)),
    ]
    assert len({item_hash(ITEM), *map(item_hash, changed)}) == 1 + len(changed)


def test_an_item_hash_stays_the_same_between_versions():
    """Old run folders are compared with new ones by it: a change here breaks every comparison."""
    assert item_hash(ITEM) == "0132e022abe0861c"


def test_a_rank_depends_on_each_part_and_on_where_parts_end():
    ranks = {rank(0, "a", "b"), rank(1, "a", "b"), rank(0, "ab"), rank(0, "a", "b", 0), rank(0, "b", "a")}
    assert len(ranks) == 5
