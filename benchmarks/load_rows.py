"""12,000 rows in Brasilidade's published fields, loaded, validated and rendered; and one broken row among them.

Beside it, as the floor: the same rows parsed as JSON in the same kind of process.
"""

import json
import sys
import tempfile
from pathlib import Path

from processes import run
from published_fields import FILES, write_rows

ROWS = 12_000
ONCE = (
    "br_def_expr_gen",
    "pt_expr_class_gen",
    "br_expr_def_gen",
    "pt_conjugate",
    "pt_word_class_gen",
    "pt_correct",
    "pt_aum_gen",
    "pt_dim_gen",
)
"""A task for each file, so that every row becomes one prompt."""


def parse(folder: Path) -> None:
    rows = [json.loads(line) for path in folder.glob("*.jsonl") for line in path.open(encoding="utf-8")]
    assert len(rows) == ROWS


def render_all(folder: Path, names: tuple[str, ...]) -> None:
    from sotaque.prompts.render import plan, render
    from sotaque.records import RunSpec
    from sotaque.suites.items import load_items
    from sotaque.suites.suite import load_suite

    suite = load_suite("brasilidade")
    loaded = load_items(suite, str(folder))
    asked = 0
    for name in names or tuple(suite.tasks):
        drawn = plan(suite.tasks[name], loaded, RunSpec(suite="brasilidade", model="m"), "text")
        for item in loaded.tasks[name].items:
            render(drawn, item, tuple(range(len(item.options))))
            asked += 1
    assert asked == ROWS if names else asked > 2 * ROWS


def break_one(folder: Path) -> None:
    """The error names the one broken row, and only it; files beside it are read as before."""
    from sotaque.errors import ItemError
    from sotaque.suites.items import load_items
    from sotaque.suites.suite import load_suite

    path, suite = folder / "graus_diminutivo_substantivo_qa.jsonl", load_suite("brasilidade")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    whole = lines[776]
    lines[776] = whole.replace("true", "false")
    path.write_text("".join(lines), encoding="utf-8")
    try:
        load_items(suite, str(folder))
    except ItemError as error:
        print(f"one broken row: {error.message.replace(str(folder), 'FOLDER')}")
        assert f"{path.name}, line 777: " in error.message
        assert error.message.count("line ") == 1
    else:
        raise SystemExit("a broken row was not seen")
    assert len(load_items(suite, str(folder), ["pt_aum_gen"]).tasks["pt_aum_gen"].items) == ROWS // len(FILES)
    lines[776] = whole
    path.write_text("".join(lines), encoding="utf-8")
    assert sum(len(file.items) for file in load_items(suite, str(folder)).files.values()) == ROWS


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_rows(folder, ROWS)
        floor = run((sys.executable, __file__, "parse", name))
        for what, about in (("once", f"{ROWS:,} prompts"), ("all", "all 27 tasks")):
            took = run((sys.executable, __file__, what, name))
            ratio = took.seconds / floor.seconds
            print(f"{about:16} {took.seconds:6.2f} s  {took.peak_mb:5.0f} MB   {ratio:5.1f} x parsing the JSON")
        print(f"{'JSON alone':16} {floor.seconds:6.2f} s  {floor.peak_mb:5.0f} MB")
        break_one(folder)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    elif sys.argv[1] == "parse":
        parse(Path(sys.argv[2]))
    else:
        render_all(Path(sys.argv[2]), ONCE if sys.argv[1] == "once" else ())
