"""Whole runs on real models (baselines, a server on loopback): numbers, resuming, limits, orders, refusals."""

from dataclasses import replace
from pathlib import Path

import pytest

from echo_server import EchoBehaviour, ToyTokenizer
from fault_server import FaultServer, always, chat, failing, status
from own_suites import sum_item, write_suite
from sotaque.engine.pace import Settings
from sotaque.engine.store import Store
from sotaque.errors import UnsupportedMode, UsageError
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.records import Outcome, RunSpec, Usage
from sotaque.runs import RunFolder
from sotaque.suites.suite import load_suite

FAST = Settings(concurrency=4, tries=2, backoff=0.01, reuse=True)


def run(desk: Desk, suite: Path | str = "masalbench", model: str = "baseline/longest", **given) -> RunFolder:
    """Run a suite on a model; ``base_url`` opens the model, everything else is of the spec."""
    opened = open_model(model, ModelOptions(base_url=given.pop("base_url", None)))
    return evaluate(load_suite(suite), opened, RunSpec(suite=str(suite), model=model, **given), desk)


def on_server(desk: Desk, server: FaultServer, suite: Path, **given) -> RunFolder:
    return run(replace(desk, settings=FAST), suite, "vllm/toy", base_url=server.url, **given)


def values(folder: RunFolder) -> dict[str, float | None]:
    return {name: task.headline.value for name, task in folder.summary.tasks.items()}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "contas")


# ---------------------------------------------------------------- baselines on the published data


