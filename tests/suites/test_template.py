"""Templates: fields are put in, and never read as templates themselves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.suites.template import BadTemplate, fill, placeholders


def test_a_value_with_braces_stays_as_it_is():
    values = {"proverb": "quem tem {options} não tem {{medo}}", "options": "A) sim"}
    assert fill("{proverb}\n{options}", values) == "quem tem {options} não tem {{medo}}\nA) sim"


def test_doubled_braces_are_braces():
    assert fill('{{"resposta": "{x}"}}', {"x": "ج"}) == '{"resposta": "ج"}'
    assert placeholders("{{x}} {y} {y} {ضرب}") == ("y", "ضرب")


@pytest.mark.parametrize("template", ["{", "}", "{a b}", "{}", "{0}", "{x!r}", "{x.y}", "{{x}", "{{{x}}"])
def test_a_stray_brace_is_named_with_its_surroundings(template: str):
    with pytest.raises(BadTemplate, match="a stray '[{}]' near '"):
        placeholders(template)


@given(st.text(), st.text())
def test_any_value_comes_out_unchanged(question: str, options: str):
    assert fill("{question}|{options}", {"question": question, "options": options}) == f"{question}|{options}"


@given(st.text(alphabet="{}x "))
def test_what_passes_the_check_can_be_filled(template: str):
    try:
        names = placeholders(template)
    except BadTemplate:
        return
    assert fill(template, dict.fromkeys(names, "")).count("{") == template.count("{{")
