"""samples.jsonl: one line per sample, which reads back as it was written.

Where the items may not be shared, a line holds no text that could quote one: the reply's text and reasoning, and what
was read from it unless that is a bare label, are left out; a cluster that is named by a text keeps only a hash of it.
``reply_id`` still finds the whole reply in the user's own store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Annotated, Any, BinaryIO, cast

from pydantic import ConfigDict, Discriminator, Tag, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from sotaque.records import Failure, Reply, Sample

LONGEST_LABEL = 3
LONGEST_MESSAGE = 200
CODE = re.compile(r"[A-Za-z0-9_.:/-]{1,40}")


def _reply_kind(value: Any) -> str:  # noqa: ANN401
    is_failure = "message" in value if isinstance(value, dict) else isinstance(value, Failure)
    return "failure" if is_failure else "reply"


@dataclass(frozen=True, slots=True)
class SampleLine(Sample):
    """A sample as it stands in a run folder.

    Attributes:
        withheld: the reply had text, which this folder does not hold; its ``text`` and ``reasoning`` are ``None``.
    """

    # A failure would validate as a reply, all of whose fields have defaults.
    reply: Annotated[Annotated[Reply, Tag("reply")] | Annotated[Failure, Tag("failure")], Discriminator(_reply_kind)]
    withheld: bool = False

    __pydantic_config__ = ConfigDict(extra="forbid")


_LINE = TypeAdapter(SampleLine)
_FIELDS = tuple(field.name for field in fields(Sample))


class BrokenLine(ValueError):
    """A line of samples.jsonl that cannot be read: ``number`` counts from 1."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number


def kept_lines(samples: Iterable[Sample], *, texts: bool, labelled: frozenset[str]) -> Iterator[SampleLine]:
    """What a run folder keeps of samples.

    Args:
        samples: in the order of the file.
        texts: whether replies keep their text.
        labelled: tasks that ask for a label; only theirs is kept without texts.
    """
    for sample in samples:
        yield _line(sample) if texts else _bare_line(sample, labelled=sample.task in labelled)


def dump_samples(lines: Iterable[SampleLine]) -> Iterator[bytes]:
    """Lines of samples.jsonl, each with its line feed."""
    return (storable_json(line) for line in lines)


def load_samples(file: BinaryIO) -> Iterator[SampleLine]:
    """Read samples.jsonl.

    Raises:
        BrokenLine: a line that is cut off, garbled, or not a sample.
    """
    for number, line in enumerate(file, 1):
        try:
            yield _LINE.validate_json(line)
        except ValidationError as error:
            raise BrokenLine(number, first_fault(error)) from None


def storable_json(record: object, *, indent: int | None = None) -> bytes:
    """A record as JSON with its line feed; infinities are strings, half a surrogate pair becomes "?"."""
    try:
        return to_json(record, indent=indent, inf_nan_mode="strings", fallback=_plain) + b"\n"
    except PydanticSerializationError:
        return to_json(_storable(record), indent=indent, inf_nan_mode="strings", fallback=_plain) + b"\n"


def first_fault(error: ValidationError) -> str:
    """Where and why validation failed first, without the value, which could be long or private."""
    fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(step) for step in fault["loc"])
    return f"{place}: {fault['msg']}" if place else fault["msg"]


def _line(sample: Sample) -> SampleLine:
    given = {name: getattr(sample, name) for name in _FIELDS}
    return SampleLine(**given, withheld=isinstance(sample, SampleLine) and sample.withheld)


def _bare_line(sample: Sample, *, labelled: bool) -> SampleLine:
    score = sample.score
    if not (labelled and len(score.read) <= LONGEST_LABEL):
        score = replace(score, read="")
    line = _line(sample)
    withheld = line.withheld or _has_text(sample.reply)
    return replace(line, cluster=_code(sample.cluster), score=score, reply=_bare(sample.reply), withheld=withheld)


def _bare(reply: Reply | Failure) -> Reply | Failure:
    if isinstance(reply, Reply):
        return replace(reply, text=None, reasoning=None)
    # Servers may quote the prompt in their error; its beginning says what happened.
    return replace(reply, message=reply.message.split("\n", 1)[0][:LONGEST_MESSAGE])


def _has_text(reply: Reply | Failure) -> bool:
    return isinstance(reply, Reply) and (reply.text is not None or reply.reasoning is not None)


def _code(cluster: str) -> str:
    if not cluster or CODE.fullmatch(cluster):
        return cluster
    return f"sha256:{sha256(cluster.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _plain(value: object) -> object:
    """A mapping that is not a dict (a read-only view, say) is written as one."""
    if isinstance(value, Mapping):
        return dict(cast(Mapping[str, object], value))
    raise TypeError(f"{type(value).__name__} cannot be written to samples.jsonl")


def _storable(tree: object) -> object:
    """Half a surrogate pair, which a model may write as an escape, is no text that a file can hold."""
    if isinstance(tree, str):
        return tree.encode("utf-8", "replace").decode("utf-8")
    if is_dataclass(tree):
        return {field.name: _storable(getattr(tree, field.name)) for field in fields(tree)}
    if isinstance(tree, Mapping):
        return {_storable(key): _storable(value) for key, value in cast(Mapping[str, object], tree).items()}
    if isinstance(tree, list | tuple):
        return [_storable(value) for value in cast(list[object], tree)]
    return tree
