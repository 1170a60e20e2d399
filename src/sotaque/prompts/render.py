"""From an item to the request a model gets: the template filled, the options in their order, the shots before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sotaque.errors import UsageError
from sotaque.prompts.fewshot import Pool
from sotaque.prompts.hashes import digest
from sotaque.prompts.order import Order
from sotaque.records import Choose, Generate, Item, Message, Rendering, Request, RunSpec, Sampling
from sotaque.suites.asked import SuiteItems
from sotaque.suites.schema import Protocol, Task
from sotaque.suites.template import OPTIONS, fill

_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Plan:
    """How one task's items become prompts: all but the item itself. Make it with ``plan``."""

    task: Task
    template: str
    protocol: Protocol
    rendering: Rendering
    pool: Pool

    @property
    def sampling(self) -> Sampling:
        """The protocol's, as a request carries it."""
        return Sampling(
            max_tokens=self.protocol.max_tokens,
            temperature=self.protocol.temperature,
            top_p=self.protocol.top_p,
            stop=self.protocol.stop,
        )


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request, and what it asks about.

    Attributes:
        order: shown position -> index into the item's options.
        prompt_hash: of instruction, shots, question and options in their order, before chat rendering; the same for
            chat and text, and for a baseline that is asked about the same item.
    """

    item: Item
    order: Order
    request: Request
    prompt_hash: str


def plan(task: Task, loaded: SuiteItems, spec: RunSpec, rendering: Rendering) -> Plan:
    """Fix a task's template, protocol and pool of shots for one run.

    Raises:
        UsageError: the task has no protocol of the wanted name.
    """
    protocol = protocol_for(task, spec)
    template = task.prompt_for(loaded.declared)
    pool = Pool(task, loaded.tasks[task.name], template, spec.seed)
    return Plan(task, template, protocol, rendering, pool)


def protocol_for(task: Task, spec: RunSpec) -> Protocol:
    """The protocol of a run, with ``max_tokens`` and ``shots`` replaced where the user said so.

    Raises:
        UsageError: nothing was published for this task.
    """
    protocol = task.protocol.named(spec.protocol)
    if protocol is None:
        raise UsageError(f"nothing was published for task '{task.name}'", "use --protocol default, or another --task")
    wanted = {"max_tokens": spec.max_tokens, "shots": spec.shots}
    changed = {name: value for name, value in wanted.items() if value not in (None, getattr(protocol, name))}
    if not changed:
        return protocol
    options = " and ".join(f"--{name.replace('_', '-')} {value}" for name, value in changed.items())
    return protocol.model_copy(update={**changed, "why": f"asked for with {options}"})


def reconstructed(task: Task, loaded: SuiteItems, protocol: Protocol) -> tuple[str, ...]:
    """What in a run is ours and not the paper's: what the protocol leaves open, and items and prompt of our own."""
    ours = [] if loaded.spec.comparable else ["items"]
    if loaded.declared not in task.prompts:
        ours.append("prompt")
    return tuple(dict.fromkeys([*protocol.reconstructed, *ours]))


def render(plan: Plan, item: Item, order: Order, repeat: int = 0) -> Prompt:
    """The request for one item: a chat or a text to go on with, or continuations to score."""
    shots = plan.pool.shots(item, plan.protocol)
    system = fill(plan.task.system, _values(plan.task, item, order)) if plan.task.system else ""
    turns = [(_question(plan, shot, _own_order(shot)), _answer(plan.task, shot)) for shot in shots]
    question = _question(plan, item, order)
    continuations = _continuations(plan.task, item, order) if plan.task.mode == "choose" else ()
    prompt_hash = digest([plan.task.mode, system, turns, question, continuations])
    request: Request
    if plan.task.mode == "choose":
        request = Choose(_text(plan.task, system, turns, question), continuations)
    elif plan.rendering == "chat":
        request = Generate(plan.sampling, messages=_chat(system, turns, question))
    else:
        request = Generate(plan.sampling, text=_anchored(plan.task, system, turns, question))
    return Prompt(item, order, replace(request, repeat=repeat), prompt_hash)


def options_block(task: Task, item: Item, order: Order) -> str:
    """One line for each option, labelled by position."""
    labels = task.labels_of(len(order))
    lines = (
        fill(task.option_format, {"label": label, "text": item.options[index].text})
        for label, index in zip(labels, order, strict=True)
    )
    return "\n".join(lines)


def _question(plan: Plan, item: Item, order: Order) -> str:
    return fill(plan.template, _values(plan.task, item, order))


def _values(task: Task, item: Item, order: Order) -> Mapping[str, str]:
    return {**item.fields, OPTIONS: options_block(task, item, order)}


def _own_order(item: Item) -> Order:
    return tuple(range(len(item.options)))


def _answer(task: Task, item: Item) -> str:
    """The right answer of a shot, in the form the task asks for."""
    if item.gold is None:
        return item.answers[0]
    by_label = task.choose == "label" if task.mode == "choose" else task.answer == "label"
    return task.reading(len(item.options)).labels[item.gold] if by_label else item.options[item.gold].text


def _continuations(task: Task, item: Item, order: Order) -> tuple[str, ...]:
    labels = task.reading(len(order)).labels
    texts = labels if task.choose == "label" else tuple(item.options[index].text for index in order)
    return tuple(task.delimiter + text for text in texts)


def _chat(system: str, turns: Sequence[tuple[str, str]], question: str) -> tuple[Message, ...]:
    messages = [Message("system", system)] if system else []
    for asked, answered in turns:
        messages += [Message("user", asked), Message("assistant", answered)]
    return (*messages, Message("user", question))


def _text(task: Task, system: str, turns: Sequence[tuple[str, str]], question: str) -> str:
    examples = [asked + task.delimiter + answered for asked, answered in turns]
    return _GAP.join([*([system] if system else []), *examples, question])


def _anchored(task: Task, system: str, turns: Sequence[tuple[str, str]], question: str) -> str:
    if not task.anchor:
        return _text(task, system, turns, question)
    anchored = [(f"{asked}\n{task.anchor}", answered) for asked, answered in turns]
    return _text(task, system, anchored, f"{question}\n{task.anchor}")
