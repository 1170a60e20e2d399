"""Baselines: the rules themselves."""

import pytest

from sotaque.errors import Rejected, UnknownModel
from sotaque.models.baselines import RULES, baseline
from sotaque.models.model import BatchModel
from sotaque.records import Ability, Choose, Guess, ItemView, OptionScore, Reply

VIEW = ItemView(("ir", "avô", "vir", "vou"), (3, 1, 1, 2), (0.2, 0.4, 0.4, 0.0), gold=3)


@pytest.mark.parametrize(
    ("name", "picked"),
    [
        ("chance", [0, 1, 2, 3]),
        ("first", [0]),
        ("longest", [1, 2, 3]),
        ("shortest", [0]),
        ("rarest", [1, 2]),
        ("majority", [1, 2]),
        ("oracle", [3]),
    ],
)
def test_the_intended_options_share_the_top(name: str, picked: list[int]):
    [(_, reply)] = baseline(name).answer([Guess(VIEW)])
    assert isinstance(reply, Reply)
    assert reply.scores == tuple(OptionScore(0.0 if at in picked else -1.0, 1) for at in range(4))


@pytest.mark.parametrize("name", RULES)
def test_a_baseline_is_a_stable_batch_model_with_a_version(name: str):
    model = baseline(f"baseline/{name}")
    model.prepare(frozenset({Ability.GUESS}))
    assert isinstance(model, BatchModel)
    assert (model.identity.name, model.identity.details, model.identity.stable) == (
        f"baseline/{name}",
        {"version": "1"},
        True,
    )
    assert model.abilities == {Ability.GUESS}
    assert model.needs_gold == (name == "oracle")


def test_an_oracle_without_gold_picks_nothing_in_particular():
    view = ItemView(VIEW.options, VIEW.counts, VIEW.gold_rates)
    [(_, reply)] = baseline("oracle").answer([Guess(view)])
    assert isinstance(reply, Reply)
    assert {score.logprob for score in reply.scores or ()} == {0.0}


def test_a_prompt_is_rejected_not_answered():
    [(_, reply)] = baseline("first").answer([Choose("Era uma vez", (" um rei",))])
    assert isinstance(reply, Rejected)
    assert "reads no prompt" in reply.message
    assert baseline("first").preview(Choose("", ())) == reply.message


def test_a_preview_marks_what_would_be_picked():
    assert baseline("shortest").preview(Guess(VIEW)).split("\n")[1:] == ["* ir", "  avô", "  vir", "  vou"]


@pytest.mark.parametrize(
    ("name", "remedy"), [("longst", "did you mean 'baseline/longest'?"), ("x", "baselines: chance")]
)
def test_an_unknown_baseline_is_named_with_what_there_is(name: str, remedy: str):
    with pytest.raises(UnknownModel, match=f"there is no baseline '{name}'") as caught:
        baseline(f"baseline/{name}")
    assert remedy in caught.value.remedy
