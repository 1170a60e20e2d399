"""Make the questions about colloquialisms and the sentences with errors from the tables that people edit.

    python recipes/brasilidade/assemble_words.py [FOLDER]

Writes the files named below; the bundled ones, unless a folder is given. Expressions are dealt into groups of four: of
one word class, of four regions, none of them kin. Each group of four options is asked about four times, once for each
of them, and the right one is first, second, third and fourth once each. So whatever a rule reads in the options alone
(length, form, how often they come, punctuation), it is right exactly as often as chance. Each set has groups of its
own, drawn by its name: there is no seed to choose.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import combinations, zip_longest
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUNDLED = HERE.parent.parent / "src" / "sotaque" / "suites" / "brasilidade"
OPTIONS = 4
PARTS = {"avaliado": "", "exemplo": "_exemplos"}
MARKS = {"author": "model-written", "review": "unreviewed"}
VERSION = {"expression": "1", "question": "3", "sentence": "1"}
"""Raise one when what is shown to a model changes."""


@dataclass(frozen=True, eq=False)  # each is itself alone, so that comparing them costs nothing
class Expression:
    """A row of the table; ``kin`` are the ids of expressions that mean nearly the same, whichever row says so."""

    id: str
    text: str
    definition: str
    example: str
    word_class: str
    region: str
    note: str | None
    pejorative: bool
    kin: frozenset[str]


@dataclass(frozen=True)
class Derivation:
    """A set of questions, which go from definitions to expressions or the other way.

    Attributes:
        file: its name, without ending; the name that the groups are drawn by.
        prefix: before the expression's name, in ids.
        asks: the sentence around what is asked about.
        tests: what is asked of a model.
    """

    file: str
    prefix: str
    asks: str
    tests: str
    to_definition: bool = False


TO_EXPRESSION = "Entre as opções abaixo, qual é a expressão que tem este significado: <{}>?"
TO_DEFINITION = "Entre as opções abaixo, o que quer dizer a expressão <{}>?"
DERIVATIONS = (
    Derivation("def_para_expr_regiao", "def_expr", TO_EXPRESSION, "expressão a partir do significado"),
    Derivation("def_para_expr_classe", "def_expr_classe", TO_EXPRESSION, "classe gramatical de uma expressão"),
    Derivation("expr_para_def_regiao", "expr_def", TO_DEFINITION, "significado a partir da expressão", True),
)


def main(folder: Path) -> None:
    """Write the files, each with its file of examples."""
    for part, suffix in PARTS.items():
        expressions = read_expressions(HERE / "coloquialismos.toml", part)
        if not suffix:
            _write(folder / "coloquialismos.jsonl", map(_entry, expressions))
        for derivation in DERIVATIONS:
            _write(folder / f"{derivation.file}{suffix}.jsonl", questions(expressions, derivation))
        _write(folder / f"erros{suffix}.jsonl", sentences(HERE / "erros.toml", part))


def read_expressions(file: Path, part: str) -> list[Expression]:
    """The expressions of a part, in the order of the table."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    kin = {name: set(row.get("parentes", ())) for name, row in table.items()}
    if unknown := {other for named in kin.values() for other in named} - table.keys():
        raise SystemExit(f"{file.name}: 'parentes' names {', '.join(sorted(unknown))}; there is no such table")
    return [
        Expression(
            id=name,
            text=f'"{row["expressao"]}"',
            definition=row["definicao"],
            example=f'"{row["exemplo"]}"',
            word_class=row["classe"],
            region=row["regiao"],
            note=row.get("nota"),
            pejorative=row.get("pejorativo", False),
            kin=frozenset(kin[name] | {other for other, named in kin.items() if name in named}),
        )
        for name, row in table.items()
        if row.get("parte", "avaliado") == part
    ]


def questions(expressions: Sequence[Expression], derivation: Derivation) -> list[dict[str, object]]:
    """One question for each expression, in an order that mixes classes and regions."""
    made = {
        expression.id: _question(expression, group, gold, derivation)
        for group in groups(expressions, derivation.file)
        for gold, expression in enumerate(_ranked(group, derivation.file, "position"))
    }
    return [made[expression.id] for expression in _ranked(expressions, derivation.file, "order")]


