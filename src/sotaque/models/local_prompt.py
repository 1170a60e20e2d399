"""From text and chats to token ids and back, with exactly one begin-of-sequence token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sotaque.errors import Rejected
from sotaque.models.boundary import Split, split
from sotaque.models.local_library import Tokenizer, first_line, library
from sotaque.records import Choose, Generate, Message

# A byte-level token may hold part of a character: this many tokens back, a character has begun.
_TAIL = 8


class Prompter:
    """A tokenizer, asked the same way everywhere.

    What the tokenizer puts in front of a text by itself (a begin-of-sequence token, as a rule) is put there once,
    also when the text, or a chat template, already begins with it. A tokenizer that puts nothing in front is left
    alone: only where there is no token to predict the first one from do we start from its begin-of-sequence token,
    else its end-of-sequence token, and say so.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._front = _front(tokenizer)
        starts = (tokenizer.bos_token_id, tokenizer.eos_token_id)
        self._start: int | None = next((index for index in starts if index is not None), None)

    @property
    def chats(self) -> bool:
        """Whether there is a chat template."""
        return bool(self._tokenizer.chat_template)

    @property
    def end(self) -> int | None:
        """The end-of-sequence token."""
        return self._tokenizer.eos_token_id

    def ids(self, text: str) -> list[int]:
        """Token ids of ``text``, with exactly one begin-of-sequence token where the tokenizer has one in front.

        Raises:
            Rejected: the text is not valid Unicode (a lone surrogate).
        """
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Rejected(
                f"the text has a lone surrogate at character {error.start}", "repair the item's text"
            ) from error
        found: list[int] = self._tokenizer.encode(text, add_special_tokens=False)
        return found if found[: len(self._front)] == self._front else [*self._front, *found]

    def text(self, ids: Sequence[int], after: Sequence[int] = ()) -> str:
        """The text of ``ids``; with ``after``, as it reads behind those ids (some tokenizers drop a leading space)."""
        tail = list(after[-_TAIL:])
        before, whole = self._decode(tail), self._decode([*tail, *ids])
        return whole[len(before) :] if tail and whole.startswith(before) else self._decode(ids)

    def choice(self, request: Choose) -> tuple[Split, tuple[str, ...]]:
        """Cut the request into token ids, and what had to be noted about it.

        Raises:
            Rejected: no continuation, an empty one, or nothing to predict the first token from.
        """
        empty = [place for place, text in enumerate(request.continuations, 1) if not text]
        if empty or not request.continuations:
            raise Rejected(
                f"continuation {empty[0]} is empty" if empty else "there is no continuation",
                "repair the item's options",
            )
        wholes = [self.ids(request.context + text) for text in request.continuations]
        cut = split(self.ids(request.context), wholes)
        if cut.prefix:
            return cut, ()
        start = self._started()
        return replace(cut, prefix=(start,)), (self._note_of_start(start),)

    def prompt(self, request: Generate) -> tuple[list[int], tuple[str, ...]]:
        """Token ids of what is to be continued, never empty, and notes."""
        rendered, notes = self.rendered(request)
        ids = self.ids(rendered)
        if ids:
            return ids, notes
        start = self._started()
        return [start], (*notes, self._note_of_start(start))

    def rendered(self, request: Generate) -> tuple[str, tuple[str, ...]]:
        """The prompt as text, the chat template applied, and notes.

        Raises:
            Rejected: there is no template, or it refuses these messages.
        """
        if not request.messages:
            return request.text, ()
        if not self.chats:
            raise Rejected("the model has no chat template", "ask with --as text")
        refused = library("jinja2").exceptions.TemplateError
        try:
            return self._templated(request.messages), ()
        except refused as error:
            merged = _without_system(request.messages)
            if merged == request.messages:
                raise Rejected(f"the chat template refuses these messages: {first_line(error)}") from error
        try:
            return self._templated(merged), ("the template has no system role: it went into the first user message",)
        except refused as error:
            raise Rejected(f"the chat template refuses these messages: {first_line(error)}") from error

    def front_text(self, rendered: str) -> str:
        """What stands in front of a text in the model's eyes, spelt out."""
        front: str = self._tokenizer.decode(self._front)
        found: list[int] = self._tokenizer.encode(rendered, add_special_tokens=False)
        return "" if found[: len(self._front)] == self._front else front

    def _templated(self, messages: Sequence[Message]) -> str:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)

    def _decode(self, ids: Sequence[int]) -> str:
        return self._tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)

    def _started(self) -> int:
        if self._start is None:
            raise Rejected(
                "nothing stands before the first token, and the tokenizer has neither a begin- nor an end-of-sequence "
                "token to start from",
                "give the context at least one character",
            )
        return self._start

    def _note_of_start(self, start: int) -> str:
        return f"nothing stands before the first token: started from {self._tokenizer.convert_ids_to_tokens(start)}"


def _front(tokenizer: Tokenizer) -> list[int]:
    """The ids that the tokenizer puts in front of a text by itself."""
    bare: list[int] = tokenizer.encode("a", add_special_tokens=False)
    dressed: list[int] = tokenizer.encode("a", add_special_tokens=True)
    places = range(len(dressed) - len(bare) + 1)
    fronts = [dressed[:place] for place in places if dressed[place : place + len(bare)] == bare]
    return fronts[0] if fronts else []


def _without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """The system message moved to the head of the first user message, for templates that know no system role."""
    if len(messages) < 2 or messages[0].role != "system" or messages[1].role != "user":
        return tuple(messages)
    first = Message("user", f"{messages[0].content}\n\n{messages[1].content}")
    return (first, *messages[2:])
