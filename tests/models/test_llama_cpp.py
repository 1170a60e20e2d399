"""gguf/PATH in this process, with a real model.

llama-cpp-python compiles for 5 to 15 minutes, so the checks do not install it: these tests are skipped where it is not
there, also under SOTAQUE_REQUIRE_ALL. To run them: pip install '.[gguf]'.
"""

import ctypes
import importlib.util
import os
import signal
import threading
import time

import numpy as np
import pytest
from gguf_files import changed_copy, write_gguf

from optional_parts import require_module
from sotaque.errors import Rejected, UnknownModel, UsageError
from sotaque.evaluate.questions import pose
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.models.llama_cpp import LlamaCppModel
from sotaque.models.model import BatchModel
from sotaque.models.prepare import GGUF_SHA256
from sotaque.records import Ability, Choose, Finish, Generate, Guess, ItemView, Message, Reply, RunSpec, Sampling
from sotaque.suites.suite import load_suite

if importlib.util.find_spec("llama_cpp") is None:
    pytest.skip("the extra 'gguf' is not installed", allow_module_level=True)

# What is promised; on the processors where this was measured the numbers are the very same.
CLOSE = 1e-4

HOSTILE = {
    "a token spans the seam": Choose("saud", ("ade", "ar", "ades da saudade")),
    "leading spaces": Choose("quem vê cara não vê", (" coração", " cara", " água mole em pedra dura")),
    "a space at the end of the context": Choose("a resposta ", ("correta", "sim", "é não")),
    "Persian with ZWNJ": Choose("هر که می‌", ("روم", "خوانم", "‌خوانم کتاب را")),
    "ZWNJ at the seam": Choose("می", ("‌روم", " روم", "روم")),
    "emoji": Choose("que dia 👩‍👩", ("‍👧", "👍🏽", " 🙂")),
    "one character that merges": Choose("coraçã", ("o", "a", "s")),
    "NFD accents at the seam": Choose("avo", ("\u0302", "\u0301", "s")),
    "identical options": Choose("água mole", (" em pedra", " em pedra", " em")),
    "one a prefix of another": Choose("quem vê", (" cara", " cara não", " cara não vê coração")),
    "one option": Choose("quem", (" vê",)),
    "a context of one character": Choose("a", (" saudade", "b")),
    "no context": Choose("", ("saudade", "a")),
    "no context and one character": Choose("", ("a",)),
    "300 options": Choose("O número é", tuple(f" {number} e meio" for number in range(300))),
    "a context of more than one step": Choose("água mole em pedra dura " * 90, (" tanto bate", " até", " não" * 40)),
}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # two that wait for each other are slower on a busy machine


@pytest.fixture(scope="module")
def model(smollm2):
    """In exact mode. Opened once: its cache holds what other tests read."""
    opened = open_model(f"gguf/{smollm2}")
    opened.prepare(frozenset(Ability))
    return opened


@pytest.fixture(scope="module")
def quantised(smollm2, tmp_path_factory):
    """The same model in other numbers, made by llama.cpp itself."""
    import llama_cpp

    from sotaque.models.llama_library import llama

    made = {}

    def file(kind: str):
        if kind not in made:
            made[kind] = tmp_path_factory.mktemp("quantised") / f"{kind}.gguf"
            params = llama().llama_model_quantize_default_params()
            params.ftype, params.allow_requantize = getattr(llama_cpp, f"LLAMA_FTYPE_{kind}"), True
            assert llama().llama_model_quantize(str(smollm2).encode(), str(made[kind]).encode(), params) == 0
        return made[kind]

    yield file
    for path in made.values():
        path.unlink()


