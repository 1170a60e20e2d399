"""Which part of an answer a check reads. Models write a preamble, Markdown, quotes, an explanation around it.

Nothing is guessed: where several parts could be meant, all of them are returned, and a check that does not say the same
of each is undecided. What is read:

    answer      everything, without Markdown
    text        everything but chatter: headings, lines that end in a colon, greetings, offers, notes, and what leads up
                to a colon in their manner ("Aqui tens uma frase: ...")
    sentence    each passage of two words or more that stands in quotes, or is a line in bold; the line as well, where
                the quotes are a small part inside it. Without any, each line that is not chatter, and its first
                sentence
    list        the entries of a bulleted or numbered list; or what follows a colon; or the words in quotes or bold; or
                what commas, "e", arrows and line breaks divide. Only entries of up to three words are taken;
                explanations after a dash, a colon, or in brackets are dropped
    verses      each block of two lines or more (blank lines part blocks), chatter and a title dropped, and all blocks
                together; or one line that slashes divide; or the one line there is
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sotaque.checks import Read
from sotaque.language.normalize import display, strip_markup

WORD = re.compile(r"\w+(?:[-'’]\w+)*")
QUOTED = re.compile(r"«([^«»\n]+)»|“([^“”\n]+)”|„([^„“”\n]+)[“”]|\"([^\"\n]+)\"")

_BOLD = re.compile(r"\*\*([^*\n]+)\*\*")
_BOLD_LINE = re.compile(r"\s*\*\*([^*\n]+)\*\*\s*")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_BULLET = re.compile(r"^\s*(?:[-•–—*]|\d{1,2}[.)ºª]{1,2})\s+")
_OPENING = (
    r"claro|certamente|com certeza|com (?:todo o )?gosto|aqui|eis|segue|olá|então|muito bem|resposta|frase|exemplo"
    r"|poema|quadra|palavras?|lista|resumo|texto|acróstico|pangrama|palíndromo"
    r"|uma (?:frase|palavra|possibilidade|resposta)|a (?:frase|resposta|palavra)|o (?:texto|resumo|poema)"
    r"|proponho|sugiro"
)
_CLOSING = (
    r"espero que|se (?:quiseres?|precisares?|desejares?|precisar|quiser|desejar)|nota|explicação|observação|obs|"
    r"posso ajudar|queres que|diz-me se|bom trabalho|justificação|verificação"
)
_GREETING = r"^(?:claro|certamente|com certeza|com gosto|olá)\b[^:]{0,40}[!.]$"
_CHATTER = re.compile(rf"^(?:{_CLOSING})\b|{_GREETING}", re.IGNORECASE)
_TAIL = re.compile(rf"(?<=[.!?»”])\s+(?:{_CLOSING})\b.*$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+(?=[A-ZÁÂÀÉÊÍÓÔÚ])")
_LEADS = re.compile(rf"^(?:{_OPENING})\b[^:\n]{{0,80}}:\s*", re.IGNORECASE)
_BRACKETED = re.compile(r"\s*\([^)]*\)")
_ASIDE = re.compile(r"\s+[-–—]\s.*$|\s*:.*$|\s+=.*$")
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
    quoted = [text for line in _lines(answer) for text in _quoted(line)]
    bold = [line[1] for line in map(_BOLD_LINE.fullmatch, answer.split("\n")) if line and not line[1].endswith(":")]
    for text in quoted or bold or _with_first_sentence(_lines(answer)):
        text = _LEADS.sub("", _BULLET.sub("", strip_markup(text))).strip()
        yield Passage(text, words(text))


def _with_first_sentence(lines: Sequence[str]) -> Iterator[str]:
    """Each line; and where it has several sentences, the first alone: the others may comment on it."""
    for line in lines:
        yield line
        yield _SENTENCE_END.split(line)[0]


# More are a model in a loop; each may repeat the whole line.
_MANY_QUOTED = 40


def _quoted(line: str) -> Iterator[str]:
    """The passages in quotes; and the line, where it does not begin with them or lead up to them with a colon."""
    size = len(words(line))
    for match in islice(QUOTED.finditer(line), _MANY_QUOTED):
        before, inside = line[: match.start()].strip(" *_>-"), "".join(filter(None, match.groups()))
        if len(words(inside)) < 2:
            continue
        if before and not before.endswith((":", "»", "”", '"')) and 2 * len(words(inside)) < size:
            yield line
        yield inside


def _list(answer: str) -> Iterator[Passage]:
    for entries in (_bulleted(answer), _after_colon(answer), _marked(answer), _parted(_lines(answer))):
        cleaned = tuple(entry for entry in map(_entry, entries) if entry)
        if cleaned and all(len(words(entry)) <= _LONGEST_ENTRY for entry in cleaned):
            yield Passage(", ".join(cleaned), tuple(dict.fromkeys(cleaned)))
            return


def _verses(answer: str) -> Iterator[Passage]:
    blocks = [_block(block) for block in re.split(r"\n\s*\n", answer)]
    longer = [block for block in blocks if len(block) > 1]
    if not longer:
        single = [line for block in blocks for line in block]
        longer = [re.split(r"\s/\s", line) for line in single if re.search(r"\s/\s", line)] or [single]
    together = [line for block in longer for line in block]
    for block in [*longer, together]:
        yield Passage("\n".join(block), tuple(block))


def _block(block: str) -> list[str]:
    """The verses of a block, without a title in bold over them."""
    lines = [line for line in block.split("\n") if line.strip()]
    bold = [bool(_BOLD_LINE.fullmatch(line)) for line in lines]
    if len(lines) > 2 and bold[0] and not any(bold[1:]):
        lines = lines[1:]
    return [_BULLET.sub("", line) for line in _lines("\n".join(lines))]


_WAYS: dict[Read, Callable[[str], Iterator[Passage]]] = {
    "answer": _everything,
    "text": _text,
    "sentence": _sentence,
    "list": _list,
    "verses": _verses,
}


def _lines(answer: str) -> list[str]:
    """The lines that are not chatter, without what leads up to them."""
    lines = answer.split("\n")
    lines = [line for line in lines if not _HEADING.match(line)] if len(lines) > 1 else lines
    found: list[str] = []
    for line in map(str.strip, strip_markup("\n".join(lines)).split("\n")):
        if words(line) and not line.endswith(":") and not _CHATTER.match(line):
            found.append(_TAIL.sub("", _LEADS.sub("", line)))
    return found


def _bulleted(answer: str) -> list[str]:
    entries = [line for line in answer.split("\n") if _BULLET.match(line)]
    return [strip_markup(_BULLET.sub("", entry)) for entry in entries] if len(entries) > 1 else []


def _after_colon(answer: str) -> list[str]:
    """What a line enumerates after its colon; nothing where several lines have one."""
    after = [line.partition(":")[2] for line in _lines(answer) if ":" in line]
    entries = _parted(after) if len(after) == 1 else []
    return entries if len(entries) > 1 else []


def _marked(answer: str) -> list[str]:
    """What stands in quotes, or else in bold."""
    quoted = ["".join(groups) for groups in QUOTED.findall(answer)]
    bold = [text for text in _BOLD.findall(answer) if not text.rstrip().endswith(":")]
    return [strip_markup(text).strip() for text in quoted or bold]


def _parted(lines: Sequence[str]) -> list[str]:
    return [entry for line in lines for entry in _PARTED.split(_BRACKETED.sub("", line))]


def _entry(text: str) -> str:
    text = _ASIDE.sub("", _BRACKETED.sub("", text.strip())).strip(" .,;:!?…«»\"“”'’-–—•*#>")
    return text if any(letter.isalpha() for letter in text) else ""
