"""Holm's correction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.stats.multiple import holm

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_holms_steps():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_one_test_needs_no_correction_and_none_has_none():
    assert holm([0.03]) == (0.03,)
    assert holm([]) == ()


def test_nothing_is_above_1():
    assert holm([0.5, 0.9]) == (1.0, 1.0)


@given(P_VALUES)
def test_never_below_the_given_value_nor_above_bonferronis(p_values: list[float]):
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert p <= adjusted <= min(1.0, len(p_values) * p) + 1e-12


@given(P_VALUES)
def test_the_order_of_the_tests_does_not_matter(p_values: list[float]):
    assert sorted(holm(p_values)) == pytest.approx(sorted(holm(p_values[::-1])))
