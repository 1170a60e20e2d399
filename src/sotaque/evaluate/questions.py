"""Which questions a run asks, of which items, and how they are put to this model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sotaque.errors import UnsupportedMode, UsageError
from sotaque.evaluate.facts import speaks
from sotaque.models.baselines import Baseline
from sotaque.models.model import Model
from sotaque.prompts.order import orders_for
from sotaque.prompts.render import Plan, Prompt, plan, render
from sotaque.prompts.select import select
from sotaque.prompts.views import crowd_of, guess
from sotaque.records import Ability, Item, Rendering, RunSpec
from sotaque.suites.asked import SuiteItems
from sotaque.suites.items import load_items, task_named
from sotaque.suites.schema import Suite, Task


@dataclass(frozen=True, slots=True)
class Question:
    """One prompt of one task."""

    task: Task
    prompt: Prompt


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything that is asked in one run, in the order of tasks, items, option orders and repeats.

    Attributes:
        left_out: tasks that were wanted, but on which this model, a baseline, has nothing to say.
    """

    suite: Suite
    spec: RunSpec
    loaded: SuiteItems
    left_out: tuple[str, ...]
    plans: Mapping[str, Plan]
    questions: tuple[Question, ...]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """In the order in which they are asked."""
        return tuple(each.task for each in self.plans.values())


def chosen_tasks(suite: Suite, spec: RunSpec) -> tuple[Task, ...]:
    """The tasks of a run: those named, else the suite's default ones, else all; of one mode, if it was given.

    Raises:
        UsageError: no such task, or none of that mode.
    """
    if spec.tasks:
        names: Sequence[str] = spec.tasks
    elif spec.mode is None:
        names = suite.default_tasks or tuple(suite.tasks)
    else:
        names = tuple(suite.tasks)
    tasks = tuple(task_named(suite, name) for name in dict.fromkeys(names))
    fitting = tuple(task for task in tasks if spec.mode in (None, task.mode))
    if not fitting:
        modes = ", ".join(f"{task.name} ({task.mode})" for task in tasks)
        raise UsageError(f"no task of {suite.name} has mode {spec.mode}", f"tasks: {modes}")
    return fitting


def tasks_for_model(suite: Suite, spec: RunSpec, model: Model) -> tuple[tuple[Task, ...], tuple[str, ...]]:
    """The tasks of a run that a model is asked, and the names of those that are left out.

    A baseline that only looks at options has nothing to say on an open question, and no baseline has anything to say
    to a judge: such tasks are no failure, and no zero. Any other model is asked everything.

    Raises:
        UsageError: see ``chosen_tasks``.
        UnsupportedMode: nothing is left.
    """
    tasks = chosen_tasks(suite, spec)
    fitting = tuple(task for task in tasks if not isinstance(model, Baseline) or speaks(model.rule, task))
    if not fitting:
        raise UnsupportedMode(
            f"{model.identity.name} has nothing to say on {', '.join(task.name for task in tasks)}: these questions "
            "are open, and it only looks at options",
            "baselines that answer open questions, unless a judge is to read them: oracle, majority",
        )
    return fitting, tuple(task.name for task in tasks if task not in fitting)


def needs(tasks: Sequence[Task], spec: RunSpec, model: Model) -> frozenset[Ability]:
    """What the model will be asked to do, as far as that is known before it is prepared."""
    if Ability.GUESS in model.abilities:
        return frozenset({Ability.GUESS})
    wanted: set[Ability] = set()
    if any(task.mode == "choose" for task in tasks):
        wanted.add(Ability.CHOOSE)
    if any(task.mode != "choose" for task in tasks):
        wanted |= {Ability.CHAT, Ability.COMPLETE} if spec.rendering is None else {_ability(spec.rendering)}
    return frozenset(wanted)


def pose(suite: Suite, spec: RunSpec, model: Model, *, loaded: SuiteItems | None = None) -> Asking:
    """Render every question for a model that has been prepared.

    Args:
        suite: the suite.
        spec: which tasks and items, in which form.
        model: decides between chat and text, and whether prompts are needed at all.
        loaded: the items, where they have been read already.

    Raises:
        UsageError, DataError: from reading suite and items.
        UnsupportedMode: the model cannot do what a task needs; names the task that it can do instead.
    """
    tasks, left_out = tasks_for_model(suite, spec, model)
    loaded = loaded or load_items(suite, spec.source, [task.name for task in tasks])
    check_abilities(tasks, spec, model)
    plans = {task.name: plan(task, loaded, spec, rendering_for(spec, model)) for task in tasks}
    questions = tuple(
        Question(plans[name].task, prompt)
        for name, items in _selected(tasks, loaded, spec).items()
        for prompt in _prompts(plans[name], items, spec, model)
    )
    return Asking(suite, spec, loaded, left_out, plans, questions)


def rendering_for(spec: RunSpec, model: Model) -> Rendering:
    """Chat where the model can chat, unless the user decides."""
    if spec.rendering is not None:
        return spec.rendering
    return "chat" if Ability.CHAT in model.abilities or Ability.COMPLETE not in model.abilities else "text"


def check_abilities(tasks: Sequence[Task], spec: RunSpec, model: Model) -> None:
    """Refuse before the first request what this model cannot do.

    Raises:
        UnsupportedMode: says why, and names the generation twin or the other rendering.
    """
    if Ability.GUESS in model.abilities:
        return
    for task in tasks:
        ability = Ability.CHOOSE if task.mode == "choose" else _ability(rendering_for(spec, model))
        if ability not in model.abilities:
            raise UnsupportedMode(
                f"task '{task.name}' cannot run on {model.identity.name}: {model.refusal(ability)}",
                _way_out(task, ability, tasks),
            )


def _way_out(task: Task, ability: Ability, tasks: Sequence[Task]) -> str:
    if ability is Ability.CHOOSE:
        twin = f"run its generation twin instead: --task {task.twin}" if task.twin else "run a task of mode generate"
        return f"{twin}, or all of them with --mode generate" if len(tasks) > 1 else twin
    return f"use --as {'text' if ability is Ability.CHAT else 'chat'}"


def _ability(rendering: Rendering) -> Ability:
    return Ability.CHAT if rendering == "chat" else Ability.COMPLETE


def _selected(tasks: Sequence[Task], loaded: SuiteItems, spec: RunSpec) -> dict[str, tuple[Item, ...]]:
    return select({task.name: loaded.tasks[task.name].items for task in tasks}, spec)


def _prompts(plan: Plan, items: Sequence[Item], spec: RunSpec, model: Model) -> Iterator[Prompt]:
    everyone = crowd_of(plan.task, plan.pool.source.items, spec.shuffle)
    reads_nothing = Ability.GUESS in model.abilities
    oracle = isinstance(model, Baseline) and model.needs_gold
    for item in items:
        for order in orders_for(item, spec):
            for repeat in range(spec.repeat):
                prompt = render(plan, item, order, repeat)
                yield guess(prompt, everyone, oracle=oracle) if reads_nothing else prompt
