"""The same Brasilidade questions on the same model in lm-evaluation-harness: same accuracy, weighted F1 and numbers.

What is compared: for options, the summed log-probability of each, the accuracies by sum, by character and by byte, and
weighted F1; for generated answers, the texts, and accuracy and weighted F1. The peer has no reading of classes of its
own; the exported task brings one (``lm_eval_reading``): the only class that the reply names. Ours knows more (case,
quotes, an announced answer), so a test holds that no reply here is read by one of the two only.
"""

import pytest

from lm_eval_sides import Seam, Sides, both_sides, reply_of, seam, shared_folder
from sotaque.records import Choose, Reply, RunSpec

CLOSE = 1e-3
PROB = ("br_expr_def_prob", "pt_der_comp_prob", "pt_word_class_prob")
GEN = ("br_region_exp_gen", "pt_der_comp_gen", "pt_word_class_gen")
SPECS = (
    RunSpec("brasilidade", "local", tasks=PROB, first=20),
    RunSpec("brasilidade", "local", tasks=GEN, first=20, rendering="text", shots=1, max_tokens=12),
)
NAMES = {"accuracy": "acc", "accuracy_per_character": "acc_norm", "accuracy_per_byte": "acc_bytes"}

# Texts whose seam between context and option is not where a token ends.
SEAMS = {
    "a clean seam": Choose("Quem viaja muito sente saud", ("ade", "ades", "ar")),
    "a space at the end": Choose("A resposta certa é ", ("esta", "aquela outra", "não sei")),
    "a line break at the end": Choose("Provérbio:\n", ("quem espera", "água mole")),
    "a token over the seam": Choose("o meu gu", ("arda-chuva", "ia", "ri")),
    "the line break itself": Choose("Provérbio:", ("\n",)),
    "the token before the seam": Choose("o meu", (" guarda-chuva", " guia", " guri")),
}


@pytest.fixture(scope="session")
def sides(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    docs = [
        {"item": name, "context": request.context, "choices": list(request.continuations), "gold": 0}
        for name, request in SEAMS.items()
    ]
    return both_sides(SPECS, shared_folder(tmp_path_factory, "parity"), {"seams": docs})


@pytest.mark.parametrize("task", [*PROB, *GEN])
def test_accuracy_and_weighted_f1_are_the_same(task: str, sides: Sides) -> None:
    assert len(sides.samples[task]) == 20
    compared = dict(NAMES) | {"weighted_f1": "f1" if task in PROB else "weighted_f1"}
    found = {name: sides.metric(task, name) for name in sides.summaries[task].metrics}
    assert found == pytest.approx({name: sides.theirs(task, compared[name]) for name in found}, abs=1e-12)


@pytest.mark.parametrize("task", PROB)
def test_every_option_has_the_same_log_probability(task: str, sides: Sides) -> None:
    gaps = {seam.item: seam.gap for seam in sides.seams(task)}
    assert len(gaps) == 20
    assert {item: gap for item, gap in gaps.items() if not gap < CLOSE} == {}


@pytest.mark.parametrize("task", PROB)
def test_no_tie_decides_an_item(task: str, sides: Sides) -> None:
    """We give a tie its share, the peer takes the first of the tied: only without ties do accuracies have to agree."""
    assert sides.summaries[task].ties == 0


@pytest.mark.parametrize("task", GEN)
def test_generated_texts_are_the_same(task: str, sides: Sides) -> None:
    texts = [(reply_of(sample).text, beside["replies"][0]) for sample, beside in sides.pairs(task)]
    assert [ours for ours, _ in texts] == [theirs for _, theirs in texts]
    assert any(ours for ours, _ in texts)


@pytest.mark.parametrize("task", GEN)
def test_no_reply_is_read_by_one_side_only(task: str, sides: Sides) -> None:
    only_one = {
        sample.item: (reply_of(sample).text, sample.score.picked, beside["values"]["weighted_f1"][1])
        for sample, beside in sides.pairs(task)
        if (-1 if sample.score.picked is None else sample.order.index(sample.score.picked))
        != beside["values"]["weighted_f1"][1]
    }
    assert only_one == {}


# ---------------------------------------------------------------- where context and option meet


@pytest.fixture(scope="session")
def seams(sides: Sides) -> dict[str, Seam]:
    """What both made of ``SEAMS``."""
    answers = dict(sides.model.answer(list(SEAMS.values())))
    found = {}
    for (name, request), beside in zip(SEAMS.items(), sides.peer["seams"]["samples"], strict=True):
        reply = answers[request]
        assert isinstance(reply, Reply)
        found[name] = seam(sides.prompter, name, request, reply, beside)
    return found


@pytest.mark.parametrize("task", PROB)
def test_both_cut_every_item_at_the_same_token(task: str, sides: Sides) -> None:
    """Where they do not, the numbers are of different tokens, and such items would have to be compared apart."""
    assert [seam.item for seam in sides.seams(task) if not seam.alike] == []


@pytest.mark.parametrize("name", ["a clean seam", "a space at the end"])
def test_a_space_at_the_end_of_the_context_belongs_to_the_option_on_both_sides(
    name: str, seams: dict[str, Seam]
) -> None:
    assert seams[name].alike
    assert seams[name].gap < CLOSE


def test_the_peer_scores_a_line_break_at_the_end_of_the_context_with_every_option(seams: dict[str, Seam]) -> None:
    found, (line_break,) = seams["a line break at the end"], seams["the line break itself"].their_logprobs
    assert not found.alike
    assert found.logprobs == pytest.approx([value - line_break for value in found.their_logprobs], abs=CLOSE)


def test_a_token_over_the_seam_is_scored_whole_here_and_cut_by_count_there(seams: dict[str, Seam]) -> None:
    """The peer drops as many tokens as the bare context has: of "guarda-chuva" it scores "a-chuva", after " g", "u".

    Asked with our cut, it finds our numbers.
    """
    found, at_our_cut = seams["a token over the seam"], seams["the token before the seam"]
    assert found.their_texts == ["a-chuva", "ia", "uri"]
    assert found.texts == [" guarda-chuva", " guia", " guri"]
    assert at_our_cut.alike
    assert found.logprobs == pytest.approx(at_our_cut.their_logprobs, abs=CLOSE)
    assert found.gap > 1
