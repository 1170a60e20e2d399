import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.models.local_choose import chunks


def rests(*lengths):
    return [tuple(range(length)) for length in sorted(lengths)]


@given(st.lists(st.integers(2, 300), max_size=40), st.integers(0, 500), st.integers(1, 5000))
def test_every_continuation_is_in_one_group_and_groups_keep_to_the_room(lengths, context, room):
    given_rests = rests(*lengths)
    groups = list(chunks(given_rests, context, room))
    assert [rest for group in groups for rest in group] == given_rests
    for group in groups:
        assert len(group) == 1 or len(group) * (context + len(group[-1])) <= room


@pytest.mark.parametrize(
    ("lengths", "groups"),
    [
        ((5, 6, 7, 9), [4]),
        ((42, 57, 60, 206), [3, 1]),
        ((2, 2000), [1, 1]),
        ((), []),
    ],
)
def test_a_long_option_is_not_padded_onto_short_ones(lengths, groups):
    assert [len(group) for group in chunks(rests(*lengths), 100, 10**6)] == groups
