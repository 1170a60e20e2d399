"""Text from files and models, made fit for a terminal: no control reaches it, and Persian does not upset a table."""

from __future__ import annotations

import re
from unicodedata import category

from sotaque.stats.intervals import Estimate

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
JOINERS = "\u200c\u200d"
LETTERS = r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
RIGHT_TO_LEFT = re.compile(rf"{LETTERS}+(?:[{JOINERS} ]+{LETTERS}+)*")
LONGEST = 200
STRIP_CELLS = 20


def shown(text: str, longest: int = LONGEST) -> str:
    r"""Text as a terminal may have it.

    Controls, line ends and bidi marks are spelt out ("\n", "\u202e"); Persian joiners stay. Right-to-left words are
    wrapped in isolates, so that its neighbours keep their places. For display only: never compare or store it.
    """
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return isolated(spelt_out(cut))


def spelt_out(text: str, *, lines: bool = False) -> str:
    r"""Text without controls and bidi marks ("\x1b"), whole, for messages; with ``lines``, line ends stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if lines and each == "\n" else _spelt_out(each) for each in text)


def isolated(text: str) -> str:
    """Each run of right-to-left words between isolates; the order of what stands around it is kept."""
    return RIGHT_TO_LEFT.sub(lambda run: f"{FIRST_STRONG_ISOLATE}{run[0]}{POP_ISOLATE}", text)


def strip(estimate: Estimate, marks: dict[str, float | None]) -> str:
    """A line from 0 to 100 %: the interval drawn through, the value as a dot, and ``marks`` (a character each)."""
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    cells = ["·"] * STRIP_CELLS
    for place in range(_cell(estimate.low), _cell(estimate.high) + 1):
        cells[place] = "━"
    for character, value in marks.items():
        if value is not None:
            cells[_cell(value)] = character
    cells[_cell(estimate.value)] = "●"
    return "".join(cells)


def _cell(share: float) -> int:
    return min(STRIP_CELLS - 1, int(share * STRIP_CELLS))


def _spelt_out(character: str) -> str:
    if category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character in JOINERS:
        return character
    return character.encode("unicode_escape").decode("ascii")
