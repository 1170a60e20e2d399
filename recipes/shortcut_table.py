"""Write docs/shortcuts.md: what rules that answer nothing earn on every bundled task with options.

    python recipes/shortcut_table.py [FILE]

Everything on the page is computed from the bundled items. A test compares the page with what this makes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sotaque.audit.choices import choices_of
from sotaque.audit.shortcuts import ALPHA, ENOUGH_ITEMS, MARGIN, RULES, Found, shortcuts_of
from sotaque.suites.catalog import BUNDLED
from sotaque.suites.items import load_items
from sotaque.suites.schema import Task
from sotaque.suites.suite import load_suite

PAGE = Path(__file__).resolve().parent.parent / "docs" / "shortcuts.md"

HEAD = f"""\
# What rules earn that answer nothing

On every bundled task with options: how often a rule is right that looks at the options, and at nothing else but the
words of the question. Where a rule cannot tell options apart, it earns its share of them. The page is made by
`python recipes/shortcut_table.py`.

- Where options vary, a rule that knows nothing earns what **chance** earns. Where all items have the same classes, it
  is compared with the **majority**: picking the class that is right most often.
- From {ENOUGH_ITEMS} items up a rule **shows** when it earns over {100 * MARGIN:.0f} points more than that, or more
  than luck explains: a one-sided test at {ALPHA} after Holm's correction over the rules of the task, exact, or on
  clustered standard errors where items share a proverb, a word or an expression.
- The checks fail where a rule shows, unless suite.toml [declares](suites.md) it, with the reason.
- With fewer items a rate says little, and is only reported.
- Marks: `!` shows, `d` is declared.
"""


@dataclass(frozen=True)
class Row:
    """One task, and what every rule earns on it."""

    task: Task
    found: tuple[Found, ...]


def main(file: Path) -> None:
    """Write the page."""
    file.write_text(page(), encoding="utf-8", newline="\n")


def page() -> str:
    """The whole page, as Markdown."""
    rules = "\n".join(f"| {rule} | {RULES[rule].about} |" for rule in RULES)
    parts = [HEAD, f"| rule | picks |\n| --- | --- |\n{rules}\n", *(_suite(name) for name in BUNDLED)]
    return "\n".join(part for part in parts if part)


def rows(name: str) -> Iterator[Row]:
    """The tasks of a suite that have options, in the order of suite.toml."""
    suite = load_suite(name)
    loaded = load_items(suite, "bundled")
    for task in suite.tasks.values():
        if not task.is_open:
            choices = choices_of(task, loaded.tasks[task.name].items, loaded.declared)
            yield Row(task, shortcuts_of(choices, task.shortcuts, fixed_classes=bool(task.classes)))


def _suite(name: str) -> str:
    found = list(rows(name))
    if not found:
        return ""
    lines = [
        f"## {name}\n",
        f"| task | items | independent | knows nothing | {' | '.join(RULES)} |",
        f"| --- | ---: | ---: | --- |{' ---: |' * len(RULES)}",
        *(_line(row) for row in found),
    ]
    return "\n".join(lines) + "\n" + "".join(_declared(found))


def _line(row: Row) -> str:
    first = row.found[0]
    cells = [
        f"`{row.task.name}`",
        str(first.rate.n),
        str(first.rate.clusters),
        f"{first.against} {_points(first.expected)}",
    ]
    return f"| {' | '.join([*cells, *(_cell(each) for each in row.found)])} |"


def _cell(found: Found) -> str:
    marks = "!" * found.shows + "d" * bool(found.reason)
    return f"{_points(found.rate.value or 0.0)} {marks}".rstrip()


def _points(share: float) -> str:
    return f"{100 * share:.1f} %"


def _declared(found: list[Row]) -> Iterator[str]:
    for row in found:
        for each in row.found:
            if each.reason:
                yield f"\nDeclared in `{row.task.name}`: {each.rule}, because {each.reason}.\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE)
