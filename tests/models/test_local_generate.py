import itertools
import os
import signal
import sys
from pathlib import Path

import pytest
from tiny_models import CHAT, save_model

from optional_parts import require_module
from sotaque.errors import Rejected
from sotaque.models import generation_batch
from sotaque.models.local_network import OutOfRoom
from sotaque.models.next_token import Top
from sotaque.models.transformers_local import TransformersModel
from sotaque.records import Ability, Finish, Generate, Message, Reply, Sampling

FEW_SHOT = (
    "pergunta: água mole em pedra dura? resposta: tanto bate até que fura\npergunta: quem vê cara? resposta: não vê\n"
)
TEXTS = (
    "quem vê cara",
    "a",
    "água mole em pedra dura tanto bate até que fura, e a saudade aperta, a saudade fica; saudades da saudade " * 2,
    "می‌روم خانه و می‌خوانم",
    "هر که بامش بیش",
    "کتاب را می‌",
    "👩‍👩‍👧 que dia 👍🏽",
    "resposta: sim, não, talvez.",
    "coraça\u0303o e cafe\u0301",
    "saudade " * 30,
    "quem",
    "o coração da cara",
    "quem vê cara",
    "pedra",
    "خانه",
    "  dois espaços",
)
KINDS = ("llama", "qwen2", "mistral", "gemma", "gemma2", "gpt2")


