"""One set of questions, asked here and, in a process of its own at the same time, in lm-evaluation-harness."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import lm_eval_peer
from lm_eval_export import export, write_choices
from local_model import users_local
from optional_parts import require, require_module
from sotaque.engine.store import Store
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.evaluate.questions import pose
from sotaque.models.catalog import open_model
from sotaque.models.local_prompt import Prompter
from sotaque.models.model import BatchModel
from sotaque.models.prepare import FOLDER
from sotaque.records import Ability, Choose, Reply, Request, RunSpec, Sample
from sotaque.suites.suite import load_suite
from sotaque.summary.results import TaskSummary

NOTHING: Mapping[str, Any] = {}
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


@dataclass(frozen=True)
class Seam:
    """Where both sides end the context of one item, and what they found for its options.

    Attributes:
        cuts: ours, for each option: the tokens that are read first, and those that are scored.
        their_cuts: the peer's.
        texts: of the tokens that we score.
        their_texts: of those that the peer scores.
    """

    item: str
    cuts: list[list[list[int]]]
    their_cuts: list[list[list[int]]]
    texts: list[str]
    their_texts: list[str]
    logprobs: list[float]
    their_logprobs: list[float]

    @property
    def alike(self) -> bool:
        """Whether both read and score the same tokens."""
        return self.cuts == self.their_cuts

    @property
    def gap(self) -> float:
        """The largest difference in an option's log-probability."""
        return max(abs(one - other) for one, other in zip(self.logprobs, self.their_logprobs, strict=True))


@dataclass(frozen=True)
class Sides:
    """What both found.

    Attributes:
        model: ours, prepared.
        prompter: cuts requests into tokens as ours does.
        requests: ours, by task, in the order asked.
        samples: ours, likewise.
        summaries: ours, by task.
        peer: by task, ``results`` and ``samples`` as ``lm_eval_peer`` writes them.
    """

    model: BatchModel
    prompter: Prompter
    requests: dict[str, list[Request]]
    samples: dict[str, list[Sample]]
    summaries: dict[str, TaskSummary]
    peer: dict[str, dict[str, Any]]

    def metric(self, task: str, name: str) -> float:
        """Ours."""
        value = self.summaries[task].metrics[name].value
        assert value is not None
        return value

    def theirs(self, task: str, name: str) -> float:
        """The peer's; "none" is the name of its filter that takes each reply as it is."""
        return self.peer[task]["results"][f"{name},none"]

    def pairs(self, task: str) -> Iterator[tuple[Sample, dict[str, Any]]]:
        """Each item with the peer's findings on it."""
        for sample, beside in zip(self.samples[task], self.peer[task]["samples"], strict=True):
            assert sample.item == beside["item"]
            yield sample, beside

    def seams(self, task: str) -> Iterator[Seam]:
        """Each item with options, as both cut it and scored it."""
        for (sample, beside), request in zip(self.pairs(task), self.requests[task], strict=True):
            assert isinstance(request, Choose)
            yield seam(self.prompter, sample.item, request, reply_of(sample), beside)


def reply_of(sample: Sample) -> Reply:
    assert isinstance(sample.reply, Reply), sample.reply
    return sample.reply


def seam(prompter: Prompter, item: str, request: Choose, reply: Reply, beside: dict[str, Any]) -> Seam:
    """``beside`` is the peer's sample of the same item."""
    cut, _ = prompter.choice(request)
    assert reply.scores is not None
    assert [list(pair) for pair in beside["asked"]] == [[request.context, option] for option in request.continuations]
    return Seam(
        item=item,
        cuts=[[list(cut.prefix), list(rest)] for rest in cut.rests],
        their_cuts=beside["cuts"],
        texts=[prompter.text(rest) for rest in cut.rests],
        their_texts=[prompter.text(rest) for _, rest in beside["cuts"]],
        logprobs=[score.logprob for score in reply.scores],
        their_logprobs=[logprob for logprob, _ in beside["replies"]],
    )


def both_sides(specs: Sequence[RunSpec], folder: Path, also: Mapping[str, Sequence[dict[str, Any]]] = NOTHING) -> Sides:
    """Run ``specs`` on the model ``local`` on both sides; the peer alone runs ``also``, documents by task.

    Several test processes may call this with one folder: the first does the work, the others find it done.
    """
    require_module("torch", "transformers", "accelerate", "lm_eval", "filelock")
    models, reason = users_local()
    require(not reason, reason or "the local model")
    import torch
    from filelock import FileLock

    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch, FileLock(folder / "lock"):
        patch.setenv("SOTAQUE_MODELS", str(models))
        model = open_model("local")
        assert isinstance(model, BatchModel)
        model.prepare(frozenset({Ability.CHOOSE, Ability.COMPLETE}))
        requests = exported(specs, model, folder / "tasks")
        for name, docs in also.items():
            write_choices(folder / "tasks", name, docs)
        with running_peer(folder, models / FOLDER):
            samples, summaries = ours(specs, model, folder)
    peer = json.loads((folder / "peer.json").read_text(encoding="utf-8"))["tasks"]
    return Sides(model, tokens_of(models / FOLDER), requests, samples, summaries, peer)


def shared_folder(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that the test processes of this session share."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


def exported(specs: Sequence[RunSpec], model: BatchModel, folder: Path) -> dict[str, list[Request]]:
    requests: dict[str, list[Request]] = {}
    for spec in specs:
        asking = pose(load_suite(spec.suite), spec, model)
        export(asking, folder)
        for question in asking.questions:
            requests.setdefault(question.task.name, []).append(question.prompt.request)
    return requests


def tokens_of(folder: Path) -> Prompter:
    import transformers

    return Prompter(transformers.AutoTokenizer.from_pretrained(folder))


@contextlib.contextmanager
def running_peer(folder: Path, model: Path) -> Iterator[None]:
    """The peer at work meanwhile, unless it has been; it has ended well when the block has."""
    out = folder / "peer.json"
    if out.exists():
        yield
        return
    command = [sys.executable, lm_eval_peer.__file__, str(folder / "tasks"), str(model), str(out)]
    environment = {**os.environ, **OFFLINE, "HF_HOME": str(folder / "hf"), "OMP_NUM_THREADS": "1"}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield
        assert process.wait() == 0, (folder / "log").read_text(encoding="utf-8")[-3000:]
    finally:
        process.kill()


def ours(
    specs: Sequence[RunSpec], model: BatchModel, folder: Path
) -> tuple[dict[str, list[Sample]], dict[str, TaskSummary]]:
    samples: dict[str, list[Sample]] = {}
    summaries: dict[str, TaskSummary] = {}
    with Store(folder / "replies.sqlite") as store:
        desk = Desk(store, runs=folder / "runs")
        for spec in specs:
            run = evaluate(load_suite(spec.suite), model, spec, desk)
            summaries |= run.summary.tasks
            for sample in run.samples:
                samples.setdefault(sample.task, []).append(sample)
    return samples, summaries
