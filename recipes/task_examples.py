"""Write docs/examples.md: one question of every bundled task as a model is asked it, and every field of its protocol.

    python recipes/task_examples.py [FILE]

Everything on the page comes from the suites as they are loaded, posed and scored: the first bundled item of each
task, the default protocol, a chat for openai/NAME. A test compares the page with what this makes.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from unicodedata import bidirectional

from protocol_table import protocol_table, same_way

from sotaque.evaluate.questions import Asking, pose
from sotaque.models.catalog import open_model
from sotaque.prompts.render import Plan, Prompt
from sotaque.records import Choose, Generate, Item, Message, Metric, OptionScore, Reply, RunSpec
from sotaque.scoring.score import score_reply
from sotaque.suites.catalog import BUNDLED
from sotaque.suites.schema import Suite, Task
from sotaque.suites.suite import load_suite

PAGE = Path(__file__).resolve().parent.parent / "docs" / "examples.md"
MODEL = "openai/NAME"
LAST_SHOTS = 2
WIDTH = 120

HEAD = """\
# One example of every task

What a model is asked, task by task: the first bundled item of each, in the default protocol, as for `openai/NAME`.
The page is made by `python recipes/task_examples.py`, from the suites as they are loaded, posed and scored.
`sotaque show SUITE TASK/ID` prints the same for any item, model and protocol, as the bytes that would be sent.

All items here are our own: written by a model, reviewed by nobody yet, not comparable with published numbers.

- A chat shows its turns under `[system]`, `[user]` and `[assistant]`. Examples are whole in the first task of each
  family; in the others the last two are shown, with the number of those before them.
- A log-probability task has no chat: it shows an unfinished text, and its continuations, the right one marked ✓.
- *Right* is a right reply, and what scoring it gives. How replies are read: [results](results.md).
- The tables list every field of a protocol. *Reconstructed* means that the paper leaves it open and we decided;
  *stated in* is where the paper says it. A run lists the same under `reconstructed` in `run.json`.