@pytest.fixture(autouse=True)
def own_models(tmp_path_factory, monkeypatch):
    require_module("torch", "transformers", "accelerate")
    import torch

    torch.set_num_threads(1)
    monkeypatch.setenv("SOTAQUE_MODELS", str(tmp_path_factory.mktemp("models")))


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A model folder per kind, made once."""
    made: dict[tuple, Path] = {}

    def folder(kind="llama", **tokenizer) -> Path:
        key = (kind, *sorted(tokenizer.items()))
        if key not in made:
            made[key] = save_model(tmp_path_factory.mktemp(kind), kind, **tokenizer)
        return made[key]

    return folder


def loaded(folder: Path, **options) -> TransformersModel:
    model = TransformersModel(str(folder), **options)
    model.prepare(frozenset(Ability))
    model._writing()  # loads the weights and tries what the network can do
    return model


def replies(model: TransformersModel, requests) -> list:
    answers = dict(model.answer(requests))
    assert len(answers) == len(requests)
    return [answers[request] for request in requests]


def continued(texts, sampling=None) -> list[Generate]:
    # The same text twice is two repeats: the engine never asks one request twice.
    return [Generate(sampling or Sampling(24), text=text, repeat=place) for place, text in enumerate(texts)]


def gist(answer):
    """All of a reply but the time it took."""
    return (answer.text, answer.finish, answer.usage, answer.notes) if isinstance(answer, Reply) else str(answer)


def gists(answers) -> list:
    return [gist(answer) for answer in answers]


def one_by_one(model, requests) -> list:
    return gists(replies(model, [request])[0] for request in requests)


def watched(model, monkeypatch, before) -> None:
    """``before(rows)`` is called with the rows of every step."""
    network = model._loaded()
    step = network.step

    def watching(rows, cache=None, **options):
        before(rows)
        return step(rows, cache, **options)

    monkeypatch.setattr(network, "step", watching)


# ---------------------------------------------------------------- one text, whatever is beside it


@pytest.mark.parametrize("front", ["", FEW_SHOT], ids=["nothing shared", "shared examples"])
@pytest.mark.parametrize("kind", KINDS)
def test_sixteen_at_once_write_what_each_writes_alone(folders, kind, front):
    requests = continued([front + text for text in TEXTS])
    model = loaded(folders(kind))
    together = gists(replies(model, requests))
    assert together == one_by_one(loaded(folders(kind)), requests)
    assert len({text for text, *_ in together}) >= 12
    assert all(notes == () for *_, notes in together)


@pytest.mark.parametrize("kind", ["llama", "mistral", "gemma2", "gpt2"])
def test_what_is_written_together_is_transformers_own_greedy_text(folders, kind):
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from sotaque.models.local_library import quiet

    with quiet():
        folder = folders(kind, bos=False)
        net = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
        for request, reply in loaded(folder).answer(continued(FEW_SHOT + text for text in TEXTS[:6])):
            ids = tokenizer(request.text, return_tensors="pt")["input_ids"]
            out = net.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=24, do_sample=False)
            assert reply.text == tokenizer.decode(out[0][ids.shape[1] :], skip_special_tokens=True), request.text


def test_chats_share_the_head_of_the_template_and_write_the_same(folders):
    model = loaded(folders(template=CHAT))
    turns = [(Message("system", "Responda só com a letra."), Message("user", text)) for text in TEXTS]
    requests = [Generate(Sampling(12), chat, repeat=place) for place, chat in enumerate(turns)]
    assert gists(replies(model, requests)) == one_by_one(model, requests)


def test_a_network_with_states_is_written_one_at_a_time_and_says_so(folders):
    requests = continued(TEXTS[:4], Sampling(8))
    model = loaded(folders("mamba"))
    together = replies(model, requests)
    assert gists(together) == one_by_one(model, requests)
    assert all("written one at a time: it has layers of another kind" in reply.notes[0] for reply in together)


def test_sampled_texts_do_not_depend_on_their_neighbours(folders):
    requests = continued(TEXTS, Sampling(16, temperature=1.0, top_p=0.9, seed=5))
    model = loaded(folders())
    together = gists(replies(model, requests))
    assert together == one_by_one(model, requests)
    assert together[0] != together[12]  # the same prompt, another repeat


def test_limits_and_stop_strings_end_each_text_by_itself(folders):
    model = loaded(folders(bos=False))
    whole = [reply.text for reply in replies(model, continued(TEXTS, Sampling(40)))]
    requests, expected = [], []
    for place, (text, full) in enumerate(zip(TEXTS, whole, strict=True)):
        stop = full[place + 1 : place + 4]
        sampling = Sampling(40, stop=(stop, "zzzz")) if place % 2 else Sampling(2 * place)
        requests.append(Generate(sampling, text=text, repeat=place))
        expected.append((full[: full.index(stop)], Finish.STOP) if place % 2 else (None, Finish.LENGTH))
    answers = replies(model, requests)
    assert gists(answers) == one_by_one(model, requests)
    for place, (reply, (text, finish)) in enumerate(zip(answers, expected, strict=True)):
        assert reply.finish is finish
        if text is None:
            assert reply.usage.completion == 2 * place
        else:
            assert reply.text == text
    assert len({reply.usage.completion for reply in answers}) > 8


def test_seconds_are_those_of_the_text_not_of_the_batch(folders):
    model = loaded(folders())
    short, long = replies(model, [Generate(Sampling(2), text="quem"), Generate(Sampling(200), text="quem vê")])
    assert 0 < short.seconds < long.seconds / 4


# ---------------------------------------------------------------- rows that cannot be written


def test_a_prompt_too_long_for_the_window_spoils_no_other(folders):
    model = loaded(folders("gpt2-short"))
    requests = continued(["quem vê", "saudade " * 40, "água", "x" * 29], Sampling(4))
    good, long, other, last = replies(model, requests)
    assert isinstance(long, Rejected)
    assert "window is 32" in str(long)
    assert isinstance(last, Rejected)
    assert [gist(good), gist(other)] == one_by_one(model, [requests[0], requests[2]])


def test_a_token_that_gives_no_numbers_spoils_its_own_text_only(folders):
    import torch

    model = loaded(folders("qwen2"))
    sound = continued(["água mole", "quem vê cara", "pedra dura", "coração", "quem vê"], Sampling(12))
    expected = gists(replies(model, sound))
    bad = model._prepared()[1].ids("#")[-1]
    with torch.no_grad():
        model._loaded().net.get_input_embeddings().weight[bad] = float("nan")
    broken = [Generate(Sampling(12), text=text) for text in ("#", "quem # vê", "água mole em #")]
    answers = replies(model, [broken[0], *sound[:2], broken[1], *sound[2:], broken[2]])
    refused = [answer for answer in answers if isinstance(answer, Rejected)]
    assert len(refused) == 3
    assert all("NaN" in str(answer) for answer in refused)
    assert gists(answer for answer in answers if isinstance(answer, Reply)) == expected
    # The slots of the refused are used again.
    assert gists(replies(model, sound)) == expected


def test_a_token_beyond_the_vocabulary_spoils_its_own_text_only(folders):
    model = loaded(folders())
    tokenizer = model._prepared()[1]._tokenizer
    tokenizer.add_tokens([f"<novo{number}>" for number in range(420 - len(tokenizer) + 1)])
    good, bad = replies(model, continued(["quem vê", f"quem {tokenizer.convert_ids_to_tokens(420)}"], Sampling(4)))
    assert isinstance(good, Reply)
    assert "outside the network's vocabulary" in str(bad)


@pytest.mark.parametrize("most", [1, 2, 5])
def test_running_out_of_memory_halves_the_batch(folders, monkeypatch, most):
    requests = continued([FEW_SHOT + text for text in TEXTS])
    expected = one_by_one(loaded(folders()), requests)
    model, refused, written = loaded(folders()), [], []

    def small(rows):
        if len(rows) > most:
            refused.append(len(rows))
            raise OutOfRoom("cannot allocate")
        written.append(len(rows))

    watched(model, monkeypatch, small)
    assert gists(replies(model, requests)) == expected
    assert refused
    assert max(written) == most or most == 5 and max(written) >= 4


def test_memory_that_runs_out_in_the_middle_loses_nothing(folders, monkeypatch):
    requests = continued(TEXTS, Sampling(24, temperature=0.7, seed=1))
    expected = one_by_one(loaded(folders()), requests)
    model, steps = loaded(folders()), []

    def sometimes(rows):
        steps.append(len(rows))
        if len(steps) in (12, 23, 24, 50):
            raise OutOfRoom("cannot allocate")

    watched(model, monkeypatch, sometimes)
    assert gists(replies(model, requests)) == expected


def test_a_text_without_room_even_alone_is_refused_and_the_others_are_written(folders, monkeypatch):
    requests = continued([*TEXTS[:5], "saudade " * 100])  # over a hundred tokens, the others under ninety
    expected = one_by_one(loaded(folders()), requests[:5])
    model = loaded(folders())

    def narrow(rows):
        if len(rows[0]) > 90:
            raise OutOfRoom("cannot allocate")

    watched(model, monkeypatch, narrow)
    *good, bad = replies(model, requests)
    assert gists(good) == expected
    assert "no memory for a prompt of" in str(bad)


def test_texts_beyond_the_memory_for_the_cache_wait(folders, monkeypatch):
    requests = continued(TEXTS[:8])
    expected = one_by_one(loaded(folders()), requests)
    monkeypatch.setattr(generation_batch, "CACHE_BYTES", 300 * loaded(folders())._loaded().cache_bytes)
    model, sizes = loaded(folders()), []
    watched(model, monkeypatch, lambda rows: sizes.append(len(rows)))
    assert gists(replies(model, requests)) == expected
    assert 1 < max(sizes) < 8


# ---------------------------------------------------------------- near ties


def tied(folder: Path) -> TransformersModel:
    """A network whose every second token of the vocabulary has a twin: all leads between twins are noise."""
    import torch

    model = loaded(folder)
    weight = model._loaded().net.get_output_embeddings().weight
    torch.manual_seed(3)
    with torch.no_grad():
        weight[1::2] = weight[0::2] + 1e-7 * torch.randn_like(weight[0::2])
    return model


def test_near_ties_are_decided_the_same_way_in_every_batch(folders, monkeypatch):
    model = tied(folders())
    requests = continued([FEW_SHOT + text for text in TEXTS])
    read = []
    watched(model, monkeypatch, lambda rows: read.append(len(rows[0])))
    alone = one_by_one(model, requests)
    assert gists(replies(model, requests)) == alone
    assert gists(replies(model, requests[3:9])) == alone[3:9]
    assert max(read) > 24  # whole texts were read again
    assert all(notes == () for *_, notes in alone)


def test_a_tie_is_decided_by_reading_the_text_alone(folders, monkeypatch):
    model = loaded(folders(bos=False))
    [request] = continued(["quem vê cara"])
    expected = replies(model, [request])[0].text
    tops, turns = generation_batch.tops, itertools.cycle(["batch", "alone"])
    # The batch always names token 0, without a lead: what is written must come from the second reading alone.
    monkeypatch.setattr(
        generation_batch, "tops", lambda logits: [Top(0, 0.0)] if next(turns) == "batch" else tops(logits)
    )
    assert replies(model, [request])[0].text == expected


def test_in_half_precision_a_near_tie_is_noted(folders):
    model = loaded(folders(), dtype="bfloat16")
    answers = replies(model, continued(TEXTS, Sampling(40)))
    notes = [reply.notes for reply in answers]
    assert any(notes)
    assert all(len(note) <= 1 for note in notes)
    assert "too close to call in this precision" in next(note[0] for note in notes if note)
    again = one_by_one(model, continued(TEXTS, Sampling(40)))
    for (text, *_), reply in zip(again, answers, strict=True):
        assert text == reply.text or reply.notes


# ---------------------------------------------------------------- work that is not done twice


def test_a_common_beginning_is_read_once_and_kept_for_the_next_batch(folders, monkeypatch):
    model, read = loaded(folders()), []
    watched(model, monkeypatch, lambda rows: read.append(len(rows) * len(rows[0])))
    prefix = len(model._prepared()[1].ids(FEW_SHOT * 4))
    replies(model, continued([FEW_SHOT * 4 + text for text in TEXTS], Sampling(1)))
    first = sum(read)
    read.clear()
    replies(model, continued([FEW_SHOT * 4 + text for text in reversed(TEXTS)], Sampling(1)))
    assert prefix > 100
    assert first < 2 * prefix + sum(read)
    assert sum(read) < first - prefix // 2


def test_one_long_text_does_not_keep_the_others_computing(folders, monkeypatch):
    model, sizes = loaded(folders(bos=False)), []
    watched(model, monkeypatch, lambda rows: sizes.append(len(rows)))
    requests = [
        Generate(Sampling(200 if place == 3 else 5), text=text, repeat=place) for place, text in enumerate(TEXTS)
    ]
    replies(model, requests)
    assert sizes.count(1) > 190
    assert sum(sizes) < 16 * 5 + 200 + 60


def test_a_text_that_ends_makes_room_for_the_next(folders, monkeypatch):
    model, sizes = loaded(folders()), []
    watched(model, monkeypatch, lambda rows: sizes.append(len(rows)) if len(rows[0]) == 1 else None)
    requests = continued([*TEXTS, *TEXTS])
    requests = [Generate(Sampling(4 + place % 7), text=one.text, repeat=place) for place, one in enumerate(requests)]
    expected = one_by_one(loaded(folders()), requests)
    assert gists(replies(model, requests)) == expected
    assert max(sizes) == 16
    assert len(sizes) < 40


def test_replies_come_as_soon_as_they_are_finished(folders, monkeypatch):
    model, steps = loaded(folders(bos=False)), []
    watched(model, monkeypatch, lambda rows: steps.append(len(rows)))
    requests = [Generate(Sampling(3 if place == 2 else 300), text=text) for place, text in enumerate(TEXTS[:6])]
    answers = model.answer(requests)
    request, reply = next(answers)
    assert request is requests[2]
    assert reply.usage.completion == 3
    assert len(steps) < 15
    answers.close()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to oneself")
def test_an_interrupt_ends_a_batch_within_a_step_and_the_next_batch_is_sound(folders, monkeypatch, request):
    model, steps = loaded(folders(bos=False)), []
    requests = continued([FEW_SHOT + text for text in TEXTS], Sampling(300))
    expected = one_by_one(loaded(folders(bos=False)), continued(FEW_SHOT + text for text in TEXTS))

    def interrupt(rows):
        steps.append(len(rows))
        if len(steps) == 20:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    watched(model, monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        list(model.answer(requests))
    assert len(steps) <= 21
    assert gists(replies(model, continued(FEW_SHOT + text for text in TEXTS))) == expected
