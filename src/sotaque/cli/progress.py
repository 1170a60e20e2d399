"""A progress bar on standard error, with the time left; silent when that is not a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sotaque.report.display import shown


class Bar:
    """A ``Watch`` that draws.

    Args:
        title: what is being done.
    """

    def __init__(self, title: str) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("gone,"),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=Console(file=sys.stderr),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._title = title
        self._task = self._progress.add_task(shown(title), total=None, state="", start=False)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def started(self, total: int, stored: int) -> None:
        """Stored replies are not work: the time left is reckoned from what is asked now."""
        self._progress.start_task(self._task)
        found = f"{stored} from the store" if stored else ""
        self._progress.update(self._task, total=total, completed=stored, state=found)

    def landed(self, done: int, failed: int, in_flight: int) -> None:
        """Move on."""
        parts = [f"{in_flight} under way"] if in_flight else []
        parts += [f"{failed} failed"] if failed else []
        self._progress.update(self._task, completed=done + failed, state=", ".join(parts))


class Download:
    """Progress of files being downloaded: call it with a name, the bytes so far, and the bytes in all if known."""

    def __init__(self) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Download:
        self._progress.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._progress.stop()

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Move on."""
        if name not in self._tasks:
            self._tasks[name] = self._progress.add_task(shown(name), total=total)
        self._progress.update(self._tasks[name], completed=done, total=total)