"""


@dataclass(frozen=True)
class Posed:
    """The first item of a task, as it is asked."""

    task: Task
    plan: Plan
    prompt: Prompt


def main(file: Path) -> None:
    """Write the page."""
    file.write_text(page(), encoding="utf-8", newline="\n")


def page() -> str:
    """The whole page, as Markdown."""
    parts = [HEAD, *(_suite(load_suite(name)) for name in BUNDLED)]
    return "\n".join(parts)


def _suite(suite: Suite) -> str:
    spec = RunSpec(suite.name, MODEL, tasks=tuple(suite.tasks))
    asking = pose(suite, spec, open_model(MODEL))
    families = families_of(suite)
    parts = [f"## {suite.title}\n", *_sources(suite), _command(suite, asking), _tasks(suite, asking, families)]
    for name, tasks in families.items():
        parts += [f"### Protocol: {name}\n", protocol_table(tasks)]
    whole = {tasks[0].name for tasks in families.values()}
    for posed in _first_of_each(asking):
        parts.append(_example(posed, whole=posed.task.name in whole))
    return "\n".join(parts)


def families_of(suite: Suite) -> dict[str, list[Task]]:
    """Tasks that are run in the same way, under the name of their template if no others have it."""
    alike: dict[str, list[Task]] = {}
    for task in suite.tasks.values():
        alike.setdefault(same_way(task), []).append(task)
    used = Counter(tasks[0].template for tasks in alike.values())
    return {_family(tasks, used): tasks for tasks in alike.values()}


def _family(tasks: Sequence[Task], used: Counter[str]) -> str:
    template = tasks[0].template
    return template if template and used[template] == 1 else ", ".join(task.name for task in tasks)


def _first_of_each(asking: Asking) -> Iterator[Posed]:
    found: dict[str, Prompt] = {}
    for question in asking.questions:
        found.setdefault(question.task.name, question.prompt)
    return (Posed(plan.task, plan, found[name]) for name, plan in asking.plans.items())


# ---------------------------------------------------------------- what stands above the examples


def _sources(suite: Suite) -> Iterator[str]:
    for name, source in suite.sources.items():
        yield fill(f"- `{name}`: {source.notice}", WIDTH, subsequent_indent="  ", break_on_hyphens=False)
    yield ""


def _command(suite: Suite, asking: Asking) -> str:
    first = asking.questions[0]
    return _fenced(f"$ sotaque show {suite.name} {first.task.name}/{first.prompt.item.id}", "console")


def _tasks(suite: Suite, asking: Asking, families: dict[str, list[Task]]) -> str:
    """What is scored, and what is not on purpose: examples, and items without an answer to a task's question."""
    rows = [
        "| task | protocol | asks | headline | scored | examples, never scored | not asked |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for family, tasks in families.items():
        for task in tasks:
            view = asking.loaded.tasks[task.name]
            examples = str(len(view.pool)) if view.examples else "none"
            judged = ", awaits a judge" if task.mode == "judge" else ""
            cells = [f"[`{task.name}`](#{task.name})", family, task.about, f"`{task.metrics[0]}`{judged}"]
            counts = [str(len(view.items)), examples, str(view.asked.not_applicable or "none")]
            rows.append(f"| {' | '.join([*cells, *counts])} |")
    return "\n".join(rows) + "\n"


# ---------------------------------------------------------------- one example


def _example(posed: Posed, *, whole: bool) -> str:
    task, item = posed.task, posed.prompt.item
    parts = [f"### {task.name}\n", f"{task.about}\\\nItem `{item.id}`{_limit(posed)}.\n"]
    parts += _request(posed, whole=whole)
    return "\n".join([*parts, _right(posed), ""])


def _limit(posed: Posed) -> str:
    protocol = posed.plan.protocol
    shots = f", {protocol.shots} example{'s' if protocol.shots > 1 else ''}" if protocol.shots else ", no examples"
    return shots if posed.task.mode == "choose" else f"{shots}, at most {protocol.max_tokens} tokens"


def _request(posed: Posed, *, whole: bool) -> Iterator[str]:
    request, task = posed.prompt.request, posed.task
    if isinstance(request, Choose):
        yield from _continuations(request, posed)
    elif isinstance(request, Generate) and request.messages:
        yield from _chat(request.messages, posed.plan.protocol.shots, whole=whole)
    else:
        raise TypeError(f"{task.name}: {MODEL} is asked by chat or by log-probability, not by {request}")


def _continuations(request: Choose, posed: Posed) -> Iterator[str]:
    yield _block(request.context)
    yield "Its continuations, each after a space:\n"
    shown = zip(posed.prompt.order, request.continuations, strict=True)
    lines = [f"{'✓' if at == posed.prompt.item.gold else ' '} | {text.removeprefix(' ')}" for at, text in shown]
    assert all(text.startswith(" ") for text in request.continuations)
    yield _block("\n".join(lines))


def _chat(messages: Sequence[Message], shots: int, *, whole: bool) -> Iterator[str]:
    """All turns in one block; a right-to-left turn in a block of its own, whose direction its role does not disturb."""
    hidden = 0 if whole else max(0, shots - LAST_SHOTS)
    first = next(at for at, turn in enumerate(messages) if turn.role != "system")
    parts = [messages[:first], messages[first + 2 * hidden :]] if hidden else [messages]
    for number, turns in enumerate(parts):
        if number:
            yield f"{hidden} examples stand here, then:\n"
        if any(_is_right_to_left(turn.content) for turn in turns):
            yield from (f"`[{turn.role}]`\n\n{_block(turn.content)}" for turn in turns)
        elif turns:
            yield _block("\n\n".join(f"[{turn.role}]\n{turn.content}" for turn in turns))


def _right(posed: Posed) -> str:
    task, item = posed.task, posed.prompt.item
    if task.mode == "judge":
        outcome = _outcome(posed, Reply(text="..."))
        return f"*Right*: what a judge finds good.\\\nUntil one is configured, any whole answer is `{outcome}`."
    if task.mode == "choose":
        order = posed.prompt.order
        scores = tuple(OptionScore(-1.0 if at == item.gold else -2.0, 1) for at in order)
        outcome = _outcome(posed, Reply(scores=scores))
        return f"*Right*: the one marked ✓, by {_metric(task)}.\\\nWhere it is the likeliest, the item is `{outcome}`."
    outcome = _outcome(posed, Reply(text=_answer(posed)))
    return f"*Right*: {_code(_answer(posed))}, {_form(task, item)}.\\\nAs a reply, it is `{outcome}`."


def _outcome(posed: Posed, reply: Reply) -> str:
    item, order = posed.prompt.item, posed.prompt.order
    same = 1.0 if Metric.BERTSCORE_F1 in posed.task.metrics else None  # the reply is the reference itself
    return str(score_reply(item, order, reply, posed.task.reading(len(order)), same).outcome)


def _answer(posed: Posed) -> str:
    task, item = posed.task, posed.prompt.item
    if item.gold is None:
        return item.answers[0]
    if task.mode == "generate" and task.answer == "label":
        return task.labels_of(len(item.options))[posed.prompt.order.index(item.gold)]
    return item.options[item.gold].text


def _form(task: Task, item: Item) -> str:
    if task.answer == "label":
        return "read as a label, or as the text of its option"
    if task.answer == "option":
        return f"read as the text of one of {len(item.options)} options"
    return "compared as a text: case, white space, quotes and final punctuation do not count, accents do"


def _metric(task: Task) -> str:
    per = {"accuracy_per_character": "character", "accuracy_per_byte": "byte", "accuracy_per_token": "token"}
    unit = per.get(task.metrics[0])
    return f"log-probability per {unit}" if unit else "summed log-probability"


# ---------------------------------------------------------------- Markdown


def _block(text: str) -> str:
    """A fenced block; in a ``div`` with a direction, which renderers keep, where the text runs right to left."""
    fenced = _fenced(text, "text")
    return f'<div dir="rtl">\n\n{fenced}\n</div>\n' if _is_right_to_left(text) else fenced


def _fenced(text: str, language: str) -> str:
    if "```" in text:
        raise ValueError(f"a block cannot hold a fence: {text}")
    return f"```{language}\n{text}\n```\n"


def _code(text: str) -> str:
    if "`" in text:
        raise ValueError(f"inline code cannot hold a backtick: {text}")
    return f"`{text}`"


def _is_right_to_left(text: str) -> bool:
    """By the first letter, as ``dir="auto"`` decides."""
    strong = (bidirectional(character) for character in text)
    return next((kind for kind in strong if kind in ("L", "R", "AL")), "L") != "L"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE)
