"""What baselines see, and what they are worth on the published data."""

from pathlib import Path

import pytest

from sotaque.models.baselines import RULES, baseline
from sotaque.prompts.order import order_for
from sotaque.prompts.render import plan, render
from sotaque.prompts.views import crowd, guess, view
from sotaque.records import Guess, Item, Option, RunSpec
from sotaque.suites.items import load_items
from sotaque.suites.suite import load_suite


def item(name: str, options: tuple[str, ...], gold: int) -> Item:
    return Item(name, {"question": "?"}, tuple(Option(text) for text in options), gold=gold)


ITEMS = (item("1", ("گلي", "آب"), 0), item("2", ("گلی", "نان"), 0), item("3", ("نمک", "آب", "خاک"), 2))


def test_options_are_counted_on_their_keys_over_the_whole_task():
    counted = crowd(ITEMS, "fa")
    assert view(counted, ITEMS[0], (0, 1)).counts == (2, 2)
    assert view(counted, ITEMS[2], (2, 1, 0)).counts == (1, 2, 1)


def test_gold_rates_are_shares_of_positions_as_shown():
    assert crowd(ITEMS, "fa").gold_rates == (2 / 3, 0.0, 1 / 3)
    shuffled = crowd(ITEMS, "fa", shuffle=1)
    golds = [order_for(one, 1).index(one.gold or 0) for one in ITEMS]
    assert shuffled.gold_rates == tuple(golds.count(position) / 3 for position in range(3))


def test_a_view_follows_the_order_and_hides_the_gold():
    counted = crowd(ITEMS, "fa")
    seen = view(counted, ITEMS[2], (2, 0, 1))
    assert (seen.options, seen.gold) == (("خاک", "نمک", "آب"), None)
    assert view(counted, ITEMS[2], (2, 0, 1), oracle=True).gold == 0


def test_a_guess_keeps_the_hash_and_repeat_of_the_prompt():
    suite = load_suite("masalbench")
    loaded = load_items(suite, "bundled")
    made = plan(suite.tasks["contextual"], loaded, RunSpec("masalbench", "m"), "chat")
    one = loaded.items["contextual"][0]
    prompt = render(made, one, order_for(one, None), repeat=2)
    guessed = guess(prompt, crowd(loaded.items["contextual"], "fa"))
    assert isinstance(guessed.request, Guess)
    assert (guessed.prompt_hash, guessed.order, guessed.request.repeat) == (prompt.prompt_hash, prompt.order, 2)


def credit(name: str, items: tuple[Item, ...]) -> float:
    """1/k where the gold is among the k options at the top."""
    model, counted, total = baseline(name), crowd(items, "fa"), 0.0
    requests = [Guess(view(counted, one, order_for(one, None), oracle=model.needs_gold)) for one in items]
    for one, (_, reply) in zip(items, model.answer(requests), strict=True):
        scores = [score.logprob for score in reply.scores]
        top = [at for at, score in enumerate(scores) if score == max(scores)]
        total += (one.gold in top) / len(top)
    return total / len(items)


@pytest.mark.parametrize(
    ("name", "contextual", "cross_cultural"),
    [
        ("chance", 0.25, 0.5),
        ("first", 0.255, 373 / 700),
        ("longest", 0.9035, 338 / 700),
        ("shortest", 0.013, 362 / 700),
        ("rarest", 0.25, 0.6864),
        ("majority", 0.256, 373 / 700),
        ("oracle", 1.0, 1.0),
    ],
)
def test_baselines_on_the_published_data(official: Path, name: str, contextual: float, cross_cultural: float):
    items = load_items(load_suite("masalbench"), str(official / "masalbench")).items
    assert credit(name, items["contextual"]) == pytest.approx(contextual, abs=5e-5)
    assert credit(name, items["cross_cultural"]) == pytest.approx(cross_cultural, abs=5e-5)


def test_no_baseline_but_the_oracle_is_far_from_chance_on_our_own_items():
    items = load_items(load_suite("masalbench"), "bundled").items
    for name in RULES.keys() - {"oracle"}:
        assert credit(name, items["contextual"]) == pytest.approx(0.25, abs=0.1), name
        assert credit(name, items["cross_cultural"]) == pytest.approx(0.5, abs=0.1), name
