import hashlib
import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sotaque.models.boundary import Split
from sotaque.models.prefix_tree import Pack, Tree, Walk

SHARED = Split((1, 2, 3, 4), ((5,), (6, 7), (6, 7, 8), (6, 7)))
OTHER_QUESTION = Split((1, 2, 3, 9, 9), ((5, 5), (4,)))

tokens = st.integers(0, 3)
splits = st.builds(
    Split,
    prefix=st.lists(tokens, min_size=1, max_size=6).map(tuple),
    rests=st.lists(st.lists(tokens, min_size=1, max_size=4).map(tuple), min_size=1, max_size=4).map(tuple),
)


def chance(context: Sequence[int], token: int) -> float:
    """A language model that remembers everything it has seen."""
    digest = hashlib.sha256(bytes([*context, 255, token])).digest()
    return -int.from_bytes(digest[:4], "big") / 2**32


def alone(cut: Split, rest: Sequence[int]) -> float:
    whole = [*cut.prefix, *rest]
    return math.fsum(chance(whole[:place], whole[place]) for place in range(len(cut.prefix), len(whole)))


class Reader:
    """What a network does, with the sequence of tokens in place of keys and values."""

    def __init__(self) -> None:
        self.stem: list[int] = []  # tokens
        self.read: list[int] = []

    def score(self, cuts: Sequence[Split], sizes: Sequence[int], rows: int = 1000) -> list[list[float]]:
        tree = Tree(cuts)
        walk = Walk(tree, self.stem)
        self.stem = self.stem[: walk.spared]
        turn = 0
        while not walk.finished:
            pack = walk.pack(sizes[turn % len(sizes)], rows)
            turn += 1
            self._read(tree, pack)
            walk.advance(pack)
            size, places = pack.carried(walk.stem)
            self.stem = self.stem[:size] + [pack.tokens[place] for place in places]
        return [[score.logprob for score in tree.scores(cut)] for cut in range(len(cuts))]

    def _read(self, tree: Tree, pack: Pack) -> None:
        cache = [*self.stem, *pack.tokens]
        visible, distances = pack.visible(), pack.distances()
        assert visible.shape == distances.shape == (len(pack.nodes), len(cache))
        seen = [[token for token, shown in zip(cache, row, strict=True) if shown] for row in visible]
        for row, context, position in zip(range(len(seen)), seen, pack.positions, strict=True):
            assert len(context) == position + 1
            # Nearest last: the distances of what is seen are those of a text read alone.
            assert sorted(distances[row][visible[row]].tolist()) == list(range(position + 1))
        self.read += pack.tokens
        nodes, rows = pack.targets()
        for node, at in zip(nodes, rows, strict=True):
            assert math.isnan(tree.values[node]), "no token is scored twice"
            tree.values[node] = chance(seen[pack.asked[at]], tree.tokens[node])


def test_options_that_share_beginnings_are_read_once():
    tree = Tree([SHARED])
    # 1 2 3 4, then 6 7; 5 and 8 end an option, so nothing has to be predicted after them.
    assert [tree.tokens[node] for node in range(len(tree))] == [1, 2, 3, 4, 5, 6, 7, 8]
    reader = Reader()
    reader.score([SHARED], [100])
    assert reader.read == [1, 2, 3, 4, 6, 7]


def test_a_question_that_begins_like_another_costs_what_is_new_in_it():
    reader = Reader()
    reader.score([SHARED, OTHER_QUESTION], [100])
    assert len(reader.read) == 6 + 3
    tree = Tree([SHARED, OTHER_QUESTION])
    assert (tree.usage(0).prompt, tree.usage(0).cached) == (8, 0)
    assert (tree.usage(1).prompt, tree.usage(1).cached) == (8, 3)


def test_twice_the_options_cost_only_the_tokens_of_the_new_ones():
    few = Split(tuple(range(100)), ((1, 2, 3), (2, 2, 2)))
    many = Split(few.prefix, (*few.rests, (3, 1, 1), (4, 4, 4)))
    read = [Walk(Tree([cut])).total for cut in (few, many)]
    assert read == [100 + 2 * 2, 100 + 4 * 2]


def test_identical_options_share_one_number():
    [scores] = Reader().score([SHARED], [2])
    assert scores[1] == scores[3]


@settings(deadline=None)
@given(st.lists(splits, min_size=1, max_size=6), st.lists(st.integers(1, 9), min_size=1, max_size=5), st.integers(1, 5))
def test_any_tree_in_any_packs_gives_what_reading_alone_gives(cuts, sizes, rows):
    reader = Reader()
    found = reader.score(cuts, sizes, rows)
    assert found == [[pytest.approx(alone(cut, rest)) for rest in cut.rests] for cut in cuts]
    wholes = {(*cut.prefix, *rest) for cut in cuts for rest in cut.rests}
    distinct = {whole[:size] for whole in wholes for size in range(1, len(whole))}
    assert len(reader.read) == len(distinct)


@settings(deadline=None)
@given(st.lists(st.lists(splits, min_size=1, max_size=4), min_size=2, max_size=4), st.integers(1, 6))
def test_what_one_tree_leaves_in_the_stem_serves_the_next(trees, size):
    reader = Reader()
    for cuts in trees:
        found = reader.score(cuts, [size])
        assert found == [[pytest.approx(alone(cut, rest)) for rest in cut.rests] for cut in cuts]


def test_shared_examples_are_read_once_over_many_calls():
    reader = Reader()
    example = tuple(range(50))
    for question in range(4):
        reader.score([Split((*example, 60, question, item), ((1,), (2, 3))) for item in range(5)], [40])
    assert reader.read.count(25) == 1
    assert len(reader.read) == 50 + 1 + 4 * (1 + 5 * 2)


def test_a_kept_token_is_read_again_where_its_prediction_is_wanted():
    reader = Reader()
    reader.score([Split((1, 2, 3), ((4,), (5,)))], [10])
    assert reader.stem == [1, 2, 3]
    [scores] = reader.score([Split((1, 2, 3), ((6,),))], [10])
    assert scores == [pytest.approx(chance([1, 2, 3], 6))]
    assert reader.read == [1, 2, 3, 3]


def test_the_branch_that_is_kept_is_taken_first():
    reader = Reader()
    first, second = Split((1, 2, 3, 4), ((5,),)), Split((1, 7, 7, 7), ((5,),))
    reader.score([second], [2])
    reader.score([first, second], [2])
    # 1, 7 and 7 were kept; the last 7 predicts.
    assert reader.read == [1, 7, 7, 7, 7, 2, 3, 4]


def test_a_pack_ends_before_it_needs_more_predictions_than_allowed():
    cut = Split((1,), tuple((2, token, 3) for token in range(5)))
    walk = Walk(Tree([cut]))
    asked = []
    while not walk.finished:
        pack = walk.pack(100, 2)
        asked.append(len(pack.asked))
        walk.advance(pack)
    assert asked == [2, 2, 2, 1]


def test_scores_are_due_when_the_last_token_they_follow_from_is_read():
    walk = Walk(Tree([SHARED, OTHER_QUESTION]))
    assert (walk.due(0), walk.due(1), walk.total) == (6, 9, 9)
