import random

import pytest
from tiny_models import build

from optional_parts import require_module
from sotaque.errors import Rejected
from sotaque.models import local_precision, local_scoring, local_tree
from sotaque.models.boundary import Split
from sotaque.models.local_network import Network, OutOfRoom

CLOSE = 2e-4
FAMILIES = [
    "llama",
    "qwen2",
    "qwen2-sliding",
    "qwen3",
    "mistral",
    "gemma",
    "gemma2",
    "gemma3",
    "gpt2",
    "phi3",
    "smollm3",
]


@pytest.fixture(autouse=True)
def one_thread():
    require_module("torch", "transformers")
    import torch

    # Threads of small steps wait on each other: with several test processes on few cores, one is ten times faster.
    torch.set_num_threads(1)


def network(kind: str, dtype: str = "float32", **changes) -> Network:
    import torch

    return Network(build(kind, **changes).to(getattr(torch, dtype)), "cpu")


def questions(seed: int, shared: int = 30, items: int = 4) -> list[Split]:
    """Items with a common beginning that is longer than the tiny models' window, options of 1 to 20 tokens."""
    draw = random.Random(seed)

    def some(size: int) -> tuple[int, ...]:
        return tuple(draw.randrange(10, 400) for _ in range(size))

    examples = some(shared)
    return [
        Split((*examples, *some(draw.randint(1, 25))), tuple(some(draw.choice([1, 2, 5, 20])) for _ in range(5)))
        for _ in range(items)
    ]


def alone(net: Network, cut: Split) -> list[float]:
    """Written independently: whole texts, no cache, no mask of ours, the last step in float64."""
    import torch

    sums = []
    for rest in cut.rests:
        with torch.no_grad():
            chances = net.net(torch.tensor([[*cut.prefix, *rest]])).logits[0].double().log_softmax(-1)
        start = len(cut.prefix)
        sums.append(sum(float(chances[start + place - 1, token]) for place, token in enumerate(rest)))
    return sums


def scored(reader: local_tree.TreeReader, cuts: list[Split]) -> list[list[float]]:
    by_cut = {each.cut: [score.logprob for score in each.scores] for each in reader.score(cuts)}
    return [by_cut[place] for place in range(len(cuts))]


def answers(scorer: local_scoring.OptionScorer, cuts: list[Split]) -> list[local_scoring.Answer]:
    return sorted(scorer.answer(cuts), key=lambda answer: answer.place)


@pytest.mark.parametrize("most", [1, 7, 40, 1000])
@pytest.mark.parametrize("kind", FAMILIES)
def test_a_tree_gives_what_reading_alone_gives_beyond_the_sliding_window(kind, most):
    net = network(kind)
    assert local_tree.objection(net) == ""
    reader = local_tree.TreeReader(net)
    reader.most = most
    for seed in range(2):
        cuts = questions(seed)
        expected = [alone(net, cut) for cut in cuts]
        assert scored(reader, cuts) == [pytest.approx(sums, abs=CLOSE) for sums in expected]


@pytest.mark.parametrize("kind", FAMILIES)
def test_each_tried_family_is_in_the_list_of_the_tried(kind):
    assert local_scoring._family(network(kind)) in local_scoring.TRIED


def test_every_distinct_token_is_read_once_and_the_examples_once_for_all_calls():
    net = network("llama")
    reader = local_tree.TreeReader(net)
    cuts = questions(3, shared=40, items=8)
    for start in range(0, 8, 2):
        list(reader.score(cuts[start : start + 2]))
    wholes = {(*cut.prefix, *rest) for cut in cuts for rest in cut.rests}
    distinct = {whole[:size] for whole in wholes for size in range(1, len(whole))}
    assert reader.read == len(distinct)


@pytest.mark.parametrize("room", [1, 3, 50])
def test_running_out_of_memory_halves_the_packs_and_loses_nothing(monkeypatch, room):
    net = network("llama")
    step = net.step

    def small(rows, *more, **options):
        if len(rows[0]) > room:
            raise OutOfRoom("cannot allocate")
        return step(rows, *more, **options)

    monkeypatch.setattr(net, "step", small)
    reader = local_tree.TreeReader(net)
    cuts = questions(4)
    assert scored(reader, cuts) == [pytest.approx(alone(net, cut), abs=CLOSE) for cut in cuts]
    assert room / 2 <= reader.most <= room


