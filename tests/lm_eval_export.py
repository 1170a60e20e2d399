"""Posed questions as tasks of lm-evaluation-harness: a YAML and a JSONL each, few-shot examples already in the text.

The prompt of a question is the whole context (``num_fewshot: 0``), and its options are the choices, with the task's
delimiter as ``target_delimiter``: so ``acc_norm`` and ``acc_bytes`` divide by the length of the option without the
delimiter, as ``accuracy_per_character`` and ``accuracy_per_byte`` do. A question to generate must be posed as text.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lm_eval_reading
from sotaque.evaluate.questions import Asking, Question
from sotaque.records import Choose, Generate

READING = Path(lm_eval_reading.__file__)
SPLIT = "test"


def export(asking: Asking, folder: Path) -> list[str]:
    """Write every task of ``asking`` to ``folder``; returns the names under which the peer finds them."""
    for task in asking.tasks:
        questions = [question for question in asking.questions if question.task is task]
        docs = [_doc(question) for question in questions]
        if task.mode == "choose":
            write_choices(folder, task.name, docs, task.delimiter)
        else:
            _write(folder, task.name, docs, _generating(questions))
    return [task.name for task in asking.tasks]


def write_choices(folder: Path, name: str, docs: Sequence[dict[str, Any]], delimiter: str = "") -> None:
    """A task of documents with "item", "context", "choices" and "gold", the position of the right choice."""
    means = [_metric(each, "mean") for each in ("acc", "acc_norm", "acc_bytes")]
    config = {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "gold",
        "target_delimiter": delimiter,
        "metric_list": [*means, _metric("f1", f"!function {READING.stem}.weighted_f1")],
    }
    _write(folder, name, docs, config)


def _write(folder: Path, name: str, docs: Sequence[dict[str, Any]], config: dict[str, Any]) -> None:
    """``config``, one JSON value per line, is YAML too."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / READING.name).write_bytes(READING.read_bytes())
    data = folder / f"{name}.jsonl"
    data.write_text("".join(json.dumps(doc, ensure_ascii=False) + "\n" for doc in docs), encoding="utf-8")
    whole = {"task": name, "num_fewshot": 0, **_source(data), "doc_to_text": "context", **config}
    lines = [f"{key}: {_value(value)}\n" for key, value in whole.items()]
    (folder / f"{name}.yaml").write_text("".join(lines), encoding="utf-8")


def _value(value: Any) -> str:
    """JSON, but for strings that begin with ``!function``: they are tags."""
    if isinstance(value, str) and value.startswith("!function "):
        return value
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {_value(each)}" for key, each in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _source(data: Path) -> dict[str, Any]:
    return {"dataset_path": "json", "dataset_kwargs": {"data_files": {SPLIT: str(data)}}, "test_split": SPLIT}


def _generating(questions: Sequence[Question]) -> dict[str, Any]:
    (sampling,) = {_generate(question).sampling for question in questions}
    assert sampling.temperature == 0, "only greedy text is the same on both sides"
    return {
        "output_type": "generate_until",
        "doc_to_target": "gold",
        "generation_kwargs": {"until": list(sampling.stop), "max_gen_toks": sampling.max_tokens, "do_sample": False},
        "process_results": f"!function {READING.stem}.read_class",
        "metric_list": [_metric("acc", "mean"), _metric("weighted_f1", f"!function {READING.stem}.weighted_f1")],
    }


def _metric(name: str, aggregation: str) -> dict[str, Any]:
    return {"metric": name, "aggregation": aggregation, "higher_is_better": True}


def _doc(question: Question) -> dict[str, Any]:
    prompt = question.prompt
    choices = [prompt.item.options[index].text for index in prompt.order]
    request = prompt.request
    if isinstance(request, Choose):
        assert request.continuations == tuple(question.task.delimiter + choice for choice in choices)
        context = request.context
    else:
        context = _generate(question).text
    assert prompt.item.gold is not None
    return {
        "item": prompt.item.id,
        "context": context,
        "choices": choices,
        "gold": prompt.order.index(prompt.item.gold),
    }


def _generate(question: Question) -> Generate:
    request = question.prompt.request
    assert isinstance(request, Generate)
    assert request.text, "pose questions to generate with rendering='text'"
    return request
