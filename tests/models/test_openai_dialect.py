"""What is sent, and what is learned from a server's 400."""

import json

import pytest

from asking import PROVERB, ask, chat_request, choose_request, served, text_request
from fault_server import Answer, FaultServer, Seen, always, chat, sequence, status, text
from sotaque.errors import Rejected, UsageError
from sotaque.models.dialect import Dialect
from sotaque.records import Generate, Guess, ItemView, Message, Sampling

NO_MAX_TOKENS = status(
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    type="invalid_request_error",
    param="max_tokens",
    code="unsupported_parameter",
)
NO_TEMPERATURE = status(
    400,
    "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default (1) value is supported.",
    type="invalid_request_error",
    param="temperature",
    code="unsupported_value",
)


def reasoning_server(seen: Seen) -> Answer:
    if "max_tokens" in seen.body:
        return NO_MAX_TOKENS
    return NO_TEMPERATURE if "temperature" in seen.body else chat("B")


def test_chat_body_holds_the_turns_and_every_sampling_setting():
    request = Generate(
        Sampling(5, temperature=0.3, top_p=0.9, stop=("\n",), seed=7),
        (Message("system", "Responde."), Message("user", "پاسخ؟"), Message("assistant", "ب"), Message("user", PROVERB)),
    )
    with FaultServer(always(chat("B"))) as server:
        ask(served(server.url, reasoning_effort="low", extra_body={"top_k": 1}), request)
    assert server.posts[0].path == "/v1/chat/completions"
    assert server.posts[0].body == {
        "model": "toy",
        "messages": [
            {"role": "system", "content": "Responde."},
            {"role": "user", "content": "پاسخ؟"},
            {"role": "assistant", "content": "ب"},
            {"role": "user", "content": PROVERB},
        ],
        "reasoning_effort": "low",
        "max_tokens": 5,
        "temperature": 0.3,
        "top_p": 0.9,
        "stop": ["\n"],
        "seed": 7,
        "top_k": 1,
    }


def test_text_goes_to_completions_without_chat_fields():
    with FaultServer(always(text(" azul"))) as server:
        (reply,) = ask(served(server.url, reasoning_effort="low"), text_request("O céu é"))
    assert (reply.text, server.posts[0].path) == (" azul", "/v1/completions")
    assert server.posts[0].body == {
        "model": "toy",
        "prompt": "O céu é",
        "max_tokens": 4,
        "temperature": 0.0,
        "top_p": 1.0,
    }


def test_max_completion_tokens_and_dropped_temperature_are_learned_once():
    model_requests = [chat_request(f"{PROVERB} {n}") for n in range(3)]
    with FaultServer(reasoning_server) as server:
        model = served(server.url)
        first = ask(model, model_requests[0])
        rest = ask(model, *model_requests[1:])
    assert [reply.text for reply in first + rest] == ["B"] * 3
    assert len(server.posts) == 3 + 2
    assert "max_tokens" not in server.posts[-1].body
    assert server.posts[-1].body["max_completion_tokens"] == 16
    for reply in first + rest:
        assert reply.notes == (
            "max_tokens sent as max_completion_tokens at the server's demand",
            "temperature dropped at the server's demand",
        )


def test_requests_in_flight_together_all_learn():
    with FaultServer(reasoning_server) as server:
        replies = ask(served(server.url), *(chat_request(str(n)) for n in range(8)))
    assert [reply.text for reply in replies] == ["B"] * 8