def groups(expressions: Sequence[Expression], name: str) -> Iterator[list[Expression]]:
    """Groups of four of one word class, none of them kin; of four regions, where a class has more than one group."""
    for word_class in dict.fromkeys(expression.word_class for expression in expressions):
        of_class = _ranked([each for each in expressions if each.word_class == word_class], name, "group")
        dealt = _dealt(tuple(of_class)) if len(of_class) > OPTIONS else (of_class,)
        if dealt is None or len(of_class) % OPTIONS:
            raise SystemExit(f"{name}: the {len(of_class)} expressions of class {word_class} make no groups of four")
        yield from dealt


@cache
def _dealt(left: tuple[Expression, ...]) -> tuple[list[Expression], ...] | None:
    """The first way, in the order given, to deal all into groups; nothing where there is none."""
    if not left:
        return ()
    waiting = Counter(each.region for each in left)
    if max(waiting.values()) > len(left) // OPTIONS:
        return None  # a region that has more left than there are groups to come
    ids = {each.id for each in left}
    first = max(left, key=lambda each: (len(each.kin & ids), waiting[each.region]))
    for others in combinations([each for each in left if each is not first], OPTIONS - 1):
        group = [first, *others]
        if _may_meet(group) and (rest := _dealt(tuple(each for each in left if each not in group))) is not None:
            return (group, *rest)
    return None


def _may_meet(group: Sequence[Expression]) -> bool:
    if len({each.region for each in group}) < OPTIONS:
        return False
    return not any(one.id in other.kin for one, other in combinations(group, 2))


def _question(
    expression: Expression, group: Sequence[Expression], gold: int, derivation: Derivation
) -> dict[str, object]:
    wrong = _ranked([each for each in group if each is not expression], derivation.file, expression.id)
    shown = [*wrong[:gold], expression, *wrong[gold:]]
    asked, right = expression.definition, expression.text
    if derivation.to_definition:
        asked, right = right, asked
    return {
        "id": f"{derivation.prefix}_{expression.id}",
        "pergunta": derivation.asks.format(asked),
        "alternativas": [each.definition if derivation.to_definition else each.text for each in shown],
        "resposta_correta": gold,
        "resposta_correta_texto": right,
        ("expressao_original" if derivation.to_definition else "definicao_original"): asked,
        **_details(expression),
        "testa": derivation.tests,
        **MARKS,
        "version": VERSION["question"],
    }


def _entry(expression: Expression) -> dict[str, object]:
    return {
        "id": expression.id,
        "expressao": expression.text,
        "definicao": expression.definition,
        **_details(expression),
        **MARKS,
        "version": VERSION["expression"],
    }


def _details(expression: Expression) -> dict[str, object]:
    return {
        "pos_tagging": expression.word_class,
        "regiao_principal": expression.region,
        "exemplo_de_uso": expression.example,
        "pejorativo": expression.pejorative,
        "observacoes": expression.note,
    }


def sentences(file: Path, part: str) -> Iterator[dict[str, object]]:
    """The sentences of a part; the categories take turns."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    by_category: dict[str, list[dict[str, object]]] = {}
    for name, row in table.items():
        if row.get("parte", "avaliado") == part:
            by_category.setdefault(row["categoria"], []).append(_sentence(name, row))
    for turn in zip_longest(*by_category.values()):
        yield from (row for row in turn if row is not None)


def _sentence(name: str, row: Mapping[str, str]) -> dict[str, object]:
    return {
        "id": name,
        "frase_incorreta": row["incorreta"],
        "frase_corrigida": row["corrigida"],
        "explicacao": row["explicacao"],
        "categoria": row["categoria"],
        "testa": row["testa"],
        **MARKS,
        "version": VERSION["sentence"],
    }


def _ranked(expressions: Sequence[Expression], *names: str) -> list[Expression]:
    return sorted(expressions, key=lambda each: sha256("\x1f".join((*names, each.id)).encode()).digest())


def _write(file: Path, rows: Iterator[dict[str, object]] | Sequence[dict[str, object]]) -> None:
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    file.write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else BUNDLED)
