"""Hugging Face models in this process: ``hf/ID-or-PATH``, and ``local``, the small model that sotaque prepares itself.

Safetensors only, no code from a model's folder unless allowed, float32 on a CPU unless told otherwise: in bfloat16
log-probabilities move by up to 1.

Two things are decided here about identity. Local folders are known by a hash of their content, hub ids by their commit,
``local`` by the file it was made from. And the versions of torch and transformers are shown but are no part of the
key: they change results in the last digits at most, and an upgrade must not throw away hours of stored replies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from sotaque.errors import ModelError, Rejected, UsageError
from sotaque.models import local_generate
from sotaque.models.boundary import Split
from sotaque.models.generation_batch import BatchWriter
from sotaque.models.local_library import require_extra, versions
from sotaque.models.local_network import Network, load_network
from sotaque.models.local_opening import kind_of, local_place, read_texts, settled
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

    # Twice what is written at once: a text that ends makes room for another. Nothing is lost when a run is killed in
    # the middle of a batch, because every reply is handed over as soon as it is there.
    batch_size = 32

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
        self._writer: BatchWriter | None = None

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
        place = find_place(self._where, self._options) if self._where else local_place()
        config, self._prompter = read_texts(place, self._options)
        self._options = settled(self._options, config)
        details = {**place.details, "dtype": self._options.dtype or "", "device": kind_of(self._options.device)}
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
        tasks: list[local_generate.Task] = []
        asked: list[tuple[Generate, tuple[str, ...]]] = []
        for request in requests:
            try:
                task, notes = self._task(request)
            except Rejected as error:
                yield request, error
            else:
                tasks.append(task)
                asked.append((request, notes))
        for place, written in self._writing().write(tasks) if tasks else ():
            request, notes = asked[place]
            yield request, written if isinstance(written, Rejected) else self._written(tasks[place], written, notes)

    def _task(self, request: Generate) -> tuple[local_generate.Task, tuple[str, ...]]:
        prompter = self._prepared()[1]
        prompt, notes = prompter.prompt(request)
        behind = () if request.messages else prompt
        task = local_generate.Task(
            prompt=prompt,
            sampling=request.sampling,
            repeat=request.repeat,
            ends=_ends(self._loaded(), prompter),
            text=lambda ids: prompter.text(ids, behind),
        )
        return task, notes

    def _written(self, task: local_generate.Task, written: local_generate.Written, notes: tuple[str, ...]) -> Reply:
        return Reply(
            text=written.text,
            finish=written.finish,
            usage=Usage(prompt=len(task.prompt), completion=written.tokens),
            model=self._identity.name,
            seconds=written.seconds,
            notes=(*notes, *written.notes),
        )

    def _writing(self) -> BatchWriter:
        if self._writer is None:
            self._writer = BatchWriter(self._loaded())
        return self._writer

    def _loaded(self) -> Network:
        if self._network is None:
            self._network = load_network(self._prepared()[0], self._options)
        return self._network

    def _prepared(self) -> tuple[Place, Prompter]:
        if self._place is None or self._prompter is None:
            raise UsageError(f"{self._identity.name} was asked before it was prepared", "call prepare() first")
        return self._place, self._prompter


def _ends(network: Network, prompter: Prompter) -> frozenset[int]:
    """The tokens that end a text: the tokenizer's, and those the model was published with."""
    published = getattr(network.net.generation_config, "eos_token_id", None)
    several = cast("list[int | None]", published if isinstance(published, list) else [published])
    return frozenset(token for token in (*several, prompter.end) if token is not None)
