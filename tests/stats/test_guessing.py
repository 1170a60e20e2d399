"""How likely luck is to earn as much: exact values, ties, and clusters."""

import random
from itertools import product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, t

from sotaque.stats.guessing import CLUSTERED, EXACT, Draw, at_least, luck


def draws(hits: int, n: int, chance: float = 0.25) -> list[Draw]:
    return [Draw(1, chance, at < hits) for at in range(n)]


@pytest.mark.parametrize(
    ("hits", "n", "chance"), [(60, 150, 0.25), (903, 1000, 0.25), (3, 10, 0.5), (0, 7, 0.2), (9, 9, 0.2)]
)
def test_without_ties_it_is_the_binomial(hits: int, n: int, chance: float):
    assert at_least(draws(hits, n, chance)) == pytest.approx(binom.sf(hits - 1, n, chance), rel=1e-9)


def test_ties_are_counted_as_every_case_written_out():
    some = [Draw(1, 0.25, True), Draw(2, 0.5, False), Draw(3, 0.75, True), Draw(4, 1.0, True), Draw(2, 0.4, True)]
    earned = sum(draw.credit for draw in some)
    expected = 0.0
    for case in product((False, True), repeat=len(some)):
        probability, credit = 1.0, 0.0
        for hit, draw in zip(case, some, strict=True):
            probability *= draw.chance if hit else 1 - draw.chance
            credit += hit / draw.picked
        expected += probability * (credit >= earned - 1e-12)
    assert at_least(some) == pytest.approx(expected, rel=1e-12)


def test_a_rule_that_cannot_tell_options_apart_is_never_surprising():
    assert at_least([Draw(4, 1.0, True)] * 200) == 1.0


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 5), st.booleans()), min_size=1, max_size=30))
def test_a_probability_that_falls_with_every_further_hit(cases: list[tuple[int, int, bool]]):
    some = [Draw(picked, picked / (picked + others), hit or others == 0) for picked, others, hit in cases]
    p = at_least(some)
    assert 0 < p <= 1
    for at, draw in enumerate(some):
        if not draw.hit:
            more = [*some[:at], Draw(draw.picked, draw.chance, True), *some[at + 1 :]]
            assert at_least(more) <= p + 1e-12


def test_independent_items_are_counted_exactly():
    found = luck(draws(60, 150), range(150))
    assert (found.method, found.p) == (EXACT, at_least(draws(60, 150)))


def test_clusters_are_tested_on_their_standard_error():
    """Six clusters of two, four right throughout: by hand, CR1 with all the variance between clusters."""
    some = [Draw(1, 0.25, at // 2 < 4) for at in range(12)]
    residuals = [2 * (1 - 4 / 6)] * 4 + [2 * (0 - 4 / 6)] * 2
    error = sqrt(6 / 5 * sum(each**2 for each in residuals)) / 12
    found = luck(some, [at // 2 for at in range(12)])
    assert found.method == CLUSTERED
    assert found.p == pytest.approx(t.sf((4 / 6 - 0.25) / error, 5), rel=1e-9)


def test_copies_of_an_item_are_no_further_evidence():
    once, thrice = draws(16, 40), [draw for draw in draws(16, 40) for _ in range(3)]
    clusters = [at for at in range(40) for _ in range(3)]
    assert luck(thrice, clusters).p > at_least(once) / 2
    assert at_least(thrice) < at_least(once) / 5


def test_where_all_earn_the_same_each_cluster_is_one_item():
    always = luck(draws(12, 12), [at // 3 for at in range(12)])
    assert (always.method, always.p) == (EXACT, pytest.approx(0.25**4))
    assert luck(draws(0, 12), [at // 3 for at in range(12)]).p == 1.0
    assert luck(draws(5, 12), ["one"] * 12).method == EXACT


def test_luck_alone_is_rarely_found_surprising_in_clusters_of_three():
    """A rule that is right for a whole cluster or for none of it: at most a few of a hundred below .01."""
    rng, below = random.Random("guessing"), 0
    for _ in range(400):
        right = [rng.random() < 0.2 for _ in range(64)]
        some = [Draw(1, 0.2, hit) for hit in right for _ in range(3)]
        below += luck(some, [at // 3 for at in range(192)]).p <= 0.01
    assert below <= 12


def test_nothing_to_look_at_is_refused():
    with pytest.raises(ValueError, match="0 items"):
        luck([], [])
    with pytest.raises(ValueError, match="3 items, 2 clusters"):
        luck(draws(1, 3), [1, 2])