@pytest.mark.parametrize(
    ("answer", "sampling", "gone"),
    [
        (status(400, "Unsupported parameter: 'top_p'", param="top_p"), {}, "top_p"),
        (status(400, 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'), {"seed": 1}, "seed"),
        (
            Answer(422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": ""}]}),
            {"seed": 1},
            "seed",
        ),
        (status(400, "`temperature` and `top_p` cannot both be specified for this model"), {}, "top_p"),
        (status(422, "`temperature` must be strictly positive"), {}, "temperature"),
    ],
)
def test_other_parameters_a_server_does_not_take_are_dropped_and_noted(answer, sampling, gone):
    with FaultServer(sequence(answer, chat("B"))) as server:
        (reply,) = ask(served(server.url), chat_request(**sampling))
    assert gone in server.posts[0].body
    assert server.posts[1].body == {key: value for key, value in server.posts[0].body.items() if key != gone}
    assert reply.notes == (f"{gone} dropped at the server's demand",)


def test_stop_strings_are_applied_here_where_the_server_takes_none():
    answer = status(400, "Unsupported parameter: 'stop' is not supported with this model.", param="stop")
    with FaultServer(sequence(answer, chat("A letra B.\nPergunta: e agora?"))) as server:
        (reply,) = ask(served(server.url), chat_request(stop=("\nPergunta",)))
    assert reply.text == "A letra B."
    assert "stop strings applied after the reply" in reply.notes


def test_a_context_error_that_mentions_max_completion_tokens_teaches_nothing():
    message = "'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096."
    with FaultServer(always(status(400, message))) as server, pytest.raises(Rejected, match="does not fit"):
        ask(served(server.url), chat_request())
    assert len(server.posts) == 1


def test_a_server_that_is_never_satisfied_ends_in_an_error():
    with FaultServer(always(NO_TEMPERATURE)) as server, pytest.raises(Rejected, match="temperature"):
        ask(served(server.url), chat_request())
    assert len(server.posts) == 2


@pytest.mark.parametrize("name", ["messages", "model", "prompt", "stream", "n", "echo", "logprobs"])
def test_extra_body_cannot_set_what_is_ours(name):
    with pytest.raises(UsageError, match=name):
        Dialect("toy", extra={name: 1})


@pytest.mark.parametrize("name", ["api_key", "Authorization", "access_token"])
def test_extra_body_cannot_hold_a_key(name):
    with pytest.raises(UsageError, match="--api-key-env|stored"):
        served("http://127.0.0.1:1", extra_body={name: "sk-verysecretvalue"})


def test_sampling_set_by_extra_body_is_noted():
    with FaultServer(always(chat("B"))) as server:
        (reply,) = ask(served(server.url, extra_body={"temperature": 1}), chat_request())
    assert server.posts[0].body["temperature"] == 1
    assert reply.notes == ("temperature set by --extra-body",)


def test_preview_is_what_is_posted():
    requests = [chat_request("معنی ضرب‌المثل چیست؟", stop=("\n",), seed=3), text_request()]
    with FaultServer(lambda seen: chat("ب") if "chat" in seen.path else text("x")) as server:
        model = served(server.url, extra_body={"top_k": 1})
        previews = [model.preview(request) for request in requests]
        for request in requests:
            ask(model, request)
    for preview, post in zip(previews, server.posts, strict=True):
        first, _, body = preview.partition("\n")
        assert first == f"POST {server.origin}{post.path}"
        assert json.loads(body) == post.body
    assert "معنی ضرب‌المثل" in previews[0]


def test_preview_of_options_shows_every_text_once():
    preview = served("http://127.0.0.1:1/v1").preview(choose_request("Quem tudo quer", " tudo perde", " nada tem"))
    for text_ in ("Quem tudo quer", "Quem tudo quer tudo perde", "Quem tudo quer nada tem"):
        assert preview.count(f'"prompt": "{text_}"') == 1


def test_half_a_character_is_rejected_before_it_is_sent():
    with FaultServer(always(chat("B"))) as server, pytest.raises(Rejected, match="U\\+D83D"):
        ask(served(server.url), chat_request("olá \ud83d"))
    assert server.posts == []


def test_what_only_a_baseline_can_answer_is_rejected():
    with pytest.raises(Rejected, match="baseline"):
        ask(served("http://127.0.0.1:1"), Guess(ItemView(("a", "b"), (1, 1), (0.5, 0.5))))