def test_items_that_one_pass_reads_share_its_time(monkeypatch):
    net = network("llama")
    ticks = iter(range(1000))
    monkeypatch.setattr(local_tree.time, "perf_counter", lambda: float(next(ticks)))
    found = list(local_tree.TreeReader(net).score(questions(3, items=4)))
    # Two looks at the clock, one second apart, for the one pass that read all four.
    assert [each.seconds for each in found] == [0.25] * 4


def test_no_memory_for_a_tree_at_all_falls_back_to_one_item_at_a_time(monkeypatch):
    net = network("llama")
    scorer = local_scoring.OptionScorer(net)

    step = net.step

    def never(rows, *more, inputs=None, **options):
        if inputs:
            raise OutOfRoom("cannot allocate")
        return step(rows, *more, **options)

    monkeypatch.setattr(net, "step", never)
    cuts = questions(5)
    for answer, cut in zip(answers(scorer, cuts), cuts, strict=True):
        assert [score.logprob for score in answer.scores] == pytest.approx(alone(net, cut), abs=CLOSE)
        assert answer.notes == ("options were scored one item at a time, from a copied cache: memory ran out",)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        ("mamba", "each option was read with its whole context"),
        ("bloom", ""),
        ("gpt-neo", ""),
    ],
)
def test_a_network_that_takes_no_tree_is_scored_another_way_and_says_so(kind, how):
    net = network(kind)
    cuts = questions(6, shared=20, items=2)
    for answer, cut in zip(answers(local_scoring.OptionScorer(net), cuts), cuts, strict=True):
        assert [score.logprob for score in answer.scores] == pytest.approx(alone(net, cut), abs=CLOSE)
        assert how in " ".join(answer.notes)
        assert answer.notes


def test_positions_that_depend_on_the_length_of_the_text_are_read_alone_beyond_it():
    rope = {"rope_type": "dynamic", "factor": 4.0, "rope_theta": 10000.0}
    net = network("llama", rope_parameters=rope)
    net.net.config.max_position_embeddings = 60
    net = Network(net.net, "cpu")
    assert net.stretches_beyond == 60
    short, long = questions(1, shared=20, items=1)[0], questions(2, shared=80, items=1)[0]
    scorer = local_scoring.OptionScorer(net)
    net.window = None
    first, second = answers(scorer, [short, long])
    assert first.notes == ()
    assert second.notes == ("each option was read with its whole context: positions depend on the length of the text",)


def test_a_split_that_cannot_be_read_does_not_spoil_its_neighbours():
    net = network("gpt2-short")
    good = Split((1, 2, 3), ((4, 5), (6,)))
    long = Split(tuple(range(40)), ((1,),))
    strange = Split((1, 2), ((4000,),))
    found = answers(local_scoring.OptionScorer(net), [long, good, strange])
    assert isinstance(found[0].scores, Rejected) and "window is 32" in found[0].scores.message
    assert [score.logprob for score in found[1].scores] == pytest.approx(alone(net, good), abs=CLOSE)
    assert isinstance(found[2].scores, Rejected) and "token 4000" in found[2].scores.message