class Plain:
    """Written independently of the package: every option read whole, with its context, from an empty cache."""

    LEAST = 8  # llama.cpp has other kernels for smaller steps

    def __init__(self, path) -> None:
        import llama_cpp

        self.lib = llama_cpp
        params = llama_cpp.llama_model_default_params()
        params.use_extra_bufts = False
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        self.vocabulary = llama_cpp.llama_model_get_vocab(self.model)
        self.size = llama_cpp.llama_vocab_n_tokens(self.vocabulary)
        params = llama_cpp.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch, params.n_threads, params.n_threads_batch = 4096, 512, 512, 1, 1
        params.type_k = params.type_v = params.flash_attn_type = 0
        self.context = llama_cpp.llama_init_from_model(self.model, params)
        self.batch = llama_cpp.llama_batch_init(512, 0, 1)

    def close(self) -> None:
        self.lib.llama_batch_free(self.batch)
        self.lib.llama_free(self.context)
        self.lib.llama_model_free(self.model)

    def tokens(self, text: str) -> list[int]:
        raw = text.encode()
        found = (ctypes.c_int32 * (len(raw) + 8))()
        return list(found[: self.lib.llama_tokenize(self.vocabulary, raw, len(raw), found, len(found), True, True)])

    def chances(self, tokens: list[int], start: int):
        """Log-probabilities behind tokens[start:], float64."""
        padded = tokens + tokens[:1] * (self.LEAST - len(tokens))
        first = min(start, len(padded) - self.LEAST)
        self.lib.llama_memory_clear(self.lib.llama_get_memory(self.context), True)
        rows = []
        for begin in range(0, len(padded), 512):
            piece = padded[begin : begin + 512]
            self.batch.n_tokens = len(piece)
            for place, token in enumerate(piece):
                self.batch.token[place], self.batch.pos[place] = token, begin + place
                self.batch.n_seq_id[place], self.batch.seq_id[place][0] = 1, 0
                self.batch.logits[place] = begin + place >= first
            assert self.lib.llama_decode(self.context, self.batch) == 0
            wanted = min(len(piece), max(0, begin + len(piece) - first))
            if wanted:
                found = np.ctypeslib.as_array(self.lib.llama_get_logits(self.context), shape=(wanted, self.size))
                rows.append(found.astype(np.float64))
        logits = np.concatenate(rows)[start - first :]
        top = logits.max(-1, keepdims=True)
        return logits - top - np.log(np.exp(logits - top).sum(-1, keepdims=True))

    def score(self, request: Choose) -> list[float]:
        rows = [self.tokens(text) for text in (request.context, *(request.context + o for o in request.continuations))]
        shared = 0
        while all(len(row) > shared for row in rows) and len({row[shared] for row in rows}) == 1:
            shared += 1
        shared = min(shared, *(len(row) - 1 for row in rows[1:]))
        if not shared:
            rows = [[self.lib.llama_vocab_bos(self.vocabulary), *row] for row in rows]
            shared = 1
        sums = []
        for row in rows[1:]:
            chances = self.chances(row[:-1], shared - 1)
            sums.append(sum(chances[place - shared, row[place]] for place in range(shared, len(row))))
        return sums


@pytest.fixture(scope="module")
def plain(smollm2):
    opened = Plain(smollm2)
    yield opened
    opened.close()


def ask(model: LlamaCppModel, request) -> Reply:
    [(asked, reply)] = list(model.answer([request]))
    assert asked is request
    if not isinstance(reply, Reply):
        raise reply
    return reply


def scores(model: LlamaCppModel, request: Choose) -> list[float]:
    return [score.logprob for score in ask(model, request).scores]


def questions(model: LlamaCppModel, suite: str, task: str, first: int) -> list[Choose]:
    asking = pose(load_suite(suite), RunSpec(suite, model.identity.name, tasks=(task,), first=first), model)
    return [question.prompt.request for question in asking.questions]


# ---------------------------------------------------------------- options


def test_sharing_changes_nothing_on_bundled_items(model, plain):
    """Persian with four options, and Portuguese with examples in front; asked in one go, as a run does."""
    requests = questions(model, "masalbench", "contextual_prob", 10)
    assert len(requests) == 10 and all(len(request.continuations) == 4 for request in requests)
    requests += questions(model, "broverbs", next(t for t in load_suite("broverbs").tasks if t.endswith("_prob")), 2)
    replies = dict(model.answer(requests))
    for request in requests:
        found = [score.logprob for score in replies[request].scores]
        assert found == pytest.approx(plain.score(request), abs=CLOSE)


@pytest.mark.parametrize("case", HOSTILE)
def test_sharing_changes_nothing_in_hostile_cases(model, plain, case):
    request = HOSTILE[case]
    if case == "300 options":
        found, picked = scores(model, request), Choose(request.context, request.continuations[::30])
        assert found[::30] == pytest.approx(plain.score(picked), abs=CLOSE)
    else:
        assert scores(model, request) == pytest.approx(plain.score(request), abs=CLOSE)


