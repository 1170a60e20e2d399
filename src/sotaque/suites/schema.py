"""The shape of suite.toml, format 1: what may stand where. What must fit together is checked in ``check``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, PrivateAttr

from sotaque.data.declared import Declared, SourceSpec, Text
from sotaque.language.labels import labels_for
from sotaque.language.normalize import key
from sotaque.records import AnswerForm, Item, Metric, Mode, ProtocolName, Reading, Shortcut
from sotaque.suites.template import placeholders

FORMAT = 1

KeyPath = tuple[str, ...]
Origins = Mapping[KeyPath, KeyPath]
"""A key of a task, as merged -> the key of the template that it came from."""

METRICS: dict[Mode, tuple[Metric, ...]] = {
    "generate": (Metric.ACCURACY, Metric.WEIGHTED_F1, Metric.EXACT_MATCH, Metric.BERTSCORE_F1),
    "choose": (
        Metric.ACCURACY,
        Metric.ACCURACY_PER_CHARACTER,
        Metric.ACCURACY_PER_BYTE,
        Metric.ACCURACY_PER_TOKEN,
        Metric.WEIGHTED_F1,
    ),
    "judge": (Metric.JUDGE_SCORE,),
}
"""What can be measured in each mode."""

Name = Annotated[str, Field(pattern=r"^[^\W\d_][\w.-]*$")]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z]{2,4})?$")]
Template = Annotated[str, Field(min_length=1), AfterValidator(lambda text: text.removesuffix("\n"))]
"""One line break at the end is dropped: TOML's multi-line strings end in one."""


class Protocol(Declared):
    """How a task is run.

    Attributes:
        shots: worked examples before the question.
        pick: which examples: drawn at random, the first of the pool, or at random with their classes in balance.
        exclude: which examples a question may not have: those of its cluster, or only the question itself.
        why: why we recommend this, where it departs from what was published.
        paper: where the paper says so ("section 3.2").
        reconstructed: what the paper leaves open and we had to decide.
    """

    shots: Annotated[int, Field(ge=0, description="a whole number: 0 for none")] = 0
    pick: Literal["random", "first", "balanced"] = "random"
    exclude: Literal["cluster", "item"] = "cluster"
    max_tokens: Annotated[int, Field(gt=0, description="a whole number from 1 up")] = 64
    temperature: Annotated[float, Field(ge=0, description="a number from 0 up; 0 is greedy")] = 0.0
    top_p: Annotated[float, Field(gt=0, le=1, description="a number above 0, at most 1")] = 1.0
    stop: tuple[Text, ...] = ()
    why: str = ""
    paper: str = ""
    reconstructed: tuple[Text, ...] = ()


class Protocols(Declared):
    """What was published, where something was, and what we recommend."""

    published: Protocol | None = None
    default: Protocol = Protocol()

    def named(self, name: ProtocolName) -> Protocol | None:
        """One of the two; ``None`` when nothing was published."""
        return self.published if name == "published" else self.default


class Encoder(Declared):
    """What BERTScore compares texts with.

    Attributes:
        model: a hub id, or a folder.
        layer: whose token vectors are compared; the first after the embeddings is 1.
        rescale: the F1 of unrelated sentences, which becomes 0: (F1 - rescale) / (1 - rescale). Without it, plain F1.
    """

    model: Text = Field(description='a hub id or a folder, e.g. model = "neuralmind/bert-large-portuguese-cased"')
    layer: Annotated[int, Field(ge=1, description="a whole number from 1 up, e.g. layer = 18")]
    rescale: Annotated[float, Field(ge=0, lt=1)] | None = Field(
        default=None, description="a number from 0 up and below 1"
    )


