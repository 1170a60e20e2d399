"""Option scores from echoed log-probabilities, against sums computed from the toy tokenizer itself."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import ask, choose_request, served
from echo_server import EchoBehaviour, ToyTokenizer, logprob
from fault_server import Answer, FaultServer, Seen, always, chat, sequence, status, text
from sotaque.errors import Fatal, Rejected, Transient
from sotaque.models.prompt_logprobs import Echoed, boundary, score_options
from sotaque.records import Ability, Choose

CHOICES = frozenset({Ability.CHOOSE})
TOY = ToyTokenizer(("saudade", "saud", " ir", " embora", "ی", "رود"))
CASES = {
    "plain": Choose("Vou", (" ir", " ir embora")),
    "a token spans context and option": Choose("Tenho saud", ("ade", "e")),
    "letters split over tokens": Choose("معنی «آب» چیست؟", (" آتش", " آبی که می‌رود", " آ")),
    "first byte shared, last bytes not": Choose("caf", ("é", "è", "ê")),
    "the same option twice": Choose("Vou", (" ir", " ir", " embora")),
    "one option begins like the other": Choose("Quem ", ("tudo quer", "tudo quer tudo perde")),
    "emoji": Choose("Boa \N{BLACK HEART SUIT}", ("\N{GRINNING FACE}", "\N{GRINNING FACE WITH SMILING EYES}")),
}


def expected(tokenizer: ToyTokenizer, request: Choose) -> list[tuple[float, int]]:
    context = tokenizer.encode(request.context)
    wholes = [tokenizer.encode(request.context + option) for option in request.continuations]
    start = 0
    while start < len(context) and all(len(w) > start + 1 and w[start] == context[start] for w in wholes):
        start += 1
    return [(sum(logprob(w[:i], w[i]) for i in range(start, len(w))), len(w) - start) for w in wholes]


def scored(behaviour, request: Choose):
    with FaultServer(behaviour) as server:
        model = served(server.url, "vllm/toy")
        model.prepare(CHOICES)
        assert Ability.CHOOSE in model.abilities, model.refusal(Ability.CHOOSE)
        (reply,) = ask(model, request)
    return reply, server


@pytest.mark.parametrize("request_", CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("bos", [True, False])
def test_scores_equal_the_sums_over_the_models_own_tokens(request_, bos):
    tokenizer = ToyTokenizer(TOY.words, bos)
    reply, _ = scored(EchoBehaviour(tokenizer), request_)
    assert reply.text is None
    for score, (value, tokens) in zip(reply.scores, expected(tokenizer, request_), strict=True):
        assert score.logprob == pytest.approx(value, abs=1e-9)
        assert score.tokens == tokens > 0


@pytest.mark.parametrize(
    "behaviour",
    [
        EchoBehaviour(TOY, usage=False),
        EchoBehaviour(TOY, strict=True, token_ids=False),
        EchoBehaviour(TOY, largest=0),
        EchoBehaviour(ToyTokenizer(TOY.words, bos=False), token_ids=False, usage=False),
    ],
    ids=["no usage", "strings, and no unknown parameters", "generates nothing", "strings without usage"],
)
def test_servers_that_differ_from_vllm(behaviour):
    request = CASES["plain"]
    reply, _ = scored(behaviour, request)
    values, tokens = zip(*expected(behaviour.tokenizer, request), strict=True)
    assert [score.logprob for score in reply.scores] == pytest.approx(values)
    assert [score.tokens for score in reply.scores] == list(tokens)


def test_with_strings_a_shared_prefix_never_ends_inside_a_character():
    # é, è and ê begin with the same byte; as strings all their bytes are the same U+FFFD.
    reply, _ = scored(EchoBehaviour(TOY, token_ids=False), CASES["first byte shared, last bytes not"])
    assert [score.tokens for score in reply.scores] == [2, 2, 2]
    assert len({score.logprob for score in reply.scores}) == 3


def test_all_texts_of_an_item_are_sent_at_once_and_each_only_once():
    echo = EchoBehaviour(TOY)

    def waits_for_all(seen: Seen) -> Answer:
        """The probe is answered; then nothing, before the context and both options are there."""
        return replace(echo(seen), until=4 if seen.number else 0)

    _, server = scored(waits_for_all, CASES["the same option twice"])
    prompts = [seen.body["prompt"] for seen in server.posts[1:]]
    assert sorted(prompts) == ["Vou", "Vou embora", "Vou ir"]
    assert all(seen.body["temperature"] == 0 and seen.body["max_tokens"] == 1 for seen in server.posts)


def test_usage_is_the_sum_over_the_texts():
    reply, server = scored(EchoBehaviour(TOY), CASES["plain"])
    assert reply.usage.prompt == sum(len(TOY.encode(seen.body["prompt"])) for seen in server.posts[1:])
    assert reply.usage.completion == 3
    assert reply.model == "toy"


def test_empty_context_begins_after_the_begin_of_text_token():
    reply, _ = scored(EchoBehaviour(TOY), Choose("", ("saudade", "saud")))
    assert [score.tokens for score in reply.scores] == [1, 1]
    assert reply.scores[0].logprob == pytest.approx(logprob(TOY.encode(""), TOY.encode("saudade")[1]))


def test_empty_context_without_such_a_token_is_rejected_in_words():
    with pytest.raises(Rejected, match="first token of the text"):
        scored(EchoBehaviour(ToyTokenizer(TOY.words, bos=False)), Choose("", ("saudade", "saud")))


def test_a_merge_into_the_very_first_token_is_rejected_only_without_a_begin_of_text_token():
    request = Choose("saud", ("ade", "e"))
    assert scored(EchoBehaviour(TOY), request)[0].scores[0].tokens == 1
    with pytest.raises(Rejected, match="first token of the text"):
        scored(EchoBehaviour(ToyTokenizer(TOY.words, bos=False)), request)


LLAMA = Answer(
    body={
        "choices": [{"text": "c", "logprobs": {"content": [{"id": 83, "token": "c", "logprob": -2.9}]}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
)
GENERATED_ONLY = Answer(
    body={
        "choices": [{"text": "c", "logprobs": {"tokens": ["c"], "token_logprobs": [-2.9]}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
)
EMPTY_VALUES = Answer(
    body={
        "choices": [{"text": "", "logprobs": {"tokens": list("abcdef"), "token_logprobs": [None] * 6}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
)
ZEROS = Answer(
    body={
        "choices": [{"text": "", "logprobs": {"tokens": list("abcdef"), "token_logprobs": [0.0] * 6}}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1},
    }
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (text(" azul"), "returns no log-probabilities"),
        (LLAMA, "generated tokens only"),
        (GENERATED_ONLY, "generated tokens only"),
        (EMPTY_VALUES, "without log-probabilities"),
        (ZEROS, "something else than log-probabilities"),
        (status(400, "echo is not supported"), "echo is not supported"),
        (status(404, "Not Found"), "nothing at"),
        (status(404, "This is a chat model and not supported in the v1/completions endpoint"), "is a chat model"),
    ],
)
def test_servers_that_cannot_score_options_are_refused_by_name(answer, words):
    with FaultServer(always(answer)) as server:
        model = served(server.url, "vllm/toy")
        model.prepare(CHOICES)
    assert Ability.CHOOSE not in model.abilities
    assert "vLLM" in model.refusal(Ability.CHOOSE)
    assert words in model.refusal(Ability.CHOOSE)


def test_nothing_is_probed_unless_options_must_be_scored():
    with FaultServer(EchoBehaviour(TOY)) as server:
        served(server.url, "vllm/toy").prepare(frozenset({Ability.CHAT, Ability.COMPLETE}))
    assert server.posts == []


def test_a_key_that_is_not_accepted_ends_the_probe():
    with FaultServer(always(status(401, "invalid key"))) as server, pytest.raises(Fatal, match="API key"):
        served(server.url, "vllm/toy").prepare(CHOICES)


def test_a_busy_server_is_probed_again():
    behaviour = EchoBehaviour(TOY)
    busy = status(503, headers={"Retry-After-Ms": "1"})
    with FaultServer(lambda seen: busy if seen.number == 0 else behaviour(seen)) as server:
        model = served(server.url, "vllm/toy")
        model.prepare(CHOICES)
    assert Ability.CHOOSE in model.abilities


def test_one_failing_text_fails_the_item_and_leaves_nothing_running():
    def behaviour(seen):
        return status(500) if seen.text.endswith("embora") else EchoBehaviour(TOY)(seen)

    with FaultServer(behaviour) as server, pytest.raises(Transient, match="500"):
        ask(served(server.url, "vllm/toy"), CASES["plain"])


def test_log_probabilities_that_stop_coming_are_no_score():
    with FaultServer(sequence(text(" azul"))) as server, pytest.raises(Transient, match="no log-probabilities"):
        ask(served(server.url, "vllm/toy"), choose_request("Vou", " ir", " embora"))


def test_before_prepare_only_what_is_known_to_be_impossible_is_ruled_out():
    assert Ability.CHOOSE in served("http://127.0.0.1:1", "vllm/toy").abilities
    assert "Ollama" in served("http://127.0.0.1:1", "ollama/toy").refusal(Ability.CHOOSE)


def test_chat_fault_bodies_do_not_pass_for_scores():
    with FaultServer(always(chat("B"))) as server:
        model = served(server.url, "vllm/toy")
        model.prepare(CHOICES)
    assert Ability.CHOOSE not in model.abilities


tokens = st.lists(st.sampled_from("abc"), max_size=6)


@given(tokens, st.lists(tokens.filter(bool), min_size=1, max_size=4))
def test_boundary_is_shared_and_leaves_every_option_a_token(context, options):
    start = boundary(context, options)
    assert all(option[:start] == context[:start] for option in options)
    assert all(len(option) > start for option in options)
    longer = start + 1
    assert len(context) < longer or any(
        option[:longer] != context[:longer] or len(option) <= longer for option in options
    )


def test_minus_infinity_is_a_score():
    options = [Echoed(("a", "b"), (None, -math.inf)), Echoed(("a", "c"), (None, -1.0))]
    assert [score.logprob for score in score_options(("a",), options)] == [-math.inf, -1.0]