@pytest.mark.parametrize("kind", ["MOSTLY_Q6_K", "MOSTLY_Q4_K_M", "MOSTLY_Q8_0", "MOSTLY_BF16"])
def test_sharing_changes_nothing_whatever_the_weights(quantised, kind):
    path = quantised(kind)
    opened, reference = open_model(f"gguf/{path}"), Plain(path)
    opened.prepare(frozenset(Ability))
    for request in (*list(HOSTILE.values())[:6], *questions(opened, "masalbench", "contextual_prob", 1)):
        assert scores(opened, request) == pytest.approx(reference.score(request), abs=CLOSE)
    reference.close()
    opened.close()


def test_identical_options_tie_exactly(model):
    found = scores(model, Choose("água", (" mole em", " pedra dura", " mole em", " bate")))
    assert found[0] == found[2] != found[1]


def test_an_option_of_two_thousand_tokens_beside_a_short_one(model, plain):
    request = Choose("quem vê", (" x9" * 1000, " cara"))
    reply = ask(model, request)
    assert reply.scores[0].tokens >= 2000
    assert [score.logprob for score in reply.scores] == pytest.approx(plain.score(request), abs=CLOSE)


def test_tokens_are_counted_once(model):
    one = ask(model, Choose("quem vê cara", (" não vê coração",))).usage.prompt
    same = ask(model, Choose("quem vê cara", (" não vê coração",) * 5)).usage.prompt
    assert same == one


def test_longer_than_the_window_is_rejected_never_cut(model):
    window = model._prepared().file.header.window
    for request, said in [
        (Choose("saudade " * window, (" sim", " não")), f"the model's window is {window}"),
        (Generate(Sampling(window), text="O céu é"), "lower --max-tokens"),
    ]:
        with pytest.raises(Rejected, match=said):
            ask(model, request)
    assert scores(model, HOSTILE["one option"])


def test_a_request_that_fails_does_not_take_the_others_with_it(model):
    good = HOSTILE["one option"]
    bad = [Choose("a", ()), Choose("a", ("b", "")), Choose("\ud800", ("a",)), Guess(ItemView((), (), ()))]
    replies = dict(model.answer([*bad, good]))
    assert all(isinstance(replies[request], Rejected) for request in bad)
    assert isinstance(replies[good], Reply)


# ---------------------------------------------------------------- texts


def test_chat(model):
    request = Generate(Sampling(24), (Message("system", "Be brief."), Message("user", "Where is Portugal?")))
    reply = ask(model, request)
    assert "Portugal" in reply.text
    assert (reply.finish, reply.usage.completion) == (Finish.LENGTH, 24)
    assert 20 < reply.usage.prompt < 80


def test_stop_strings_and_the_end_of_a_turn(model):
    reply = ask(model, Generate(Sampling(16, stop=(", 8",)), text="1, 2, 3, 4, 5,"))
    assert (reply.text, reply.finish) == (" 6, 7", Finish.STOP)
    reply = ask(model, Generate(Sampling(64), (Message("user", "Say yes."),)))
    assert reply.finish is Finish.STOP
    assert "<|im_end|>" not in reply.text


def test_a_text_does_not_depend_on_what_was_asked_before(smollm2, model):
    requests = [
        Generate(Sampling(12), text="O céu é"),
        Generate(Sampling(12, temperature=0.9, seed=3), text="O céu é azul e o mar"),
        Generate(Sampling(12), (Message("user", "سلام"),)),
    ]
    before = [ask(model, request).text for request in requests]
    scores(model, HOSTILE["a context of more than one step"])
    assert [ask(model, request).text for request in reversed(requests)] == before[::-1]
    fresh = LlamaCppModel("gguf/x", str(smollm2))
    fresh.prepare(frozenset())
    assert [ask(fresh, request).text for request in requests] == before
    fresh.close()


def test_sampling_has_a_seed_for_every_repeat(model):
    def drawn(**other) -> str:
        return ask(model, Generate(Sampling(12, temperature=1.5, seed=1), text="Era uma vez", **other)).text

    assert drawn() == drawn()
    assert drawn() != drawn(repeat=1)


def test_top_p_of_nothing_is_greedy(model):
    greedy = ask(model, Generate(Sampling(8), text="Era uma vez")).text
    assert ask(model, Generate(Sampling(8, temperature=2.0, top_p=0.0), text="Era uma vez")).text == greedy


