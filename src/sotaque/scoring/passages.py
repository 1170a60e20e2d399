"""Which part of an answer a check reads. Models write a preamble, Markdown, quotes, an explanation around it.

Nothing is guessed: where several parts could be meant, all of them are returned, and a check that does not say the same
of each is undecided. What is read:

    answer      everything, without Markdown
    text        everything but chatter: lines that end in a colon, greetings, offers, notes, and what leads up to a
                colon in their manner ("Aqui tens uma frase: ...")
    sentence    each passage in quotes or bold that has two words or more; without any, each line that is not chatter
    list        the entries of a bulleted or numbered list; or the words in quotes or bold; or what commas, "e", arrows
                and line breaks divide. Only entries of up to three words are taken; explanations after a dash, a colon,
                or in brackets are dropped
    verses      each block of two lines or more (blank lines part blocks), chatter dropped; or the one block there is
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sotaque.checks import Read
from sotaque.language.normalize import display, strip_markup

WORD = re.compile(r"\w+(?:[-'’]\w+)*")

_QUOTED = re.compile(r"«([^«»]+)»|“([^“”]+)”|„([^„“”]+)[“”]|\"([^\"\n]+)\"")
_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_BULLET = re.compile(r"^\s*(?:[-•–—*]|\d{1,2}[.)ºª]{1,2})\s+")
_OPENING = (
    r"claro|certamente|com certeza|com (?:todo o )?gosto|aqui|eis|segue|olá|então|muito bem|resposta|frase|exemplo|poema"
    r"|quadra|palavras?|lista|resumo|texto|acróstico|pangrama|palíndromo|uma (?:frase|palavra|possibilidade|resposta)"
    r"|proponho|sugiro|a (?:frase|resposta|palavra)|o (?:texto|resumo|poema)"
)
_CLOSING = (
    r"espero que|se (?:quiseres?|precisares?|desejares?|precisar|quiser|desejar)|nota|explicação|observação|obs|"
    r"posso ajudar|queres que|diz-me se|bom trabalho|justificação|verificação"
)
_CHATTER = re.compile(
    rf"^(?:{_CLOSING})\b|^(?:claro|certamente|com certeza|com gosto|olá)\b[^:]{{0,40}}[!.]$", re.IGNORECASE
)
_LEADS = re.compile(rf"^(?:{_OPENING})\b[^:\n]{{0,80}}:\s*", re.IGNORECASE)
_ASIDE = re.compile(r"\s+[-–—]\s.*$|\s*:.*$|\s*\([^)]*\)|\s+=.*$")
_PARTED = re.compile(r"\s*(?:[,;/\n]|→|➜|➔|->|=>|\be\b|\bou\b)\s*", re.IGNORECASE)
_LONGEST_ENTRY = 3


@dataclass(frozen=True, slots=True)
class Passage:
    """What is read: its text, and its words, entries or lines."""

    text: str
    parts: tuple[str, ...]


def passages(answer: str, read: Read) -> tuple[Passage, ...]:
    """Every part of an answer that may be meant, without repeats; empty where none is found."""
    return tuple(dict.fromkeys(found for found in _WAYS[read](display(answer)) if found.parts))


def words(text: str) -> tuple[str, ...]:
    """The words of a text; hyphens and apostrophes hold a word together."""
    return tuple(WORD.findall(text))


def _everything(answer: str) -> Iterator[Passage]:
    text = strip_markup(answer).strip()
    yield Passage(text, words(text))


def _text(answer: str) -> Iterator[Passage]:
    text = "\n".join(_lines(answer))
    yield Passage(text, words(text))


def _sentence(answer: str) -> Iterator[Passage]:
    marked = [text for text in _marked(answer) if len(words(text)) > 1]
    for text in marked or _lines(answer):
        text = _LEADS.sub("", _BULLET.sub("", text)).strip()
        yield Passage(text, words(text))


def _list(answer: str) -> Iterator[Passage]:
    for entries in (_bulleted(answer), _marked(answer), _divided(answer)):
        cleaned = tuple(filter(None, (_entry(entry) for entry in entries)))
        if cleaned and all(len(words(entry)) <= _LONGEST_ENTRY for entry in cleaned):
            yield Passage(", ".join(cleaned), tuple(dict.fromkeys(cleaned)))
            return


def _verses(answer: str) -> Iterator[Passage]:
    blocks = [[line for line in _lines(block) if words(line)] for block in re.split(r"\n\s*\n", answer)]
    blocks = [[_BULLET.sub("", line) for line in block] for block in blocks if block]
    for block in [block for block in blocks if len(block) > 1] or blocks[:1]:
        yield Passage("\n".join(block), tuple(block))


_WAYS: dict[Read, Callable[[str], Iterator[Passage]]] = {
    "answer": _everything,
    "text": _text,
    "sentence": _sentence,
    "list": _list,
    "verses": _verses,
}


def _lines(answer: str) -> list[str]:
    """The lines that are not chatter, without what leads up to them."""
    found: list[str] = []
    for line in map(str.strip, strip_markup(answer).split("\n")):
        if line and not line.endswith(":") and not _CHATTER.match(line) and words(line):
            found.append(_LEADS.sub("", line))
    return found


def _marked(answer: str) -> list[str]:
    """What stands in quotes, or else in bold."""
    quoted = ["".join(groups) for groups in _QUOTED.findall(answer)]
    return [strip_markup(text).strip() for text in quoted or _BOLD.findall(answer)]


def _bulleted(answer: str) -> list[str]:
    entries = [line for line in answer.split("\n") if _BULLET.match(line)]
    return [strip_markup(_BULLET.sub("", entry)) for entry in entries] if len(entries) > 1 else []


def _divided(answer: str) -> list[str]:
    return [entry for line in _lines(answer) for entry in _PARTED.split(_ASIDE_IN_LINE.sub("", line))]


_ASIDE_IN_LINE = re.compile(r"\s*\([^)]*\)")


def _entry(text: str) -> str:
    text = _ASIDE.sub("", text.strip())
    return text.strip(" .,;:!?…«»\"“”'’")
