"""A task's items as the rules of the audit see them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sotaque.language.normalize import key
from sotaque.prompts.views import Crowd, crowd_of, view
from sotaque.records import Item, ItemView
from sotaque.suites.schema import Task
from sotaque.suites.template import OPTIONS, placeholders

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Choice:
    """One question with options.

    Attributes:
        view: the options in the order of the source, with the position of the right one.
        question: the words of the fields that the prompt shows, folded; never the words of the prompt itself.
        words: of each option, likewise.
        cluster: what the item shares with others that are not independent of it.
    """

    view: ItemView
    question: frozenset[str]
    words: tuple[frozenset[str], ...]
    cluster: str


def choices_of(task: Task, items: Sequence[Item], source: str) -> tuple[Choice, ...]:
    """What a task asks, without the answers to open questions.

    Args:
        task: one with options.
        items: all that it asks about.
        source: the declared source whose prompt is used.
    """
    crowd = crowd_of(task, items)
    fields = [name for name in placeholders(task.prompt_for(source)) if name != OPTIONS]
    return tuple(_choices(task, items, crowd, fields))


def folded_words(text: str, language: str) -> frozenset[str]:
    """The distinct words of a text, in the form in which texts of the language are compared."""
    return frozenset(_WORD.findall(key(text, language)))


def _choices(task: Task, items: Sequence[Item], crowd: Crowd, fields: Sequence[str]) -> Iterator[Choice]:
    for item in items:
        question = folded_words("\n".join(item.fields[name] for name in fields if name in item.fields), task.language)
        words = tuple(folded_words(option.text, task.language) for option in item.options)
        seen = view(crowd, item, tuple(range(len(item.options))), oracle=True)
        yield Choice(seen, question, words, task.cluster_of(item))
