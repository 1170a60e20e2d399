"""What a model wrote for itself before it answered, and where the answer starts."""

from __future__ import annotations

import re

_NAMES = (
    r"think|thinking|thoughts?|reason|reasoning|reflection|scratchpad|analysis|cot|seed:think|racioc[ií]nio|pensamento"
)
_BRACKETED = r"think|thinking|reasoning|thoughts?"
_MARK = re.compile(
    rf"<(?P<close1>/)?\s*(?:{_NAMES})\s*>"
    rf"|\[(?P<close2>/)?(?:{_BRACKETED})\]"
    r"|◁(?P<close3>/)?think▷"
    r"|<\|(?:(?P<close4>end)|begin)_of_thought\|>"
    r"|<\|(?:(?P<close5>END)|START)_THINKING\|>"
    r"|<\|channel\|>(?:(?P<close6>final)|analysis|commentary)(?:[^<]{0,40}<\|message\|>)?",
    re.IGNORECASE,
)


_END_OF_TURN = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|endoftext|end_of_text|end|return|eos)\|>|<end_of_turn>|</s>|<eos>"
)
_TURN = re.compile(r"\s*(?:<\|[a-z_]{2,20}\|>|<start_of_turn>|<s>|\[/?INST\])")


def after_reasoning(text: str) -> str | None:
    """What follows the last closed reasoning block: the whole text when there is none.

    ``None`` when a block was opened and not closed: whatever stands in it is not an answer. Known marks: ``<think>``
    and its kin, ``[THINK]``, ``◁think▷``, ``<|begin_of_thought|>``, ``<|START_THINKING|>``, gpt-oss's channels.
    """
    if "<" not in text and "[" not in text and "◁" not in text:
        return text
    start, opened = 0, False
    for mark in _MARK.finditer(text):
        opened = mark.lastgroup is None
        start = start if opened else mark.end()
    return None if opened else text[start:]


def first_turn(text: str) -> str:
    """A reply up to the mark that ends a turn, where a server leaves such marks in the text and the model goes on.

    Marks at the start are dropped; a text of nothing else is empty.
    """
    if "<" not in text and "[" not in text:
        return text
    while mark := _TURN.match(text) or _END_OF_TURN.match(text):
        text = text[mark.end() :]
    return _END_OF_TURN.split(text, maxsplit=1)[0]
