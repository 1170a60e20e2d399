"""Values that stand in the cells of a CSV."""

import pytest

from sotaque.data.written import written_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["um", "dois"]', ["um", "dois"]),
        ("['um', \"d'água\"]", ["um", "d'água"]),
        ("null", None),
        ("None", None),
        ("3", 3),
        ("('a', 'b')", ("a", "b")),
    ],
)
def test_json_and_python_literals_are_read(text, value):
    assert written_value(text) == value


@pytest.mark.parametrize("text", ["", "um", "['um' 'dois'", "__import__('os').getcwd()", "[" * 100_000, "['a'\n'b"])
def test_anything_else_is_refused_and_never_run(text):
    with pytest.raises(ValueError, match="neither JSON nor a Python literal"):
        written_value(text)