def test_a_thousand_options_and_one_of_two_thousand_tokens_cost_their_own_tokens():
    net = network("llama")
    reader = local_tree.TreeReader(net)
    draw = random.Random(8)
    context = tuple(draw.randrange(420) for _ in range(100))
    many = Split(context, tuple((20 + place % 400, place // 400, 7) for place in range(1000)))
    long = Split((*context, 3), (tuple(draw.randrange(420) for _ in range(2000)), (1,)))
    list(reader.score([many]))
    heads = 400
    assert reader.read == 100 + heads + 1000
    found = scored(reader, [long])
    assert reader.read == 100 + heads + 1000 + 1 + 1999
    assert found == [pytest.approx(alone(net, long), abs=2e-3)]


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_reduced_precision_says_which_items_it_may_have_decided(dtype):
    net = network("llama", dtype)
    cuts = questions(9)
    drift = local_precision.measured_drift(net, cuts)
    assert drift.dtype == dtype and drift.against == "float32"
    assert 1e-4 < drift.gap < 5
    scorer = local_scoring.OptionScorer(net)
    tight = Split(cuts[0].prefix, (cuts[0].rests[0], cuts[0].rests[1], cuts[0].rests[0]))
    for answer in answers(scorer, [*cuts, tight]):
        sums = sorted({score.logprob for score in answer.scores}, reverse=True)
        near = sums[0] - sums[1] < scorer._drift.gap
        assert any("margin below" in note for note in answer.notes) == near


def test_without_memory_for_a_float32_copy_the_record_says_what_was_compared(monkeypatch):
    net = network("llama", "bfloat16")
    monkeypatch.setattr(net, "free_bytes", lambda: 1000)
    drift = local_precision.measured_drift(net, questions(9))
    assert drift.against == "the same weights read another way"
    assert drift.gap > 0


def test_float32_measures_nothing_and_notes_nothing():
    net = network("llama")
    assert local_precision.measured_drift(net, questions(9)).gap == 0
    assert all(not answer.notes for answer in answers(local_scoring.OptionScorer(net), questions(9)))


def out_of_memory_once(function, monkeypatch, owner, name, turn=1):
    """The ``turn``-th call of a function runs out of memory, as torch says it."""
    import torch

    calls = iter(range(1, 10_000))

    def failing(*given, **options):
        if next(calls) == turn:
            raise torch.OutOfMemoryError("out of memory")
        return function(*given, **options)

    monkeypatch.setattr(owner, name, failing)


@pytest.mark.parametrize("turn", [1, 2, 3])
@pytest.mark.parametrize("part", ["picked", "masks", "keep"])
def test_memory_that_runs_out_anywhere_in_a_pack_costs_no_answer(monkeypatch, part, turn):
    net = network("llama")
    scorer = local_scoring.OptionScorer(net)
    cuts = questions(4)
    answers(scorer, cuts[:1])
    scorer._tree.most = 60
    if part == "picked":
        out_of_memory_once(net.picked, monkeypatch, net, "picked", turn)
    elif part == "masks":
        out_of_memory_once(local_tree.masks, monkeypatch, local_tree, "masks", turn)
    else:
        # The first call only shortens the stem.
        stem = scorer._tree._stem
        out_of_memory_once(stem.keep, monkeypatch, stem, "keep", turn + 1)
    for answer, cut in zip(answers(scorer, cuts), cuts, strict=True):
        assert [score.logprob for score in answer.scores] == pytest.approx(alone(net, cut), abs=CLOSE)


def test_memory_that_ran_out_while_trying_is_no_lasting_verdict(monkeypatch):
    net = network("llama")
    scorer = local_scoring.OptionScorer(net)
    out_of_memory_once(net.picked, monkeypatch, net, "picked")
    monkeypatch.setattr(
        local_tree.TreeReader, "most", property(lambda self: 1, lambda self, value: None), raising=False
    )
    first = answers(scorer, questions(5)[:1])[0]
    assert first.notes == ("options were scored one item at a time, from a copied cache: memory ran out",)
    assert answers(scorer, questions(5)[1:])[0].notes == ()


def test_without_memory_to_measure_a_dtype_items_are_scored_and_say_so(monkeypatch):
    net = network("llama", "bfloat16")

    def never(*_):
        raise OutOfRoom("cannot allocate")

    monkeypatch.setattr(local_precision, "plain_score", never)
    found = answers(local_scoring.OptionScorer(net), questions(9))
    assert all(answer.notes == ("what bfloat16 changes could not be measured",) for answer in found)


def test_a_batch_that_cannot_be_read_leaves_the_measuring_to_the_next():
    net = network("gpt2-short", "bfloat16")
    scorer = local_scoring.OptionScorer(net)
    answers(scorer, [Split(tuple(range(40)), ((1,),))])
    assert scorer._drift is None
    answers(scorer, [Split((1, 2, 3), ((4, 5), (6,)))])
    assert scorer._drift.gap > 0
