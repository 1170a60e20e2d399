"""The questions that local scoring is measured on: 25 items of Brasilidade's bundled ones, five options each.

Short and long options (1 to 60 tokens), a question that lists them, and before it an example or none. The sizes are
those of a multiple-choice task with one example: see the table that ``local_scoring.py`` prints.
"""

from collections.abc import Sequence
from pathlib import Path

from sotaque.evaluate.questions import pose
from sotaque.models.model import Model
from sotaque.records import Choose, Item, RunSpec
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite

ITEMS = 25
SHAPES = ("one-shot shared", "one-shot per item", "zero-shot")
TASK = "br_expr_def_prob"


def requests_of(shape: str) -> list[Choose]:
    """The requests of one of ``SHAPES``: the example is the same for all, another for each, or there is none."""
    items = _items()
    asked = items[:ITEMS]
    examples = {
        "one-shot shared": [items[ITEMS]] * ITEMS,
        "one-shot per item": [items[(place + 1) % ITEMS] for place in range(ITEMS)],
        "zero-shot": [None] * ITEMS,
    }[shape]
    return [_request(item, example) for item, example in zip(asked, examples, strict=True)]


def with_options(count: int) -> list[Choose]:
    """One question asked with ``count`` options, none of them listed in it: only the options differ in tokens."""
    items = _items()
    options = tuple(f" {item.fields['definicao']}" for item in items[:count])
    return [Choose(f"{_worked(items[ITEMS])}{_asked(items[0], _options(items[0]))}", options)]


def masalbench(folder: Path, model: Model, first: int | None = None) -> list[Choose]:
    """MasalBench's contextual items as ``contextual_prob`` asks them, out of a folder with the published file."""
    spec = RunSpec("masalbench", "local", source=str(folder), tasks=("contextual_prob",), first=first)
    requests = [question.prompt.request for question in pose(load_suite("masalbench"), spec, model).questions]
    return [request for request in requests if isinstance(request, Choose)]


def _items() -> list[Item]:
    found = load_items(load_suite("brasilidade"), "bundled", [TASK]).tasks[TASK]
    return [*found.items, *found.pool]


def _request(item: Item, example: Item | None) -> Choose:
    options = _options(item)
    before = "" if example is None else _worked(example)
    return Choose(f"{before}{_asked(item, options)}", tuple(f" {option}" for option in options))


def _worked(example: Item) -> str:
    options = _options(example)
    return f"{_asked(example, options)} {options[-1]}\n\n"


def _asked(item: Item, options: Sequence[str]) -> str:
    question = f"O que se pode dizer da expressão {item.fields['expressao']}, que se ouve no Brasil?"
    listed = "\n".join(options)
    return f"Pergunta: {question}\nOpções:\n{listed}\nResposta:"


def _options(item: Item) -> tuple[str, ...]:
    """A word, wrong meanings, and two meanings, the last one the right one, with an example and a region."""
    wrong = [option.text for place, option in enumerate(item.options) if place != item.gold][:3]
    sentence = f" Exemplo: {item.fields['exemplo_de_uso']} Região: {item.fields['regiao']}."
    return (item.fields["classe"], wrong[0], wrong[1], wrong[2] + sentence, item.fields["definicao"] + sentence)
