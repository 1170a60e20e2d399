"""The cells of a row of results: how an estimate is written."""

from __future__ import annotations

from rich.text import Text

from sotaque.report.display import shown, strip
from sotaque.stats.intervals import Estimate
from sotaque.summary import percent

Cells = dict[str, Text]

STRIP = "0 % to 100 %"


def cells_of(label: str, estimate: Estimate, marks: dict[str, float | None]) -> Cells:
    """A share with its interval, by the titles of the columns."""
    return {
        "task": Text(label),
        "n": Text(f"{estimate.n:,}"),
        "score": Text(share_text(estimate) or "none", style="bold"),
        "95 % interval": Text(_interval(estimate)),
        STRIP: Text(strip(estimate, marks)),
    }


def share_text(estimate: Estimate | None) -> str:
    """A share in per cent; nothing where there is none."""
    return "" if estimate is None or estimate.value is None else percent(estimate.value)


def difference_cells(label: str, estimate: Estimate) -> tuple[Text, Text, Text]:
    """Label, difference and interval, in percentage points with their signs."""
    value = "none" if estimate.value is None else _points(estimate.value)
    known = estimate.low is not None and estimate.high is not None
    interval = f"{_points(estimate.low or 0.0)} to {_points(estimate.high or 0.0)}" if known else ""
    rough = "  (rough)" if known and estimate.warnings else ""
    return Text(label), Text(value, style="bold"), Text(interval + rough)


def shown_text(line: str) -> Text:
    """A line without markup: brackets in it are brackets."""
    return Text(shown(line))


def _points(share: float) -> str:
    return f"{share * 100:+.1f}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{percent(estimate.low).removesuffix(' %')} to {percent(estimate.high).removesuffix(' %')}"
