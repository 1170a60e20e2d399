"""How the forms of the cue table are written, and the classes of words that they refer to.

telemóve(l|is)          one of several endings
casa(s) de banho        an ending that may be absent; words with white space between them
{estar} a {infinitivo}  words of a class
"""

from __future__ import annotations

import re
from itertools import product

Form = re.Pattern[str]

_NOT_INFINITIVES = (
    "altar ar auxiliar bar celular colher escolar exemplar familiar jantar lar líder lugar mar militar mulher"
    " par particular pilar polegar popular pomar qualquer sequer talher titular vulgar lazer prazer"
)
_NOT_GERUNDS = (
    "quando lindo bando brando comando contrabando estupendo findo horrendo infindo reverendo tremendo segundo"
)
_NOT_SECOND_PERSONS = (
    "mais dois três seis dez apenas nunca antes depois mas através demais jamais ambas todas duas elas nós vós pois"
)

LISTED: dict[str, tuple[str, ...]] = {
    "estar": tuple(
        "estou estás está estamos estão estava estavas estávamos estavam estive esteve estiveste estivemos estiveram"
        " estarei estará estarás estaremos estarão estaria estarias estaríamos estariam esteja estejas estejamos"
        " estejam estiver estivermos estiverem estivesse estivessem estar tô tá tava tavam".split()
    ),
    "andar": tuple("ando andas anda andamos andam andava andavas andávamos andavam andei andou andaram".split()),
}
"""Classes that are lists of words."""

OPEN: dict[str, str] = {
    "palavra": r"\w+",
    "advérbio": r"(?:já|ainda|sempre|só|agora|mesmo|também|quase|apenas|aqui|ali|lá|muito|bem|todos?|todas?)",
    "infinitivo": rf"(?!(?:{'|'.join(_NOT_INFINITIVES.split())})\b)\w*(?:[aei]r|p[oô]r)",
    "gerúndio": rf"(?!(?:{'|'.join(_NOT_GERUNDS.split())})\b)\w+(?:[aei]ndo|pondo)",
    "particípio": r"\w+(?:ado|ido|dito|feito|visto|posto|escrito|aberto)",
    "segunda": rf"(?!(?:{'|'.join(_NOT_SECOND_PERSONS.split())})\b)\w*(?:[aeiáéê]s|ste)",
    "ámos": r"\w{2,}ámos",
}
"""Classes that are patterns of a word."""

_PIECE = re.compile(r"\((?P<group>[^()]*)\)|\{(?P<name>[^{}]*)\}|(?P<space> )|(?P<text>[^(){} ]+)")
_LETTERS = re.compile(r"\w+")


def pattern_of(form: str, *, one_line: bool = False) -> Form:
    """What a form matches, in a text of small letters: whole words, not parts of words with a hyphen.

    Raises:
        ValueError: it is not well formed.
    """
    gap = r"[ \t\u00a0]+" if one_line else r"\s+"
    return re.compile(rf"(?<![\w-]){''.join(_piece(match, gap) for match in _pieces(form))}(?!\w|-\w)")


def first_words(form: str) -> frozenset[str]:
    """All words that a match can begin with; none if it can begin with any word.

    Raises:
        ValueError: the form is not well formed.
    """
    choices: list[tuple[str, ...]] = []
    for match in _pieces(form):
        if match["name"] in OPEN:
            if not choices:
                return frozenset()
            raise ValueError(f"'{form}' begins with a word of which a part is listed and a part is not")
        if match["space"]:
            break
        choices.append(_spellings(match))
    return frozenset(found[0] for parts in product(*choices) if (found := _LETTERS.match("".join(parts))))


def _pieces(form: str) -> list[re.Match[str]]:
    found = list(_PIECE.finditer(form))
    if "".join(match[0] for match in found) != form or not form.strip():
        raise ValueError(f"'{form}' is not a form: brackets come in pairs, and do not stand inside one another")
    for match in found:
        if match["name"] is not None and match["name"] not in LISTED and match["name"] not in OPEN:
            raise ValueError(f"'{form}': there is no class '{match['name']}'")
    return found


def _piece(match: re.Match[str], gap: str) -> str:
    if match["space"]:
        return gap
    if match["name"] in OPEN:
        return OPEN[match["name"]]
    return f"(?:{'|'.join(re.escape(each).replace(chr(92) + ' ', gap) for each in _spellings(match))})"


def _spellings(match: re.Match[str]) -> tuple[str, ...]:
    if match["name"]:
        return LISTED[match["name"]]
    if match["group"] is None:
        return (match["text"],)
    alternatives = tuple(match["group"].split("|"))
    return alternatives if len(alternatives) > 1 else (*alternatives, "")
