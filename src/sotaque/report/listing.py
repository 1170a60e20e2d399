"""Lists for the terminal: suites, models, tasks and items, what a download is, what a model would be sent."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from typing import cast

from rich.console import Console
from rich.markup import escape as escape_markup
from rich.table import Table

from sotaque.checks import described
from sotaque.data.declared import SourceSpec
from sotaque.data.sources import Preview
from sotaque.evaluate.questions import Asking
from sotaque.evaluate.record import PROTOCOL_FIELDS, protocol_fields
from sotaque.models.catalog import PROVIDERS, model_forms
from sotaque.models.model import Model
from sotaque.prompts.render import Prompt, protocol_for, reconstructed
from sotaque.records import RunSpec
from sotaque.report.display import isolated, spelt_out
from sotaque.suites.asked import SuiteItems, TaskItems
from sotaque.suites.schema import Protocol, Suite, Task

SHOWN_ITEMS = 5


def print_suites(suites: Sequence[Suite]) -> None:
    """One block for each suite: tasks, sources, who wrote and reviewed them, licence, citation."""
    console = Console(highlight=False)
    for suite in suites:
        console.print(f"[bold]{escape(suite.name)}[/] {escape(suite.version)}  {escape(suite.title)}")
        for task in suite.tasks.values():
            star = "*" if task.name in (suite.default_tasks or suite.tasks) else " "
            console.print(f"  {star} {escape(task.name):22} {task.mode:9} {escape(task.about)}", soft_wrap=True)
        for name, source in suite.sources.items():
            console.print(f"    source {escape(name):15} {escape(_source_line(source))}", soft_wrap=True)
        if suite.citation:
            console.print(f"    cite: {escape(suite.citation)}", soft_wrap=True)
    console.print("\n* runs by default; others with --task NAME or --mode all", style="dim")


def escape(text: str) -> str:
    """Text of a suite: neither markup nor a control sequence does anything."""
    return escape_markup(spelt_out(text))


def suites_as_json(suites: Sequence[Suite]) -> str:
    """The same as one JSON document."""
    return json.dumps([_suite(suite) for suite in suites], ensure_ascii=False, indent=2)


def print_models() -> None:
    """Forms of model names, and the variables that hold keys."""
    table = Table(box=None, pad_edge=False)
    for title in ("--model", "what it is", "key from"):
        table.add_column(title, overflow="fold")
    keys = {f"{kind}/NAME": provider.key for kind, provider in PROVIDERS.items()}
    for form, meaning in model_forms().items():
        table.add_row(escape(form), escape(meaning), keys.get(form, ""))
    Console(highlight=False).print(table)


def print_tasks(suite: Suite, loaded: SuiteItems, spec: RunSpec) -> None:
    """Tasks with every protocol field, published and ours, and the first items of each."""
    console = Console(highlight=False)
    console.print(
        f"[bold]{escape(suite.title)}[/], source {escape(loaded.source)}: {escape(_source_line(loaded.spec))}"
    )
    for name, view in loaded.tasks.items():
        task = suite.tasks[name]
        items = view.items
        console.print(f"\n[bold]{escape(task.name)}[/] ({task.mode}, {_counts(view)}): {escape(task.about)}")
        console.print(_protocols(task))
        ours = reconstructed(task, loaded, protocol_for(task, spec))
        if ours:
            console.print(f"  ours, where the paper says nothing or the item is ours: {escape(', '.join(ours))}")
        shown = ", ".join(f"{task.name}/{item.id}" for item in items[:SHOWN_ITEMS])
        more = f" ... {len(items) - SHOWN_ITEMS} more" if len(items) > SHOWN_ITEMS else ""
        console.print(f"  items: {escape(shown)}{more}", soft_wrap=True)
    if loaded.irregular:
        console.print(f"\n{len(loaded.irregular)} irregular rows, kept as they are:")
        for key, item, note in loaded.irregular:
            console.print(f"  {escape(key)}/{escape(item)}: {escape(note)}", soft_wrap=True)


def print_preview(suite: Suite, what: Preview) -> None:
    """Licence, citation and size, before anything is downloaded."""
    console = Console(highlight=False)
    console.print(f"[bold]{escape(suite.title)}[/], source {escape(what.source)}")
    console.print(f"  licence:  {escape(what.provenance.licence)}", soft_wrap=True)
    console.print(f"  author:   {escape(what.provenance.author)}; review: {escape(what.provenance.review)}")
    console.print(f"  cite:     {escape(suite.citation or 'nothing stated')}", soft_wrap=True)
    console.print(f"  revision: {escape(what.revision or 'none')}")
    if what.notice:
        console.print(f"  note:     {escape(what.notice)}", soft_wrap=True)
    for file in what.files:
        size = f"{file.bytes:,} bytes" if file.bytes else "size not stated"
        state = "here already" if file.present else size
        console.print(f"  {escape(file.key):16} {state}  {escape(file.url)}", soft_wrap=True)


def print_prompt(prompt: Prompt, asking: Asking, model: Model) -> None:
    """What would be sent, verbatim, then what would count as right."""
    item, task = prompt.item, asking.tasks[0]
    console = Console(highlight=False, stderr=True)
    console.print(
        f"{escape(task.name)}/{escape(item.id)} of {escape(asking.loaded.source)} as {escape(model.identity.name)} "
        f"would be sent it (prompt {prompt.prompt_hash}):",
        style="dim",
        soft_wrap=True,
    )
    sent = model.preview(prompt.request)
    # To a file or pipe to the letter; a terminal must not obey what an item says.
    print(spelt_out(sent, lines=True) if sys.stdout.isatty() else sent)
    console.print(f"right: {_right(prompt, task)}", style="dim", soft_wrap=True)
    for check in item.checks:
        console.print(f"check: {escape(described(check))}", style="dim", soft_wrap=True)
    for note in item.irregular:
        console.print(f"irregular: {escape(note)}", style="dim", soft_wrap=True)


def _counts(view: TaskItems) -> str:
    parts = [f"{len(view.items)} items"]
    if view.asked.not_applicable:
        parts.append(f"{view.asked.not_applicable} others have no answer to it")
    if view.examples:
        parts.append(f"{len(view.pool)} examples")
    return ", ".join(parts)


def _right(prompt: Prompt, task: Task) -> str:
    item = prompt.item
    if task.mode == "judge":
        return "what a judge finds good"
    if item.gold is None:
        return isolated(escape(" or ".join(item.answers)))
    text = isolated(escape(item.options[item.gold].text))
    if "{label}" not in task.option_format:
        return text
    label = task.labels_of(len(prompt.order))[prompt.order.index(item.gold)]
    return f"{isolated(label)}) {text}"


def _protocols(task: Task) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2))
    published, ours = task.protocol.published, task.protocol.default
    for title in ("  field", "published" if published else "nothing published", "default"):
        table.add_column(title)
    known = {name for each in (published, ours) if each for name in protocol_fields(each)}
    for name in _shown_fields(task, known):
        table.add_row(f"  {name}", escape(_value(published, name)) if published else "", escape(_value(ours, name)))
    if published is not None and published.paper:
        table.add_row("  stated in", escape(published.paper), "")
    if ours.why:
        table.add_row("  why", "", escape(ours.why))
    return table


def _shown_fields(task: Task, known: Collection[str]) -> Iterator[str]:
    of_choice = ("shots", "pick", "exclude")
    return (name for name in PROTOCOL_FIELDS if name in known and (task.mode != "choose" or name in of_choice))


def _value(protocol: Protocol, name: str) -> str:
    if name not in protocol_fields(protocol):
        return ""
    value = getattr(protocol, name)
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return " ".join(repr(each) for each in cast("tuple[str, ...]", value)) or "none"
    return f"{value:g}"


def _source_line(source: SourceSpec) -> str:
    provenance = source.provenance
    parts = [f"author: {provenance.author}", f"review: {provenance.review}", f"licence: {provenance.licence}"]
    if source.notice:
        parts.append(source.notice)
    return "; ".join(parts)


def _suite(suite: Suite) -> dict[str, object]:
    return {
        "name": suite.name,
        "title": suite.title,
        "version": suite.version,
        "languages": list(suite.languages),
        "citation": suite.citation,
        "sha256": suite.sha256,
        "tasks": {
            task.name: {
                "about": task.about,
                "mode": task.mode,
                "metrics": list(task.metrics),
                "twin": task.twin,
                "default": task.name in (suite.default_tasks or suite.tasks),
            }
            for task in suite.tasks.values()
        },
        "averages": {
            name: {"about": each.about, "of": list(each.of), "group": each.group}
            for name, each in suite.averages.items()
        },
        "sources": {name: source.model_dump(mode="json") for name, source in suite.sources.items()},
    }