PUBLISHED = {
    "longest": (0.9035, 0.483),
    "first": (0.255, 0.533),
    "chance": (0.25, 0.5),
    "oracle": (1.0, 1.0),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_baselines_on_the_published_items_give_the_known_scores(name: str, official: Path, desk: Desk) -> None:
    found = run(desk, model=f"baseline/{name}", source=str(official / "masalbench"))
    contextual, cross = (found.summary.tasks[task].headline for task in ("contextual", "cross_cultural"))
    assert (contextual.n, cross.n) == (1000, 700)
    assert (round(contextual.value, 4), round(cross.value, 3)) == PUBLISHED[name]
    assert found.manifest.source.name == "official"
    assert not found.manifest.shareable


def test_longest_option_has_the_published_interval(official: Path, desk: Desk) -> None:
    found = run(desk, source=str(official / "masalbench"), tasks=("contextual",))
    mark = found.summary.tasks["contextual"].headline
    assert (round(mark.low, 3), round(mark.high, 3), mark.method) == (0.884, 0.920, "Wilson")


def test_chance_is_exact_to_the_last_bit(official: Path, desk: Desk) -> None:
    found = run(desk, model="baseline/chance", source=str(official / "masalbench"))
    assert values(found) == {"contextual": 0.25, "cross_cultural": 0.5}
    assert [task.chance.value for task in found.summary.tasks.values()] == [0.25, 0.5]
    assert {sample.score.outcome for sample in found.samples} == {Outcome.TIE}


# ---------------------------------------------------------------- bundled items, the store


@pytest.mark.parametrize("name", ["chance", "first", "longest", "shortest", "rarest", "majority", "oracle"])
def test_every_baseline_runs_every_task_of_the_bundled_suite(name: str, desk: Desk) -> None:
    every = ("contextual", "cross_cultural", "contextual_prob", "cross_cultural_prob")
    found = run(desk, model=f"baseline/{name}", tasks=every)
    assert tuple(found.summary.tasks) == every
    assert {task.counted for task in found.summary.tasks.values()} == {12}
    chance = {"contextual": 0.25, "cross_cultural": 0.5, "contextual_prob": 0.25, "cross_cultural_prob": 0.5}
    if name in ("chance", "oracle"):
        assert values(found) == (chance if name == "chance" else dict.fromkeys(every, 1.0))


def test_a_second_run_is_all_from_the_store_and_gives_equal_samples(suite: Path, desk: Desk) -> None:
    with FaultServer(always(chat("B"))) as server:
        first = on_server(desk, server, suite)
        asked = len(server.posts)
        second = on_server(desk, server, suite)
    assert (asked, len(server.posts)) == (8, 8)
    assert first.path != second.path
    assert first.samples == second.samples
    assert first.summary == second.summary
    assert (first.manifest.replies.fresh, first.manifest.replies.from_store) == (8, 0)
    assert (second.manifest.replies.fresh, second.manifest.replies.from_store) == (0, 8)


def test_tokens_paid_before_an_interruption_stay_in_the_totals(suite: Path, desk: Desk) -> None:
    with FaultServer(always(chat("B"))) as server:
        on_server(desk, server, suite, first=5)
        whole = on_server(desk, server, suite)
    assert whole.manifest.usage.all_replies == Usage(prompt=8 * 12, completion=8 * 3)
    assert whole.manifest.usage.asked_now == Usage(prompt=3 * 12, completion=3 * 3)
    assert whole.summary.usage == whole.manifest.usage.all_replies


def test_equal_requests_are_asked_and_paid_once_but_counted_as_often_as_they_were_put(tmp_path: Path, desk: Desk):
    suite = write_suite(tmp_path / "contas", 1)
    with (suite / "soma.jsonl").open("a", encoding="utf-8") as file:
        file.write((suite / "soma.jsonl").read_text(encoding="utf-8").replace("s000", "gêmeo"))
    with FaultServer(always(chat("B"))) as server:
        found = on_server(desk, server, suite)
    assert len(server.posts) == 1
    assert len(found.samples) == 2
    assert found.manifest.usage.asked_now == Usage(prompt=12, completion=3)


def test_without_reuse_a_server_that_may_hold_other_weights_is_asked_anew(suite: Path, desk: Desk) -> None:
    with FaultServer(always(chat("B"))) as server:
        for _ in range(2):
            run(desk, suite, "vllm/toy", base_url=server.url)
    assert len(server.posts) == 16


# ---------------------------------------------------------------- which items, in which order


@pytest.mark.parametrize("given", [{"limit": 3}, {"first": 3}, {"items": frozenset({"s001", "soma/s006"})}])
def test_choosing_items_never_changes_the_prompts_of_those_that_stay(given, suite: Path, desk: Desk) -> None:
    whole = {sample.item: sample.prompt_hash for sample in run(desk, suite).samples}
    some = {sample.item: sample.prompt_hash for sample in run(desk, suite, **given).samples}
    assert len(some) in (2, 3)
    assert some.items() < whole.items()


def test_a_limit_draws_the_same_items_again_and_others_with_another_seed(desk: Desk) -> None:
    first, again, other = (
        [sample.item for sample in run(desk, tasks=("contextual",), limit=5, seed=seed).samples] for seed in (0, 0, 1)
    )
    assert first == again != other


def test_items_by_id_are_asked_in_every_task_that_has_them_or_in_the_named_one(desk: Desk) -> None:
    found = run(desk, items=frozenset({"contextual/c02", "x03"}), tasks=("contextual", "cross_cultural"))
    assert [(sample.task, sample.item) for sample in found.samples] == [
        ("contextual", "c02"),
        ("cross_cultural", "x03"),
    ]


def test_an_unknown_item_is_refused_by_name(suite: Path, desk: Desk) -> None:
    with pytest.raises(UsageError, match="no such items: s999"):
        run(desk, suite, items=frozenset({"s999", "s001"}))


def test_shuffling_shows_the_options_in_another_order_but_picks_are_in_the_items_own(suite: Path, desk: Desk) -> None:
    with FaultServer(lambda seen: chat(_letter_of_the_right_sum(seen.text))) as server:
        plain = on_server(desk, server, suite)
        shuffled = on_server(desk, server, suite, shuffle=7)
    assert {sample.order for sample in plain.samples} == {(0, 1, 2, 3)}
    assert len({sample.order for sample in shuffled.samples}) > 3
    for sample, before in zip(shuffled.samples, plain.samples, strict=True):
        assert sample.score.outcome == before.score.outcome == Outcome.CORRECT
        assert sample.score.picked == before.score.picked == sample.gold
        assert sample.item_hash == before.item_hash
        assert (sample.prompt_hash == before.prompt_hash) == (sample.order == before.order)


def test_permuting_asks_each_item_in_every_rotation_and_a_letter_lover_gets_chance(suite: Path, desk: Desk) -> None:
    with FaultServer(always(chat("A"))) as server:
        found = on_server(desk, server, suite, permute=True)
    task = found.summary.tasks["soma"]
    assert (task.items, task.samples, task.headline.n) == (8, 32, 8)
    assert task.headline.value == 0.25
    assert len({(sample.item, sample.order) for sample in found.samples}) == 32


def test_repeats_are_separate_replies_to_one_prompt(suite: Path, desk: Desk) -> None:
    with FaultServer(lambda seen: chat("AB"[seen.number % 2])) as server:
        found = on_server(desk, server, suite, repeat=3, first=2)
    assert len(server.posts) == len({sample.reply_id for sample in found.samples}) == 6
    assert [(sample.item, sample.repeat) for sample in found.samples] == [
        (f"s00{item}", repeat) for item in range(2) for repeat in range(3)
    ]
    assert len({sample.prompt_hash for sample in found.samples}) == 2
    assert found.summary.tasks["soma"].headline.n == 2


# ---------------------------------------------------------------- a user's own suite


def test_a_users_own_folder_runs_like_a_bundled_suite(suite: Path, desk: Desk) -> None:
    with FaultServer(lambda seen: chat(f"A resposta é {_letter_of_the_right_sum(seen.text)}.")) as server:
        found = on_server(desk, server, suite)
    assert values(found) == {"soma": 1.0}
    assert set(found.summary.tasks["soma"].groups["quem"]) == {"Ana", "João", "Lúcia", "Zé"}
    assert found.manifest.suite.name == "contas"
    assert found.manifest.shareable
    assert found.samples[0].reply.text.startswith("A resposta é ")


def test_option_scores_come_from_a_server_that_returns_them(suite: Path, desk: Desk) -> None:
    with FaultServer(EchoBehaviour(ToyTokenizer())) as server:
        found = on_server(desk, server, suite, tasks=("soma_prob",))
    assert found.summary.tasks["soma_prob"].counted == 8
    assert all(len(sample.reply.scores) == 4 for sample in found.samples)


def test_baselines_stand_beside_a_model_and_not_beside_themselves(suite: Path, desk: Desk) -> None:
    with FaultServer(always(chat("B"))) as server:
        beside = on_server(desk, server, suite).summary.tasks["soma"].baselines
    assert set(beside) == {
        "baseline/longest",
        "baseline/shortest",
        "baseline/first",
        "baseline/rarest",
        "baseline/majority",
    }
    for name, estimate in beside.items():
        alone = run(desk, suite, model=name).summary.tasks["soma"]
        assert alone.headline.value == estimate.value
        assert (alone.headline.low, alone.headline.high, alone.headline.n) == (estimate.low, estimate.high, estimate.n)
        assert alone.reads_nothing


# ---------------------------------------------------------------- refusals and faults


def test_log_probability_task_on_a_chat_only_server_is_refused_before_the_first_request(
    suite: Path, desk: Desk
) -> None:
    # FIELD_FAULTS 16: elsewhere such a run dies midway.
    with FaultServer(always(chat("B"))) as server, pytest.raises(UnsupportedMode) as refused:
        run(desk, suite, "deepseek/toy", base_url=server.url, tasks=("soma", "soma_prob"))
    assert server.posts == []
    assert "task 'soma_prob' cannot run on deepseek/toy" in refused.value.message
    assert "--task soma" in refused.value.remedy
    assert not desk.runs.exists()


def test_a_server_without_prompt_log_probabilities_is_asked_once_to_find_out_and_refused(suite: Path, desk: Desk):
    with FaultServer(always(status(400, "echo is not supported"))) as server, pytest.raises(UnsupportedMode) as refused:
        on_server(desk, server, suite, tasks=("soma_prob",))
    assert {seen.path for seen in server.posts} == {"/v1/completions"}
    assert not any(sum_item(0)["historia"] in seen.text for seen in server.posts)
    assert "--task soma" in refused.value.remedy


def test_random_failures_are_counted_not_scored_and_asked_again_next_time(suite: Path, desk: Desk) -> None:
    with FaultServer(failing(0.6, chat("B"))) as server:
        broken = on_server(desk, server, suite)
        server.behaviour = always(chat("B"))
        mended = on_server(desk, server, suite)
    task = broken.summary.tasks["soma"]
    assert task.outcomes[Outcome.ERROR] == broken.manifest.replies.failed > 0
    assert task.counted == 8 - task.outcomes[Outcome.ERROR]
    assert all(not s.score.values and not s.reply_id for s in broken.samples if s.score.outcome is Outcome.ERROR)
    assert mended.manifest.replies.fresh == broken.manifest.replies.failed
    assert mended.summary.tasks["soma"].counted == 8


def test_a_task_that_does_not_exist_is_refused_with_the_closest(suite: Path, desk: Desk) -> None:
    with pytest.raises(UsageError, match="has no task 'somma'") as refused:
        run(desk, suite, tasks=("somma",))
    assert "soma" in refused.value.remedy


def test_a_store_of_another_folder_knows_nothing(suite: Path, desk: Desk, tmp_path: Path) -> None:
    with FaultServer(always(chat("B"))) as server:
        on_server(desk, server, suite)
        with Store(tmp_path / "other.sqlite") as store:
            found = on_server(replace(desk, store=store), server, suite)
    assert found.manifest.replies.fresh == 8


def _letter_of_the_right_sum(prompt: str) -> str:
    """What a model that can add would say, read from the prompt alone."""
    words = prompt.split()
    total = sum(int(word.rstrip(".")) for word in words[: words.index("Com")] if word.rstrip(".").isdigit())
    (line,) = [line for line in prompt.splitlines() if line.endswith(f" {total}")]
    return line[0]
