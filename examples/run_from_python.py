"""One whole run from Python: a bundled suite, a model, a run folder, and the numbers in it."""

from pathlib import Path

from sotaque.engine.store import Store
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.models.catalog import open_model
from sotaque.records import RunSpec
from sotaque.suites.suite import load_suite


def main(model_name: str = "baseline/longest", folder: Path = Path("runs")) -> None:
    suite = load_suite("masalbench")
    spec = RunSpec(suite="masalbench", model=model_name, limit=10)
    with Store(folder / "replies.sqlite") as store:
        run = evaluate(suite, open_model(model_name), spec, Desk(store, runs=folder))
    print(run.path)
    for name, task in run.summary.tasks.items():
        mark = task.headline
        print(
            f"{name}: {mark.value:.3f} [{mark.low:.3f}, {mark.high:.3f}], n = {mark.n}, chance {task.chance.value:.2f}"
        )
    for sample in run.samples[:3]:
        print(sample.task, sample.item, sample.score.outcome, sample.score.read)


if __name__ == "__main__":
    main()