class Task(Declared):
    """One question put to every item of a file.

    Attributes:
        template: the table of ``templates`` whose keys this task takes where it has none of its own.
        source: which of the source's files.
        examples: the file whose items are the shots, and are never scored; else the shots are other items.
        gold: the field that holds the right answer's text; items without it are not asked.
        classes: the options of every item, in this order.
        prompt: the template; in mode choose it ends just before the answer.
        prompts: by source, where a source brings its own prompt inside the data.
        system: an instruction, sent as the system message of a chat and put first in a text.
        anchor: what a text ends with, so that the next words are the answer ("Resposta:"); a chat has none.
        labels: an alphabet of labels ("الف ب ج د", "A B C D E").
        option_format: one line of the options block.
        answer: what the prompt asks for: a label, an option's text, or open text.
        choose: what is scored in mode choose: an option's text or its label.
        delimiter: stands between the prompt and what is scored.
        metrics: the first is the headline.
        encoder: for BERTScore.
        by: breakdowns by items' metadata, or by "role": what kind of option was picked.
        cluster: the metadata that items which are not independent have in common.
        twin: the same task in the other mode.
        shortcuts: rules that may be right more often than chance because the subject wants it so, each with the reason.
    """

    about: Text = Field(description="say in one sentence what is asked")
    template: str = ""
    source: Text = Field(description="name the file, as the sources call it in 'files'")
    examples: str = ""
    gold: str = ""
    classes: tuple[Text, ...] = Field((), description='name all of them, e.g. classes = ["verbo", "nome"]')
    mode: Mode = Field(description='write mode = "generate", mode = "choose" or mode = "judge"')
    prompt: Template = Field(description='write the prompt, e.g. prompt = "{question}\\n{options}"')
    prompts: dict[str, Template] = {}
    system: Template | Literal[""] = ""
    anchor: str = ""
    labels: Text = " ".join(ascii_uppercase)
    option_format: Text = "{label}) {text}"
    answer: AnswerForm = "label"
    choose: Literal["text", "label"] = "text"
    delimiter: str = " "
    metrics: tuple[Metric, ...] = Field(min_length=1, description='say how it is measured, e.g. metrics = ["accuracy"]')
    encoder: Encoder | None = None
    by: tuple[Text, ...] = ()
    cluster: str = ""
    twin: str = ""
    shortcuts: dict[Shortcut, Text] = Field({}, description='say why it is so, e.g. shortcuts = { longest = "..." }')
    protocol: Protocols = Protocols()

    _name: str = PrivateAttr("")
    _languages: tuple[str, ...] = PrivateAttr(())

    @property
    def name(self) -> str:
        """Its key in suite.toml."""
        return self._name

    @property
    def is_open(self) -> bool:
        """Whether the answer is a text of the model's own, not one of several options."""
        return self.mode == "judge" or (self.mode == "generate" and self.answer == "text")

    @property
    def form(self) -> AnswerForm:
        """What the answer is: ``answer``, but a judge always reads a text."""
        return "text" if self.mode == "judge" else self.answer

    @property
    def language(self) -> str:
        """The language whose folding decides what counts as the same text."""
        return self._languages[0]

    def prompt_for(self, source: str) -> str:
        """The template that goes with a declared source's items."""
        return self.prompts.get(source, self.prompt)

    @property
    def hides_labels(self) -> bool:
        """Whether options are shown without labels: then a letter in a reply ("A", "e") names none of them."""
        return self.mode == "generate" and self.answer == "option" and "label" not in placeholders(self.option_format)

    def labels_of(self, n_options: int) -> tuple[str, ...]:
        """The first labels of the task's alphabet.

        Raises:
            ValueError: there are fewer.
        """
        return labels_for(self.labels, n_options)

    def reading(self, n_options: int) -> Reading:
        """How replies are read: labels for that many options; none for an open question."""
        labels = self.labels_of(n_options) if n_options and not self.hides_labels else ()
        return Reading(self.form, labels, self._languages, self.metrics)

    def cluster_of(self, item: Item) -> str:
        """What the item shares with others that are not independent of it; the item's id if nothing."""
        shared = item.metadata.get(self.cluster, "") if self.cluster else ""
        return key(shared, self.language) or item.id if shared else item.id

    def groups_of(self, item: Item) -> dict[str, str]:
        """The values its result is broken down by."""
        return {name: item.metadata[name] for name in self.by if name in item.metadata}

    def belongs_to(self, name: str, languages: tuple[str, ...]) -> None:
        """Told once, by the suite that holds the task."""
        self._name, self._languages = name, languages


class Average(Declared):
    """A plain mean of headlines, as the suite's authors report it.

    Attributes:
        of: tasks and other averages; shown only when all of them were run.
        group: a heading under which several averages stand ("Gen").
    """

    about: Text = Field(description="say in one sentence what is averaged")
    of: Annotated[tuple[Text, ...], Field(min_length=1, description='name tasks or averages, e.g. of = ["one", "two"]')]
    group: str = ""


class Suite(Declared):
    """A benchmark: tasks, prompts, protocols, and sources of items.

    Attributes:
        languages: the first is the items'; all of them, and English, are understood in replies.
        default_tasks: run when none is named; empty for all.
        templates: what several tasks have in common, as it was written; ``tasks`` have it already.
        default_source: used when none is named; else the one called "bundled", else the first.
    """

    format: Literal[1]
    name: Name = Field(description="a short name without spaces")
    title: Text = Field(description="what people call the suite")
    languages: Annotated[tuple[Language, ...], Field(min_length=1, description='e.g. languages = ["pt-BR"]')]
    version: Text = Field(description='e.g. version = "1.0.0"')
    citation: str = ""
    default_tasks: tuple[str, ...] = ()
    default_source: str = ""
    sources: Annotated[
        dict[Name, SourceSpec], Field(min_length=1, description="say where the items are: [sources.bundled]")
    ]
    templates: dict[Name, dict[str, Any]] = {}
    tasks: Annotated[dict[Name, Task], Field(min_length=1, description="say what is asked: [tasks.NAME]")]
    averages: dict[Name, Average] = {}

    _folder: Path = PrivateAttr(Path())
    _sha256: str = PrivateAttr("")
    _ref: str = PrivateAttr("")
    _origins: Origins = PrivateAttr(default_factory=dict[KeyPath, KeyPath])

    @property
    def folder(self) -> Path:
        """Where suite.toml is."""
        return self._folder

    @property
    def sha256(self) -> str:
        """Of suite.toml."""
        return self._sha256

    @property
    def ref(self) -> str:
        """What to write for it on the command line: a bundled name, or the folder."""
        return self._ref

    @property
    def origins(self) -> Origins:
        """Where in suite.toml a task's key stands, if it came from a template."""
        return self._origins

    @property
    def first_source(self) -> str:
        """The source that is used when none is named."""
        return self.default_source or ("bundled" if "bundled" in self.sources else next(iter(self.sources)))

    def comes_from(self, origins: Origins) -> None:
        """Told once, by whoever merged the templates."""
        self._origins = origins

    def lives_in(self, folder: Path, sha256: str, ref: str) -> None:
        """Told once, by whoever read it."""
        self._folder, self._sha256, self._ref = folder, sha256, ref
        for name, task in self.tasks.items():
            task.belongs_to(name, self.languages)
