import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.models.boundary import common_length, split

ids = st.lists(st.integers(0, 3), max_size=6)


def test_a_clean_seam_is_cut_at_the_end_of_the_context():
    cut = split([1, 2, 3], [[1, 2, 3, 4], [1, 2, 3, 5, 6]])
    assert (cut.prefix, cut.rests, cut.overlap) == ((1, 2, 3), ((4,), (5, 6)), 0)


def test_a_token_across_the_seam_moves_the_cut_for_every_option():
    cut = split([1, 2, 3], [[1, 2, 9], [1, 2, 3, 5]])
    assert (cut.prefix, cut.rests, cut.overlap) == ((1, 2), ((9,), (3, 5)), 1)


def test_options_that_agree_beyond_the_context_are_cut_at_the_context():
    cut = split([1, 2], [[1, 2, 7, 8], [1, 2, 7, 9]])
    assert cut.rests == ((7, 8), (7, 9))


def test_an_option_that_vanishes_into_the_context_keeps_a_token():
    cut = split([1, 2], [[1, 2], [1, 2, 3]])
    assert (cut.prefix, cut.rests) == ((1,), ((2,), (2, 3)))


def test_one_option_a_prefix_of_another():
    cut = split([1], [[1, 5], [1, 5, 6]])
    assert cut.rests == ((5,), (5, 6))


def test_an_empty_context_leaves_no_prefix():
    cut = split([], [[4], [5, 6]])
    assert (cut.prefix, cut.rests) == ((), ((4,), (5, 6)))


@pytest.mark.parametrize("wholes", [[], [[1], []]])
def test_nothing_to_score_is_refused(wholes):
    with pytest.raises(ValueError, match="no continuation"):
        split([1], wholes)


def test_common_length_of_sequences_where_one_is_empty():
    assert common_length([[1, 2], []]) == 0


@given(ids, st.lists(ids.filter(bool), min_size=1, max_size=4))
def test_every_cut_is_whole_shared_and_never_empty(context, wholes):
    cut = split(context, wholes)
    assert all(cut.rests)
    assert [list(cut.prefix + rest) for rest in cut.rests] == wholes
    assert list(cut.prefix) == context[: len(cut.prefix)]
    assert len(cut.prefix) + cut.overlap == len(context)


@pytest.mark.parametrize(
    ("a", "b", "length"), [((), (1,), 0), ((1, 2), (1, 2, 3), 2), ((1, 2), (1, 3), 1), ((2,), (1,), 0)]
)
def test_common_length_of_two(a, b, length):
    assert common_length([a, b]) == length
