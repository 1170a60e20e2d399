"""Reading suite.toml: bundled suites by name, a user's own by folder."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sotaque.errors import SuiteError, UsageError
from sotaque.suites.catalog import BUNDLED, bundled_folder
from sotaque.suites.check import meaning_faults
from sotaque.suites.faults import Fault, did_you_mean, raise_faults, shape_faults
from sotaque.suites.merge import merge_templates, placed
from sotaque.suites.schema import FORMAT, Protocol, Protocols, Suite, Task

__all__ = ["Protocol", "Protocols", "Suite", "Task", "load_suite", "suite_folder"]


def load_suite(ref: str | Path) -> Suite:
    """Read and check a suite.

    Args:
        ref: a bundled suite's name, or a folder that holds suite.toml (or that file itself).

    Raises:
        UsageError: no such suite.
        SuiteError: suite.toml is not as it should be: key path, line and remedy of every fault.
    """
    file = suite_folder(ref) / "suite.toml"
    raw, text = _read(file)
    _check_format(raw, file, text)
    merged = merge_templates(raw)
    raise_faults(merged.faults, file, text)
    try:
        suite = Suite.model_validate_json(json.dumps(merged.suite, default=str), strict=True)
    except ValidationError as error:
        raise_faults(placed(shape_faults(error), merged.origins), file, text)
        raise
    raise_faults(placed(meaning_faults(suite), merged.origins), file, text)
    suite.comes_from(merged.origins)
    known_as = ref if isinstance(ref, str) and ref in BUNDLED else str(file.parent)
    suite.lives_in(file.parent, hashlib.sha256(text.encode()).hexdigest(), known_as)
    return suite


def suite_folder(ref: str | Path) -> Path:
    """The folder of a suite; a bundled name wins over a folder of the same name (write ./NAME for that).

    Raises:
        UsageError: neither a bundled suite nor a folder with suite.toml.
    """
    if isinstance(ref, str) and ref in BUNDLED:
        return bundled_folder(ref)
    path = Path(ref).expanduser()  # run folders write the user's home as ~
    if path.name == "suite.toml" and path.is_file():
        return path.parent
    if (path / "suite.toml").is_file():
        return path
    if path.is_dir():
        raise UsageError(f"the folder {path} has no suite.toml", "a suite is a folder with suite.toml and its items")
    known = did_you_mean(str(ref), BUNDLED, f"bundled suites: {', '.join(BUNDLED)}; or give a folder with suite.toml")
    raise UsageError(f"there is no suite '{ref}'", known)


def _read(file: Path) -> tuple[dict[str, Any], str]:
    try:
        text = file.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text), text
    except OSError as error:
        raise SuiteError(f"cannot be read ({error.strerror})", file=file, remedy="check its permissions") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"byte {error.start + 1} of the file (0x{error.object[error.start]:02X}) is not UTF-8"
        raise SuiteError(message, file=file, place=f"line {line}", remedy="save the file as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        place = f"line {found[1]}, column {found[2]}" if found else "at the end"
        message = f"not valid TOML: {str(error).split(' (at ')[0]}"
        remedy = 'texts stand in quotes, prompts of several lines in """ ... """'
        raise SuiteError(message, file=file, place=place, remedy=remedy) from None


def _check_format(raw: dict[str, Any], file: Path, text: str) -> None:
    found: object = raw.get("format")
    if found == FORMAT and type(found) is int:
        return
    if found is None:
        fault = Fault(("format",), "'format' is missing", "write format = 1 in the first line")
    elif isinstance(found, int) and found > FORMAT:
        message = f"the suite is of format {found}; this sotaque reads format {FORMAT}"
        fault = Fault(("format",), message, "upgrade sotaque: pip install --upgrade sotaque")
    else:
        fault = Fault(("format",), f"{found!r} is no format", "write format = 1")
    raise_faults([fault], file, text)
