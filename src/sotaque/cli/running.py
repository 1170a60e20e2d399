"""Suites times models: opens them, runs one after the other, prints one table."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sotaque import places
from sotaque.cli.printing import print_results
from sotaque.cli.progress import Bar
from sotaque.engine.pace import Settings
from sotaque.engine.store import Store
from sotaque.errors import UnsupportedMode, UsageError
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.evaluate.price import Estimated, Metered, PriceFile, Tariff, check_limit, estimate, read_prices
from sotaque.evaluate.questions import pose, tasks_for_model
from sotaque.evaluate.similarity import encoders_for
from sotaque.models.catalog import open_model
from sotaque.models.model import Model, ServedModel
from sotaque.models.providers import ModelOptions
from sotaque.records import RunSpec
from sotaque.report.plan import plans_as_json, print_plans
from sotaque.runs import RunFolder
from sotaque.suites.schema import Suite
from sotaque.suites.suite import load_suite
from sotaque.summary import percent


@dataclass(frozen=True, slots=True)
class Session:
    """What one command line asks for.

    Attributes:
        suites: bundled names or folders.
        models: their names.
        spec: of every run, but for suite and model.
        prices: the user's price file.
        every_task: also those that a suite does not run by default.
    """

    suites: Sequence[str]
    models: Sequence[str]
    options: ModelOptions
    spec: RunSpec
    settings: Settings
    prices: Path | None = None
    max_cost: float | None = None
    every_task: bool = False

    def run(self, out: Path, *, with_items: bool, max_unscored: float, json: bool) -> int:
        """Run everything, print, and return the exit code: 1 when a run has more unscored items than the limit.

        Suites, models and encoders are all found before the first request: a misspelt last one is known at once.
        """
        pairs = self._fitting()
        for suite, model, spec in pairs:
            encoders_for(tasks_for_model(suite, spec, model)[0], spec)
        finished: list[RunFolder] = []
        with Store(places.store_path()) as store:
            for suite, model, spec in pairs:
                with Bar(f"{suite.name} on {spec.model}") as bar:
                    desk = Desk(store, self.settings, bar, out, with_items, self._tariff(spec.model))
                    finished.append(evaluate(suite, model, spec, desk))
        print_results(finished, json=json)
        return max((_exit_code(each, max_unscored) for each in finished), default=0)

    def plan(self, *, json: bool) -> None:
        """Print what would be asked. Nothing is sent, no model is loaded."""
        plans = [(suite.name, spec.model, self._estimate(suite, model, spec)) for suite, model, spec in self._fitting()]
        print(plans_as_json(plans)) if json else print_plans(plans)

    def _fitting(self) -> list[tuple[Suite, Model, RunSpec]]:
        """All pairs but those in which a baseline has nothing to say; these are named.

        Raises:
            UnsupportedMode: there are no others.
        """
        fitting: list[tuple[Suite, Model, RunSpec]] = []
        refused: list[UnsupportedMode] = []
        for suite, model, spec in self._pairs():
            try:
                tasks_for_model(suite, spec, model)
            except UnsupportedMode as error:
                refused.append(error)
            else:
                fitting.append((suite, model, spec))
        if not fitting:
            raise refused[0]
        for error in refused:
            print(f"left out: {error.message}", file=sys.stderr)
        return fitting

    def _pairs(self) -> Iterator[tuple[Suite, Model, RunSpec]]:
        if not self.suites:
            raise UsageError("no suite was named", "sotaque suites lists them")
        prices = self._prices()
        suites = {name: load_suite(name) for name in dict.fromkeys(self.suites)}
        models = {name: self._opened(name, prices) for name in dict.fromkeys(self.models)}
        for suite_name, suite in suites.items():
            for model_name, model in models.items():
                tasks = self.spec.tasks or (tuple(suite.tasks) if self.every_task else ())
                yield suite, model, replace(self.spec, suite=suite_name, model=model_name, tasks=tasks)

    def _opened(self, name: str, prices: PriceFile | None) -> Model:
        model = open_model(name, self.options)
        price = prices.prices.get(name) if prices else None
        if self.max_cost is not None:
            check_limit(self.max_cost)
        if self.max_cost is None or not isinstance(model, ServedModel):
            return model
        if prices is None or price is None:
            raise UsageError(
                f"--max-cost needs the price of {name}",
                f'give --prices FILE, with a table [prices."{name}"] that says prompt and completion per million tokens',
            )
        return Metered(model, Tariff(price, prices.currency), self.max_cost)

    def _prices(self) -> PriceFile | None:
        return read_prices(self.prices) if self.prices else None

    def _tariff(self, model: str) -> Tariff | None:
        prices = self._prices()
        price = prices.prices.get(model) if prices else None
        return Tariff(price, prices.currency) if prices and price else None

    def _estimate(self, suite: Suite, model: Model, spec: RunSpec) -> Estimated:
        return estimate(pose(suite, spec, model), self._tariff(spec.model))


def _exit_code(run: RunFolder, max_unscored: float) -> int:
    """1, and why, when too much of a run has no score."""
    share = run.summary.unscored_share
    if share <= max_unscored:
        return 0
    name = f"{run.manifest.suite.name} on {run.manifest.model.name}"
    limit = f"--max-unscored {max_unscored:g}"
    print(f"{name}: {percent(share)} of the samples have no score ({limit}): exit code 1", file=sys.stderr)
    return 1
