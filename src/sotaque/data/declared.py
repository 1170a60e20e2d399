"""What a suite declares about a source of items: its files, how they are pinned, and where they come from."""

from __future__ import annotations

from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Field(min_length=1)]


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
    """One file: a ``path`` relative to the suite's folder, or a ``url`` pinned by its sha256.

    Attributes:
        bytes: size, shown before anything is downloaded, and the most that is read from the URL.
    """

    path: Text | None = None
    url: Text | None = None
    sha256: Sha256 | None = Field(None, description="64 hexadecimal digits in lower case, as sha256sum prints them")
    bytes: Annotated[int, Field(gt=0)] | None = Field(None, description="the size in bytes, from 1 up")

    @property
    def name(self) -> str:
        """The file's own name, as it was published."""
        return (self.path or urlsplit(self.url or "").path).rsplit("/", 1)[-1]

    @model_validator(mode="after")
    def _is_one_place(self) -> Self:
        if (self.path is None) == (self.url is None):
            raise PydanticCustomError("place", "a file has either a 'path' or a 'url'")
        if self.url is not None:
            self._check_url(self.url)
        elif not str(self.path).isprintable():
            raise PydanticCustomError("unprintable", "a path has no line breaks and no control characters")
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
