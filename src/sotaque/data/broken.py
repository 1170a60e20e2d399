"""Broken rows of a file, gathered so that a person can mend all of them at once."""

from __future__ import annotations

from dataclasses import dataclass, field

from sotaque.errors import ItemError

SHOWN = 20


class RowFault(Exception):
    """One row cannot become an item; the reader catches it, notes the line and goes on."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


@dataclass(slots=True)
class BrokenRows:
    """The faults found so far in one file, by line; or by row, where a file has no lines."""

    file: object
    unit: str = "line"
    faults: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])

    def add(self, line: int, message: str, remedy: str) -> None:
        """Note a fault; lines count from 1."""
        self.faults.append((line, message, remedy))

    def check(self) -> None:
        """Say what is wrong.

        Raises:
            ItemError: with every broken row up to twenty, each with its remedy, and how many more there are.
        """
        if not self.faults:
            return
        self.faults.sort(key=lambda fault: fault[0])
        if len(self.faults) == 1:
            line, message, remedy = self.faults[0]
            raise ItemError(message, file=self.file, place=f"{self.unit} {line}", remedy=remedy)
        raise ItemError(self._listing(), file=self.file, place=f"{self.unit} {self.faults[0][0]} and others")

    def _listing(self) -> str:
        lines = [f"{len(self.faults)} broken rows"]
        lines += [
            f"  {self.unit} {line}: {message}. {_sentence(remedy)}" for line, message, remedy in self.faults[:SHOWN]
        ]
        if len(self.faults) > SHOWN:
            lines.append(f"  and {len(self.faults) - SHOWN} more")
        return "\n".join(lines)


def _sentence(remedy: str) -> str:
    return remedy[:1].upper() + remedy[1:]
