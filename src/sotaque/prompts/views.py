"""What baselines are shown of a task's items: texts of options, and counts over the whole task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sotaque.language.normalize import answer_key, key
from sotaque.prompts.order import Order, order_for
from sotaque.prompts.render import Prompt
from sotaque.records import Guess, Item, ItemView
from sotaque.suites.schema import Task


@dataclass(frozen=True, slots=True)
class Crowd:
    """Counts over all items of a task, not only those a run uses: a limit never changes what a baseline sees.

    Attributes:
        counts: for each text among the options of all items, how often it, in its key form, occurs there.
        gold_rates: for each position, the share of items whose right option is shown there.
        class_rates: for each class, the share of items that it is right for; empty where options vary.
        usual: of open questions, the answer (key form) that is right most often, as the first item writes it; empty
            where there are no answers.
    """

    counts: Mapping[str, int]
    gold_rates: tuple[float, ...]
    class_rates: tuple[float, ...] = ()
    usual: str = ""


def crowd_of(task: Task, items: Sequence[Item], shuffle: int | None = None) -> Crowd:
    """What there is to know of a task's items, whatever the questions are."""
    counted = crowd(items, task.language, shuffle)
    if task.is_open:
        return replace(counted, usual=_usual(items, task.language))
    if not task.classes:
        return counted
    golds = Counter(item.gold for item in items)
    return replace(counted, class_rates=tuple(golds[at] / (len(items) or 1) for at in range(len(task.classes))))


def crowd(items: Sequence[Item], language: str, shuffle: int | None = None) -> Crowd:
    """Count options and positions, in the order in which a run with this ``shuffle`` shows them."""
    keys = {text: key(text, language) for text in {option.text for item in items for option in item.options}}
    counts = Counter(keys[option.text] for item in items for option in item.options)
    right = ((item, item.gold) for item in items if item.gold is not None)
    golds = Counter(gold if shuffle is None else order_for(item, shuffle).index(gold) for item, gold in right)
    longest = max((len(item.options) for item in items), default=0)
    asked = sum(golds.values()) or 1
    return Crowd(
        {text: counts[form] for text, form in keys.items()},
        tuple(golds[position] / asked for position in range(longest)),
    )


def view(crowd: Crowd, item: Item, order: Order, *, oracle: bool = False) -> ItemView:
    """An item as a baseline sees it; only the oracle is told what is right."""
    texts = tuple(item.options[index].text for index in order)
    by_class = tuple(crowd.class_rates[index] for index in order) if crowd.class_rates else ()
    return ItemView(
        options=texts,
        counts=tuple(crowd.counts[text] for text in texts),
        gold_rates=by_class or crowd.gold_rates[: len(texts)],
        gold=order.index(item.gold) if oracle and item.gold is not None else None,
        usual=crowd.usual,
        answer=item.answers[0] if oracle and item.answers else "",
    )


def guess(prompt: Prompt, crowd: Crowd, *, oracle: bool = False) -> Prompt:
    """The same question for a baseline: hash and order are those of the prompt that a model would get."""
    seen = view(crowd, prompt.item, prompt.order, oracle=oracle)
    return Prompt(prompt.item, prompt.order, Guess(seen, prompt.request.repeat), prompt.prompt_hash)


def _usual(items: Sequence[Item], language: str) -> str:
    """The most frequent answer; of equally frequent ones the first in the file."""
    written: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for item in items:
        for form in {answer_key(text, language): text for text in item.answers}.items():
            written.setdefault(*form)
            counts[form[0]] += 1
    return written[counts.most_common(1)[0][0]] if counts else ""
