"""What must fit together in a suite: names that refer to each other, prompts and fields, metrics and modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sotaque.data.formats import FORMATS
from sotaque.language.labels import labels_for
from sotaque.suites.check_answers import ANSWER_LOOKS
from sotaque.suites.check_averages import average_faults
from sotaque.suites.faults import Fault, did_you_mean
from sotaque.suites.schema import Suite, Task
from sotaque.suites.template import OPTIONS, BadTemplate, placeholders

OPTION_FIELDS = frozenset({"label", "text"})


def meaning_faults(suite: Suite) -> list[Fault]:
    """All faults that can be seen without reading any items."""
    faults = [*_suite(suite), *_sources(suite), *average_faults(suite)]
    for name, task in suite.tasks.items():
        for look in (*ANSWER_LOOKS, *_TASK_LOOKS):
            faults += look(suite, name, task)
    return faults


def templates(task: Task) -> dict[tuple[str, ...], str]:
    """A task's templates that refer to an item's fields, by key path inside the task."""
    named = {("prompts", source): prompt for source, prompt in task.prompts.items()}
    return {("prompt",): task.prompt} | named | ({("system",): task.system} if task.system else {})


def _suite(suite: Suite) -> Iterator[Fault]:
    for name in suite.default_tasks:
        if name not in suite.tasks:
            yield Fault(("default_tasks",), f"there is no task '{name}'", did_you_mean(name, suite.tasks))
    if suite.default_source and suite.default_source not in suite.sources:
        remedy = did_you_mean(suite.default_source, suite.sources)
        yield Fault(("default_source",), f"there is no source '{suite.default_source}'", remedy)


def _sources(suite: Suite) -> Iterator[Fault]:
    for name, source in suite.sources.items():
        if source.format not in FORMATS:
            remedy = did_you_mean(source.format, FORMATS)
            yield Fault(("sources", name, "format"), f"unknown format '{source.format}'", remedy)


def _task_source(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    known = dict.fromkeys(key for source in suite.sources.values() for key in source.files)
    if task.source not in known:
        remedy = did_you_mean(task.source, known)
        yield Fault(("tasks", name, "source"), f"no source has a file called '{task.source}'", remedy)
    if task.examples and task.examples not in known:
        remedy = did_you_mean(task.examples, known)
        yield Fault(("tasks", name, "examples"), f"no source has a file called '{task.examples}'", remedy)
    if task.examples and task.examples == task.source:
        message = "the examples are the items that are scored"
        yield Fault(("tasks", name, "examples"), message, "name another file, or leave 'examples' out")
    for source in task.prompts:
        if source not in suite.sources:
            path = ("tasks", name, "prompts", source)
            yield Fault(path, f"there is no source '{source}'", did_you_mean(source, suite.sources))


def _task_twin(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    twin, path = suite.tasks.get(task.twin), ("tasks", name, "twin")
    if not task.twin:
        return
    if twin is None:
        yield Fault(path, f"there is no task '{task.twin}'", did_you_mean(task.twin, suite.tasks))
    elif twin.mode == task.mode:
        yield Fault(path, f"'{task.twin}' has the same mode", "a twin asks the same in the other mode")
    elif twin.source != task.source:
        yield Fault(path, f"'{task.twin}' has other items", "a twin asks about the same file")
    elif (twin.gold, twin.classes) != (task.gold, task.classes):
        yield Fault(path, f"'{task.twin}' has other answers", "a twin has the same 'gold' and 'classes'")


def _task_labels(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    try:
        labels_for(task.labels, 2)
    except ValueError as error:
        yield Fault(("tasks", name, "labels"), str(error), 'write an alphabet, e.g. labels = "A B C D E"')


def _task_templates(suite: Suite, name: str, task: Task) -> Iterator[Fault]:
    for place, template in templates(task).items():
        path = ("tasks", name, *place)
        try:
            names = placeholders(template)
        except BadTemplate as error:
            yield Fault(path, str(error), "write {{ and }} for braces that are not placeholders")
            continue
        yield from _without_options(path, task, names)
        yield from _unknown_fields(suite, path, task, names)
    yield from _option_format(name, task)


def _without_options(path: tuple[str, ...], task: Task, names: tuple[str, ...]) -> Iterator[Fault]:
    shows = OPTIONS in names or path[-1] == "system"
    if task.is_open:
        if OPTIONS in names:
            yield Fault(path, "an open question shows no options", 'drop {options}, or write answer = "option"')
    elif not shows and (task.mode == "generate" or task.choose == "label"):
        yield Fault(path, "the prompt does not show the options", "put {options} where they belong")


def _unknown_fields(suite: Suite, path: tuple[str, ...], task: Task, names: tuple[str, ...]) -> Iterator[Fault]:
    """Against formats whose fields are known; other items are looked at when they are read."""
    for source_name, source in suite.sources.items():
        known = FORMATS[source.format].fields if source.format in FORMATS else None
        if known is None or not applies(task, path[2:], source_name):
            continue
        for name in names:
            if name != OPTIONS and name not in known:
                message = f"unknown placeholder {{{name}}}: items of source '{source_name}' have no such field"
                yield Fault(path, message, did_you_mean(name, [*sorted(known), OPTIONS]))


def applies(task: Task, place: tuple[str, ...], source: str) -> bool:
    """Whether the template at this place of a task is used with a source's items."""
    if place == ("prompt",):
        return source not in task.prompts
    return place == ("system",) or place[-1] == source


def _option_format(name: str, task: Task) -> Iterator[Fault]:
    path = ("tasks", name, "option_format")
    try:
        names = placeholders(task.option_format)
    except BadTemplate as error:
        yield Fault(path, str(error), "write {{ and }} for braces that are not placeholders")
        return
    for unknown in sorted(set(names) - OPTION_FIELDS):
        yield Fault(path, f"unknown placeholder {{{unknown}}}", "an option has {label} and {text}")
    if "text" not in names:
        yield Fault(path, "the option's text is not shown", 'write e.g. option_format = "{label}) {text}"')


_TASK_LOOKS: tuple[Callable[[Suite, str, Task], Iterator[Fault]], ...] = (
    _task_source,
    _task_twin,
    _task_labels,
    _task_templates,
)
