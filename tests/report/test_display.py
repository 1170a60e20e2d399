"""Text made fit for a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sotaque.report.display import shown, strip
from sotaque.stats.intervals import exact, no_items, proportion


@pytest.mark.parametrize(
    ("text", "display"),
    [
        ("contextual", "contextual"),
        ("two\nlines\r\t", "two\\nlines\\r\\t"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb\u2066c\u200f", "a\\u202eb\\u2066c\\u200f"),
        ("a\u2028b", "a\\u2028b"),
        ("[red]x[/red]", "[red]x[/red]"),
        ("coração", "coração"),
        ("ضرب‌المثل", "\u2068ضرب‌المثل\u2069"),
        ("الف) literal", "\u2068الف\u2069) literal"),
        ("برو, بیا برو", "\u2068برو\u2069, \u2068بیا برو\u2069"),
        ("x" * 201, "x" * 199 + "…"),
        ("tag \U000e0041", "tag \\U000e0041"),
    ],
    ids=ascii,
)
def test_shown(text, display):
    assert shown(text) == display


@given(st.text())
def test_no_control_and_no_open_isolate_reaches_the_terminal(text):
    display = shown(text)
    assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in display)
    assert display.count("\u2068") == display.count("\u2069")


def test_isolates_take_no_room():
    assert cell_len(shown("الف")) == 3


def test_strip_draws_interval_marks_and_value():
    estimate = proportion([1.0] * 5 + [0.0] * 5)
    assert (round(estimate.low, 2), round(estimate.high, 2)) == (0.24, 0.76)
    assert strip(estimate, {"┆": 0.25, "◆": 1.0}) == "····━┆━━━━●━━━━━···◆"


@pytest.mark.parametrize(("value", "place"), [(0.0, 0), (1.0, 19), (0.999, 19), (0.5, 10)])
def test_strip_reaches_both_ends(value, place):
    assert strip(exact(value, 1), {}).index("●") == place


def test_strip_of_nothing_is_empty():
    assert strip(no_items(), {"┆": 0.25}) == ""