# ---------------------------------------------------------------- begin of sequence, templates


@pytest.mark.parametrize("adds", [True, False])
def test_exactly_one_begin_of_sequence_token(smollm2, tmp_path, adds):
    require_module("gguf")
    template = "{{ bos_token }}{% for message in messages %}{{ message.content }}{% endfor %}"
    values = {"tokenizer__ggml__add_bos_token": adds, "tokenizer__chat_template": template}
    path = changed_copy(smollm2, tmp_path / "m.gguf", **values)
    model = LlamaCppModel("gguf/m", str(path))
    model.prepare(frozenset(Ability))
    known = model._prepared()
    bos = known.tokenizer.bos_token_id
    assert known.prompter.ids("O céu").count(bos) == adds
    assert known.prompter.prompt(Generate(Sampling(1), (Message("user", "O céu"),)))[0].count(bos) == 1
    cut, notes = known.prompter.choice(Choose("", ("a", "b")))
    assert cut.prefix == (bos,)
    assert bool(notes) is not adds


def test_a_template_that_refuses_the_system_role_gets_it_in_the_first_turn(smollm2, tmp_path):
    require_module("gguf")
    template = (
        "{% for message in messages %}{% if message.role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
        "<{{ message.content }}>{% endfor %}"
    )
    path = changed_copy(smollm2, tmp_path / "m.gguf", tokenizer__chat_template=template)
    model = LlamaCppModel("gguf/m", str(path))
    model.prepare(frozenset(Ability))
    request = Generate(Sampling(1), (Message("system", "Sê breve."), Message("user", "Olá")))
    assert model.preview(request).endswith("<Sê breve.\n\nOlá>")


def test_without_a_template_there_is_no_chat(smollm2, tmp_path):
    require_module("gguf")
    path = changed_copy(smollm2, tmp_path / "m.gguf", tokenizer__chat_template="")
    model = LlamaCppModel("gguf/m", str(path))
    model.prepare(frozenset(Ability))
    assert model.abilities == {Ability.COMPLETE, Ability.CHOOSE}
    assert "--as text" in model.refusal(Ability.CHAT)


# ---------------------------------------------------------------- who answers, and what goes wrong


def test_the_key_is_the_file_and_the_cache(model, smollm2):
    assert isinstance(model, BatchModel)
    assert model.identity.stable
    exact = {"gguf": GGUF_SHA256, "through": "llama-cpp-python", "mode": "exact", "kv": "f32", "flash_attention": "off"}
    assert model.identity.details == exact
    fast = open_model(f"gguf/{smollm2}", ModelOptions(kv="fast"))
    fast.prepare(frozenset())
    assert fast.identity.details == {**exact, "mode": "fast", "kv": "f16", "flash_attention": "on"}
    assert all(np.isfinite(value) for value in scores(fast, HOSTILE["leading spaces"]))
    fast.close()


def test_an_architecture_that_llama_cpp_does_not_know_is_named(tmp_path):
    path = write_gguf(tmp_path / "m.gguf", {"general.architecture": "sonata"})
    with pytest.raises(UnknownModel, match="unknown model architecture: 'sonata'"):
        LlamaCppModel("gguf/m", str(path)).prepare(frozenset())


def test_asked_before_it_is_prepared(smollm2):
    with pytest.raises(UsageError, match="before it was prepared"):
        list(LlamaCppModel("gguf/m", str(smollm2)).answer([HOSTILE["one option"]]))


def test_nothing_is_printed(smollm2, capfd):
    model = LlamaCppModel("gguf/m", str(smollm2))
    model.prepare(frozenset())
    scores(model, HOSTILE["one option"])
    model.close()
    assert capfd.readouterr() == ("", "")


def test_ctrl_c_ends_a_long_step_and_leaves_a_model_that_reads_on(model):
    long = Choose("água mole em pedra dura " * 700, (" sim", " não"))
    before = scores(model, HOSTILE["leading spaces"])
    pressed = []
    timer = threading.Timer(1.0, lambda: (pressed.append(time.perf_counter()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ask(model, long)
    assert time.perf_counter() - pressed[0] < 5
    assert scores(model, HOSTILE["leading spaces"]) == before
