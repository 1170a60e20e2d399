"""The vocabulary and the chat template of a GGUF file, in the form in which ``Prompter`` asks a tokenizer."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Mapping, Sequence

from sotaque.models.gguf_header import Header
from sotaque.models.llama_library import Weights, llama
from sotaque.models.local_library import first_line

_SENTENCEPIECE = 1
_ROOM = 64


class GgufTokenizer:
    """llama.cpp's tokenizer of one file.

    Args:
        weights: opened, the vocabulary at least.
        header: of the file.
    """

    def __init__(self, weights: Weights, header: Header) -> None:
        library = llama()
        self._vocabulary = weights.vocabulary
        self._pieces: dict[tuple[int, bool], bytes] = {}
        self.chat_template = header.chat_template
        self.bos_token_id = _known(library.llama_vocab_bos(weights.vocabulary))
        self.eos_token_id = _known(library.llama_vocab_eos(weights.vocabulary))
        self._adds_bos = bool(library.llama_vocab_get_add_bos(weights.vocabulary)) and self.bos_token_id is not None
        # SentencePiece puts a space before a text, and takes it away again.
        spaced = header.flag("tokenizer.ggml.add_space_prefix", default=True)
        self._drops_space = spaced and library.llama_vocab_type(weights.vocabulary) == _SENTENCEPIECE

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Token ids; names of special tokens in the text are read as such, as transformers does."""
        raw = text.encode()
        room = len(raw) + _ROOM
        while True:
            found = (ctypes.c_int32 * room)()
            count: int = llama().llama_tokenize(self._vocabulary, raw, len(raw), found, room, False, True)
            if count >= 0:
                break
            room = -count
        front = [self.bos_token_id] if add_special_tokens and self._adds_bos and self.bos_token_id is not None else []
        return [*front, *found[:count]]

    def decode(
        self, ids: Sequence[int], skip_special_tokens: bool = False, clean_up_tokenization_spaces: bool = False
    ) -> str:
        """The text; bytes that are no character (yet) become U+FFFD."""
        del clean_up_tokenization_spaces
        raw = b"".join(self._piece(token, not skip_special_tokens) for token in ids)
        if self._drops_space and raw.startswith(b" "):
            raw = raw[1:]
        return raw.decode("utf-8", "replace")

    def convert_ids_to_tokens(self, token: int) -> str:
        """The token's name."""
        return self._piece(token, True).decode("utf-8", "replace")

    def apply_chat_template(
        self, turns: Sequence[Mapping[str, str]], tokenize: bool = False, add_generation_prompt: bool = True
    ) -> str:
        """The chat as one text.

        Raises:
            jinja2.TemplateError: the template is broken, or refuses these turns.
        """
        del tokenize
        chats, jinja2 = importlib.import_module("llama_cpp.llama_chat_format"), importlib.import_module("jinja2")
        formatter = chats.Jinja2ChatFormatter(
            template=self.chat_template,
            eos_token=self._name(self.eos_token_id),
            bos_token=self._name(self.bos_token_id),
            add_generation_prompt=add_generation_prompt,
        )
        try:
            return formatter(messages=[dict(turn) for turn in turns]).prompt
        # A template is a program: its own raise_exception is a ValueError there, its mistakes are whatever they are.
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            raise jinja2.TemplateError(first_line(error)) from error

    def ends(self, token: int) -> bool:
        """Whether a token ends a text (or a turn of a chat)."""
        return bool(llama().llama_vocab_is_eog(self._vocabulary, token))

    def _name(self, token: int | None) -> str:
        return "" if token is None else self.convert_ids_to_tokens(token)

    def _piece(self, token: int, special: bool) -> bytes:
        if (token, special) not in self._pieces:
            room = _ROOM
            while True:
                buffer = ctypes.create_string_buffer(room)
                count: int = llama().llama_token_to_piece(self._vocabulary, token, buffer, room, 0, special)
                if count >= 0:
                    break
                room = -count
            self._pieces[token, special] = buffer.raw[:count]
        return self._pieces[token, special]


def _known(token: int) -> int | None:
    return token if token >= 0 else None
