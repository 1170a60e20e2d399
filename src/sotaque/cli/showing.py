"""What ``sotaque show`` prints: a suite's tasks with their items, or one item as a model would be sent it."""

from __future__ import annotations

from dataclasses import replace

from sotaque.errors import UsageError
from sotaque.evaluate.questions import Asking, pose
from sotaque.models.catalog import open_model
from sotaque.models.providers import ModelOptions
from sotaque.records import Ability, RunSpec
from sotaque.report.listing import print_prompt, print_tasks
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite


def show_suite(ref: str, spec: RunSpec) -> None:
    """Tasks, protocols, and the first items of each."""
    suite = load_suite(ref)
    print_tasks(suite, load_items(suite, spec.source), spec)


def show_item(ref: str, name: str, spec: RunSpec, base_url: str | None) -> None:
    """One item, rendered for the model of the spec, which is opened but not asked.

    Raises:
        UsageError: no such task or item.
    """
    suite = load_suite(ref)
    task, slash, item = name.partition("/")
    if not slash or task not in suite.tasks:
        tasks = ", ".join(suite.tasks)
        raise UsageError(f"'{name}' does not name an item", f"write TASK/ID; tasks of {suite.name}: {tasks}")
    model = open_model(spec.model, ModelOptions(base_url=base_url, as_=spec.rendering))
    if spec.model == "local" or spec.model.startswith(("hf/", "gguf/")):
        model.prepare(frozenset({Ability.CHAT, Ability.COMPLETE}))  # rendering needs the tokenizer's template
    asking: Asking = pose(suite, replace(spec, tasks=(task,), items=frozenset({f"{task}/{item}"})), model)
    print_prompt(asking.questions[0].prompt, asking, model)
