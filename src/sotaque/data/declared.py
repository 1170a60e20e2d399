"""What a suite declares about a source of items: its files, how they are pinned, and where they come from."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(min_length=1)]
Repository = Annotated[str, Field(pattern=r"^[\w.-]+/[\w.-]+$")]

DEFAULT_REVISION = "main"


class Declared(BaseModel):
    """Base of everything read from suite.toml: no unknown keys, no changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Provenance(Declared):
    """Who made the items, who checked them, and what may be done with them."""

    author: Text = Field(description='who wrote the items, e.g. author = "model-written"')
    review: Text = Field(description='who checked them, e.g. review = "unreviewed"')
    licence: Text = Field(description='e.g. licence = "CC-BY-4.0", or "not stated"')
    share: Literal["yes", "no", "unknown"] = Field(
        description='whether reports may show the items: share = "yes", "no" or "unknown"'
    )


class FileSpec(Declared):
    """One file: a ``path`` relative to the suite's folder, a ``url`` pinned by its sha256, or a split on the hub.

    Attributes:
        bytes: size, shown before anything is downloaded, and the most that is read from the URL.
        hub: a data set's repository, "OWNER/REPO"; ``config``, ``split`` and ``revision`` say which part of it.
        config: empty for the only or default one.
        revision: a commit, branch or tag; whichever it is, the commit it stood for is recorded in every run.
        only: the items to keep of the file, by their metadata; others belong to other tasks.
    """

    path: Text | None = None
    url: Text | None = None
    sha256: Sha256 | None = Field(
        default=None, description="64 hexadecimal digits in lower case, as sha256sum prints them"
    )
    bytes: Annotated[int, Field(gt=0)] | None = Field(default=None, description="the size in bytes, from 1 up")
    hub: Repository | None = Field(default=None, description='a data set on the hub: hub = "OWNER/REPO"')
    config: str = ""
    split: str = ""
    revision: str = ""
    only: dict[str, str] = {}

    @property
    def name(self) -> str:
        """The file's own name, as it was published; of a split: the split and where it is."""
        if self.hub is not None:
            return f"{self.config}/{self.split}" if self.config else self.split
        return (self.path or urlsplit(self.url or "").path).rsplit("/", 1)[-1]

    @property
    def address(self) -> str:
        """Where it is fetched from; empty for a file that comes with the suite."""
        if self.hub is not None:
            return f"hub: {self.hub}, {self.name}, revision {self.revision or DEFAULT_REVISION}"
        return self.url or ""

    @model_validator(mode="after")
    def _is_one_place(self) -> Self:
        if sum(place is not None for place in (self.path, self.url, self.hub)) != 1:
            raise PydanticCustomError("place", "a file has either a 'path' or a 'url' or a 'hub' repository")
        if self.url is not None:
            self._check_url(self.url)
        if self.path is not None and not self.path.isprintable():
            raise PydanticCustomError("unprintable", "a path has no line breaks and no control characters")
        self._check_hub()
        return self

    def _check_url(self, url: str) -> None:
        if not url.isprintable() or " " in url:
            raise PydanticCustomError("unprintable", "a URL has no spaces, line breaks or control characters")
        if urlsplit(url).scheme not in ("http", "https"):
            raise PydanticCustomError("scheme", "'{url}' is not an http or https address", {"url": url})
        if self.sha256 is None:
            raise PydanticCustomError("unpinned", "a file behind a URL needs its sha256, so that it cannot change")
        if self.name in ("", ".", ".."):
            raise PydanticCustomError("unnamed", "'{url}' does not end in a file name", {"url": url})

    def _check_hub(self) -> None:
        if self.hub is None and (self.config or self.split or self.revision):
            raise PydanticCustomError("nohub", "'config', 'split' and 'revision' belong to a 'hub' repository")
        if self.hub is not None and not self.split:
            raise PydanticCustomError("nosplit", "a 'hub' repository needs a 'split'")
        if self.hub is not None and (self.sha256 or self.bytes):
            raise PydanticCustomError("pin", "a 'hub' repository is pinned by a commit as its 'revision'")


def _path_alone(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


class SourceSpec(Declared):
    """One source: files in one format, under one provenance.

    Attributes:
        format: a name of ``sotaque.data.formats.FORMATS``.
        files: by the name that tasks use in their ``source``.
        revision: of the publisher's repository.
        comparable: whether numbers on this source may stand beside published ones.
        notice: one sentence, shown wherever numbers on this source are shown.
    """

    format: str = "jsonl"
    files: Annotated[
        dict[str, Annotated[FileSpec, BeforeValidator(_path_alone)]],
        Field(min_length=1, description='name the files, e.g. files = { quiz = "quiz.jsonl" }'),
    ]
    revision: str = ""
    provenance: Provenance = Field(description="say who wrote the items, who reviewed them, their licence and share")
    comparable: bool = False
    notice: str = ""
