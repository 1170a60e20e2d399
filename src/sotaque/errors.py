"""Every exception that sotaque raises on purpose.

    SotaqueError                  shown to the user as one message, never as a traceback
    |-- UsageError                the command line asks for something that cannot be
    |   |-- UnknownModel          no provider or model of that name
    |   |-- MissingKey            the environment variable with the API key is not set
    |   |-- MissingExtra          an optional dependency is not installed
    |   `-- UnsupportedMode       the model cannot do what the task needs (log-probabilities, say)
    |-- DataError                 a file is wrong: says file, place and remedy
    |   |-- SuiteError            suite.toml
    |   |-- ItemError             a file of items
    |   |-- ChecksumError         bytes are not the pinned ones
    |   `-- RunFolderError        a run folder is missing, incomplete or of another version
    |-- StoreError                the reply store cannot be read or written
    |-- Interrupted               Ctrl-C or SIGTERM; finished work is stored
    `-- ModelError                one request got no reply
        |-- Fatal                 no request to this model can succeed (401, unknown model): stop
        |-- Rejected              this request can never succeed (400, too long): do not retry
        `-- Transient             worth another try (429, 5xx, time-out, dropped connection)

Each message says what failed and where; ``remedy`` says what to do about it.
"""

from __future__ import annotations


class SotaqueError(Exception):
    """Base of all: a message for people, and what to do about it."""

    exit_code = 2

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message}\n  {self.remedy}" if self.remedy else self.message


class UsageError(SotaqueError):
    """The request itself cannot be carried out."""


class UnknownModel(UsageError):
    """No provider or model of that name."""


class MissingKey(UsageError):
    """The environment variable that should hold the API key is not set."""


class MissingExtra(UsageError):
    """An optional dependency is not installed.

    Args:
        what: needs it.
        extra: its name.
        besides: what else there is to know before it is installed.
    """

    def __init__(self, what: str, extra: str, besides: str = "") -> None:
        remedy = f"{install(extra)}\n  {besides}" if besides else install(extra)
        super().__init__(f"{what} needs the extra '{extra}', which is not installed", remedy)


def install(extra: str) -> str:
    """The commands that install an extra."""
    return f"in a clone of sotaque: pip install '.[{extra}]'; elsewhere: pip install 'sotaque[{extra}]'"


class UnsupportedMode(UsageError):
    """The model cannot do what the task needs."""


class DataError(SotaqueError):
    """A file is wrong.

    Args:
        message: what is wrong.
        file: the file's path or URL.
        place: a line ("line 7") or a key path ("tasks.contextual.prompt"); may be empty.
        remedy: what to do about it.
    """

    def __init__(self, message: str, *, file: object, place: str = "", remedy: str = "") -> None:
        where = f"{file}, {place}" if place else f"{file}"
        super().__init__(f"{where}: {message}", remedy)
        self.file = str(file)
        self.place = place


class SuiteError(DataError):
    """suite.toml does not say what a suite must say."""


class ItemError(DataError):
    """A file of items has a broken row."""


class ChecksumError(DataError):
    """The bytes found are not the bytes that were pinned."""


class RunFolderError(DataError):
    """A run folder is missing, incomplete or of another version."""


class StoreError(SotaqueError):
    """The reply store cannot be read or written."""


class Interrupted(SotaqueError):
    """The user ended the run; all finished replies are stored."""

    exit_code = 130


class ModelError(SotaqueError):
    """One request got no reply. Never stored, never scored."""


class Fatal(ModelError):
    """No request to this model can succeed: end the run at once."""


class Rejected(ModelError):
    """This request can never succeed as it is; others may."""


class Transient(ModelError):
    """Worth another try.

    Args:
        message: what happened.
        retry_after: seconds the server asked us to wait, if it did.
        overload: whether the server is telling us to slow down (429, 503).
    """

    def __init__(self, message: str, *, retry_after: float | None = None, overload: bool = False) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.overload = overload
