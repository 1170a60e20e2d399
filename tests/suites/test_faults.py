"""Where in a TOML text a key path stands."""

import pytest

from sotaque.suites.faults import line_of

TEXT = '''format = 1
[tasks.a]
prompt = """
[tasks.b]
about = "not a key"
"""
about = "x"
protocol.default.shots = 1
[tasks."b"]
about = "y"
files = { quiz = { path = "q" } }
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("format",), 1),
        (("tasks", "a"), 2),
        (("tasks", "a", "about"), 7),
        (("tasks", "a", "protocol", "default", "shots"), 8),
        (("tasks", "a", "missing"), 2),
        (("tasks", "b", "about"), 10),
        (("tasks", "b", "files", "quiz", "path"), 11),
        (("sources",), None),
    ],
)
def test_the_deepest_part_that_stands_in_the_text_is_found(path: tuple[str, ...], line: int | None):
    assert line_of(TEXT, path) == line
