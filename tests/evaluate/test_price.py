"""Price files, estimates before a run, and a limit that ends it without losing what was paid."""

from dataclasses import replace
from pathlib import Path

import pytest

from fault_server import FaultServer, always, chat
from own_suites import write_suite
from sotaque.engine.pace import Settings
from sotaque.errors import DataError, Fatal, UsageError
from sotaque.evaluate.evaluate import Desk, evaluate
from sotaque.evaluate.price import Metered, Price, Tariff, estimate, read_prices
from sotaque.evaluate.questions import pose
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.models.model import ServedModel
from sotaque.records import RunSpec, Usage
from sotaque.suites.suite import load_suite

PRICES = """\
currency = "BRL"

[prices."vllm/toy"]
prompt = 1000.0
completion = 10000.0
"""


@pytest.mark.parametrize(
    ("price", "usage", "cost"),
    [
        (Price(prompt=2, completion=8), Usage(prompt=1_000_000), 2.0),
        (Price(prompt=2, completion=8), Usage(completion=500_000), 4.0),
        (Price(prompt=2, completion=8), Usage(prompt=1_000_000, cached=600_000), 2.0),
        (Price(prompt=2, completion=8, cached=0.5), Usage(prompt=1_000_000, cached=600_000), 1.1),
        (Price(prompt=2, completion=8, cached=0), Usage(prompt=10, cached=600_000), 0.0),
        (Price(prompt=2, completion=8), Usage(completion=100, reasoning=90), 0.0008),
    ],
)
def test_a_price_is_per_million_tokens_and_reasoning_is_part_of_the_completion(price, usage, cost):
    assert price.of(usage) == pytest.approx(cost)


def test_a_price_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text(PRICES, encoding="utf-8")
    found = read_prices(tmp_path / "prices.toml")
    assert (found.currency, found.prices["vllm/toy"]) == ("BRL", Price(prompt=1000, completion=10000))


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ('currency = "BRL"', "prices", "required"),
        (PRICES.replace("completion", "completions"), "prices.vllm/toy", ""),
        (PRICES.replace("1000.0", "-1"), "prices.vllm/toy.prompt", "greater than or equal to 0"),
        (PRICES.replace("1000.0", '"caro"'), "prices.vllm/toy.prompt", "number"),
        ("currency = BRL", "", "line 1"),
    ],
)
def test_a_broken_price_file_is_refused_with_its_place(text: str, place: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as refused:
        read_prices(file)
    assert str(file) in refused.value.message
    assert place in refused.value.place
    assert said in refused.value.message
    assert "currency" in refused.value.remedy


def test_a_missing_price_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"prices\.toml"):
        read_prices(tmp_path / "prices.toml")


def test_an_estimate_counts_requests_and_says_the_most_they_can_take(tmp_path: Path) -> None:
    suite = load_suite(write_suite(tmp_path / "contas"))
    spec = RunSpec(suite="contas", model="openai/toy", repeat=2)
    asking = pose(suite, spec, open_model("vllm/toy"))
    found = estimate(asking, Tariff(Price(prompt=1, completion=1), "BRL"))
    assert found.requests == 16
    assert found.completion_tokens_at_most == 16 * 32
    size = sum(len(m.content.encode()) for q in asking.questions for m in q.prompt.request.messages)
    assert found.prompt_tokens == round(size / 3)
    assert found.prompt_tokens_at_most == size + 16 * 64
    assert found.cost == pytest.approx((found.prompt_tokens + 16 * 32) / 1e6)
    assert found.cost_at_most == pytest.approx((size + 16 * 64 + 16 * 32) / 1e6)
    assert estimate(asking, None).cost is None


def metered(url: str, limit: float) -> Metered:
    model = open_model("vllm/toy", ModelOptions(base_url=url))
    assert isinstance(model, ServedModel)
    return Metered(model, Tariff(Price(prompt=1000, completion=10000), "BRL"), limit)


def test_a_metered_model_is_still_a_served_model() -> None:
    model = metered("http://127.0.0.1:9/v1", 1)
    assert isinstance(model, ServedModel)
    assert model.identity.name == "vllm/toy"


def test_a_spent_limit_ends_the_run_and_a_higher_one_asks_only_for_the_rest(tmp_path: Path, desk: Desk) -> None:
    folder = write_suite(tmp_path / "contas", 20)
    suite, spec = load_suite(folder), RunSpec(suite=str(folder), model="vllm/toy")
    desk = replace(desk, settings=Settings(concurrency=1, reuse=True))
    with FaultServer(always(chat("B"))) as server:  # 12 and 3 tokens: 0.042 BRL a reply
        model = metered(server.url, 0.8)
        with pytest.raises(
            Fatal, match=r"--max-cost 0\.8 BRL: 0\.\d+ is spent, and one more request may cost"
        ) as ended:
            evaluate(suite, model, spec, desk)
        assert "run again with a higher limit" in ended.value.remedy
        asked = len(server.posts)
        assert 1 <= asked < 19 and model.spent == pytest.approx(asked * 0.042)
        assert not desk.runs.exists()
        run = evaluate(suite, metered(server.url, 10.0), spec, desk)
    assert len(server.posts) == 20
    assert (run.manifest.replies.from_store, run.manifest.replies.fresh) == (asked, 20 - asked)
    assert run.manifest.usage.all_replies == Usage(prompt=240, completion=60)


def test_many_requests_at_once_do_not_pass_the_limit_together(tmp_path: Path, desk: Desk) -> None:
    """Each may cost ten times what it does; those that find no room wait for what the others leave."""
    folder = write_suite(tmp_path / "contas", 40)
    desk = replace(desk, settings=Settings(concurrency=32, reuse=True))
    with FaultServer(always(chat("B"))) as server:
        model = metered(server.url, 1.2)
        with pytest.raises(Fatal, match="--max-cost"):
            evaluate(load_suite(folder), model, RunSpec(suite=str(folder), model="vllm/toy"), desk)
        assert model.spent <= 1.2
        assert 10 < len(server.posts) < 1.2 / 0.042


@pytest.mark.parametrize("limit", [0, -1.5, float("nan")])
def test_a_limit_of_nothing_is_refused(limit: float) -> None:
    with pytest.raises(UsageError, match="no limit"):
        metered("http://127.0.0.1:9/v1", limit)


def test_a_server_that_tells_no_usage_does_not_get_round_the_limit(tmp_path: Path, desk: Desk) -> None:
    folder = write_suite(tmp_path / "contas", 20)
    desk = replace(desk, settings=Settings(concurrency=1, reuse=True))
    with FaultServer(always(chat("B", usage=False))) as server:
        with pytest.raises(Fatal, match=r"--max-cost 1 BRL: "):
            evaluate(load_suite(folder), metered(server.url, 1), RunSpec(suite=str(folder), model="vllm/toy"), desk)
    assert 0 < len(server.posts) < 5  # 32 new tokens at most: 0.32 BRL, and the prompt
