"""Runs exported tasks in lm-evaluation-harness and writes what it found as JSON. A process of its own:

    python lm_eval_peer.py FOLDER MODEL OUT

FOLDER holds the tasks' YAML and JSONL; every YAML in it is run on the Hugging Face model in the folder MODEL.
"""

import json
import sys
import time
from pathlib import Path


def main(folder: Path, model: str, out: Path) -> None:
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    began = time.perf_counter()
    lm = HFLM(pretrained=model, dtype="float32", device="cpu", batch_size=1)
    loaded = time.perf_counter()
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found = simple_evaluate(lm, tasks=names, task_manager=manager, num_fewshot=0, bootstrap_iters=0)
    ended = time.perf_counter()
    tasks = {
        name: {"results": found["results"][name], "samples": samples(lm, found["samples"][name])} for name in names
    }
    seconds = {"load": loaded - began, "run": ended - loaded}
    text = json.dumps({"seconds": seconds, "tasks": tasks}, ensure_ascii=False, default=lambda number: number.item())
    out.write_text(text, encoding="utf-8")


def samples(lm, logged):
    """Per item, in order: what was asked, what came back, what it earned, and for options how the tokens were cut."""
    kept = []
    for sample in sorted(logged, key=lambda sample: sample["doc_id"]):
        pairs = [tuple(arguments) for arguments in sample["arguments"]]
        replies = [reply[0] for reply in sample["resps"]]
        values = {name: sample[name] for name in sample["metrics"]}
        entry = {"item": sample["doc"]["item"], "asked": pairs, "replies": replies, "values": values}
        if isinstance(pairs[0][1], str):
            entry["cuts"] = [lm._encode_pair(*pair) for pair in pairs]
        kept.append(entry)
    return kept


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
