"""Hugging Face models in this process: ``hf/ID-or-PATH``, and ``local``, the small model that sotaque prepares itself.

Safetensors only, no code from a model's folder unless allowed, float32 on a CPU unless told otherwise: in bfloat16
log-probabilities move by up to 1.

Two things are decided here about identity. Local folders are known by a hash of their content, hub ids by their commit,
``local`` by the file it was made from. And the versions of torch and transformers are shown but are no part of the
key: they change results in the last digits at most, and an upgrade must not throw away hours of stored replies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import cast

from sotaque.errors import Fatal, ModelError, Rejected, UsageError
from sotaque.models import local_generate, prepare
from sotaque.models.boundary import Split
from sotaque.models.local_library import Config, first_line, library, quiet, require_extra, versions
from sotaque.models.local_network import Network, load_network
from sotaque.models.local_place import DTYPES, LoadOptions, Place, find_place
from sotaque.models.local_preview import shown
from sotaque.models.local_prompt import Prompter
from sotaque.models.local_scoring import Answer, OptionScorer
from sotaque.models.model import Identity
from sotaque.records import Ability, Choose, Generate, Guess, Reply, Request, Usage


def load_local(*, dtype: str | None = None, device: str | None = None) -> TransformersModel:
    """The model ``local``, from the folder that ``sotaque models prepare local`` made."""
    return TransformersModel("", name="local", dtype=dtype, device=device)


class TransformersModel:
    """A BatchModel on torch and transformers.

    ``prepare`` reads configuration, tokenizer and hashes; the weights are loaded at the first request, so that a run
    whose replies are all stored never loads them.

    Args:
        where: a folder, or a hub id; nothing for the model that sotaque prepared.
        name: what the user calls it, by default hf/WHERE.
        revision: branch, tag or commit of a hub id.
        dtype: "float32", "bfloat16", "float16" or "auto" (as the configuration says); by default float32 on a CPU
            and "auto" elsewhere.
        trust_remote_code: let Python code in the model's folder run.
        device: a torch device; by default the first GPU, else the CPU.
    """

    # Little is lost when a run is killed in the middle of a batch: items are answered one after the other anyway.
    batch_size = 4

    def __init__(
        self,
        where: str,
        *,
        name: str | None = None,
        revision: str | None = None,
        dtype: str | None = None,
        trust_remote_code: bool = False,
        device: str | None = None,
    ) -> None:
        if dtype is not None and dtype not in DTYPES:
            raise UsageError(f"unknown dtype {dtype!r}", f"one of {', '.join(DTYPES)}")
        self._options = LoadOptions(revision, dtype, trust_remote_code, device)
        self._where = where
        self._identity = Identity(name or f"hf/{where}")
        self._place: Place | None = None
        self._prompter: Prompter | None = None
        self._network: Network | None = None
        self._scorer: OptionScorer | None = None

    @property
    def identity(self) -> Identity:
        """Name, content or commit, dtype and device."""
        return self._identity

    @property
    def abilities(self) -> frozenset[Ability]:
        """Text and option scores always; chat where the tokenizer has a template."""
        chat = {Ability.CHAT} if self._prompter and self._prompter.chats else set[Ability]()
        return frozenset({Ability.COMPLETE, Ability.CHOOSE} | chat)

    def refusal(self, ability: Ability) -> str:
        """Why an ability is lacking."""
        if ability is Ability.CHAT:
            return f"{self._identity.name} has no chat template: ask with --as text"
        return f"{self._identity.name} is a language model, not a baseline"

    def prepare(self, needs: frozenset[Ability]) -> None:
        """Find the files, read configuration and tokenizer, settle device and dtype.

        Raises:
            MissingExtra: torch or transformers is not installed.
            UnknownModel, UsageError: no such folder or hub id, not a model, weights only as pickle.
            Fatal: the hub cannot be reached, a file cannot be read.
        """
        del needs
        require_extra(f"the model {self._identity.name}", "torch", "transformers", "accelerate")
        place = find_place(self._where, self._options) if self._where else _local_place()
        config, self._prompter = _read(place, self._options)
        self._options = _settled(self._options, config)
        details = {**place.details, "dtype": self._options.dtype or "", "device": _kind(self._options.device)}
        if self._options.trust_remote_code:
            details["remote_code"] = "yes"
        found = versions("torch", "transformers")
        about = place.about or f"{config.model_type}"
        about += (
            f"; {details['dtype']}, {details['device']}; torch {found['torch']}, transformers {found['transformers']}"
        )
        self._place = place
        self._identity = Identity(self._identity.name, details, stable=True, about=about)

    def preview(self, request: Request) -> str:
        """The exact prompt; for Choose the context, and each continuation marked, with what is scored of it."""
        if isinstance(request, Guess):
            raise UsageError(self.refusal(Ability.GUESS))
        return shown(self._prepared()[1], request)

    def answer(self, requests: Sequence[Request]) -> Iterator[tuple[Request, Reply | ModelError]]:
        """Answer all requests: first those that score options, then those that write.

        Raises:
            Fatal: the weights cannot be loaded.
        """
        yield from self._choose([request for request in requests if isinstance(request, Choose)])
        yield from self._write([request for request in requests if isinstance(request, Generate)])
        for request in requests:
            if isinstance(request, Guess):
                yield request, Rejected(self.refusal(Ability.GUESS))

    def _choose(self, requests: Sequence[Choose]) -> Iterator[tuple[Request, Reply | ModelError]]:
        prompter = self._prepared()[1]
        asked: list[tuple[Choose, Split, tuple[str, ...]]] = []
        for request in requests:
            try:
                asked.append((request, *prompter.choice(request)))
            except Rejected as error:
                yield request, error
        for answer in self._scored([cut for _, cut, _ in asked]):
            request, _, notes = asked[answer.place]
            if isinstance(answer.scores, Rejected):
                yield request, answer.scores
                continue
            yield (
                request,
                Reply(
                    scores=tuple(answer.scores),
                    usage=answer.usage,
                    model=self._identity.name,
                    seconds=answer.seconds,
                    notes=(*notes, *answer.notes),
                ),
            )

    def _scored(self, cuts: Sequence[Split]) -> Iterator[Answer]:
        if not cuts:
            return
        if self._scorer is None:
            self._scorer = OptionScorer(self._loaded())
        yield from self._scorer.answer(cuts)

    def _write(self, requests: Sequence[Generate]) -> Iterator[tuple[Request, Reply | ModelError]]:
        for request in requests:
            yield request, self._timed(lambda network, request=request: self._written(network, request))

    def _timed(self, answered: Callable[[Network], Reply]) -> Reply | ModelError:
        network = self._loaded()
        began = time.perf_counter()
        try:
            reply = answered(network)
        except Rejected as error:
            return error
        return replace(reply, model=self._identity.name, seconds=time.perf_counter() - began)

    def _written(self, network: Network, request: Generate) -> Reply:
        prompter = self._prepared()[1]
        prompt, notes = prompter.prompt(request)
        behind = () if request.messages else prompt
        task = local_generate.Task(
            prompt=prompt,
            sampling=request.sampling,
            repeat=request.repeat,
            ends=_ends(network, prompter),
            text=lambda ids: prompter.text(ids, behind),
        )
        written = local_generate.write(network, task)
        usage = Usage(prompt=len(prompt), completion=written.tokens)
        return Reply(text=written.text, finish=written.finish, usage=usage, notes=notes)

    def _loaded(self) -> Network:
        if self._network is None:
            self._network = load_network(self._prepared()[0], self._options)
        return self._network

    def _prepared(self) -> tuple[Place, Prompter]:
        if self._place is None or self._prompter is None:
            raise UsageError(f"{self._identity.name} was asked before it was prepared", "call prepare() first")
        return self._place, self._prompter


def _local_place() -> Place:
    folder = prepare.local_folder()
    return Place("local", folder, {"gguf": prepare.GGUF_SHA256, "weights": "dequantised"}, prepare.ABOUT)


def _read(place: Place, options: LoadOptions) -> tuple[Config, Prompter]:
    transformers = library("transformers")
    flags = {"trust_remote_code": options.trust_remote_code, "local_files_only": True}
    try:
        with quiet():
            config = transformers.AutoConfig.from_pretrained(place.folder, **flags)
            tokenizer = transformers.AutoTokenizer.from_pretrained(place.folder, **flags)
    # The loaders raise whatever the broken part raises (OSError, ValueError, KeyError, JSON errors ...).
    except Exception as error:
        own_code = "trust_remote_code" in str(error)
        raise Fatal(
            f"{place.folder}: configuration or tokenizer of {place.name} cannot be read: {first_line(error)}",
            "the model brings its own Python code: read it, then allow it with --trust-remote-code"
            if own_code
            else "check that the folder holds config.json and the tokenizer's files, whole and of a known architecture",
        ) from error
    return config, Prompter(tokenizer)


def _settled(options: LoadOptions, config: Config) -> LoadOptions:
    device = options.device or ("cuda" if library("torch").cuda.is_available() else "cpu")
    dtype = options.dtype or ("float32" if device == "cpu" else "auto")
    if dtype == "auto":
        dtype = str(config.get_text_config().dtype or config.dtype or "float32").removeprefix("torch.")
    return replace(options, dtype=dtype, device=device)


def _kind(device: str | None) -> str:
    return (device or "cpu").partition(":")[0]


def _ends(network: Network, prompter: Prompter) -> frozenset[int]:
    """The tokens that end a text: the tokenizer's, and those the model was published with."""
    published = getattr(network.net.generation_config, "eos_token_id", None)
    several = cast("list[int | None]", published if isinstance(published, list) else [published])
    return frozenset(token for token in (*several, prompter.end) if token is not None)
