"""Everything that goes wrong at a server, and which error it becomes."""

import asyncio
import gzip
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from asking import ask, chat_request, served, text_request
from fault_server import (
    Answer,
    FaultServer,
    always,
    by_text,
    chat,
    cut,
    drop,
    half,
    hang,
    models,
    raw,
    sequence,
    status,
)
from sotaque.errors import Fatal, ModelError, Rejected, Transient
from sotaque.models.faults import retry_after
from sotaque.records import Ability, Finish

CHATS = frozenset({Ability.CHAT})


def error_of(answer: Answer, **options) -> ModelError:
    with FaultServer(always(answer)) as server, pytest.raises(ModelError) as caught:
        ask(served(server.url, **options), chat_request())
    return caught.value


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (status(401, "Incorrect API key provided"), Fatal, "wants an API key"),
        (status(403, "Forbidden"), Fatal, "wants an API key"),
        (status(400, "API key not valid. Please pass a valid API key."), Fatal, "API key"),
        (status(402, "Insufficient Balance"), Fatal, "credit"),
        (status(429, "You exceeded your current quota", code="insufficient_quota"), Fatal, "credit"),
        (status(404, "The model `toy` does not exist", code="model_not_found"), Fatal, "does not serve the model toy"),
        (Answer(404, {"error": "model 'toy' not found"}), Fatal, "does not serve the model toy"),
        (status(400, "Model Not Exist: model toy does not exist"), Fatal, "does not serve the model toy"),
        (raw(b"<html><h1>Not Found</h1></html>", 404, "text/html"), Fatal, "nothing at"),
        (status(405, "Method Not Allowed"), Fatal, "endpoint"),
        (Answer(301, b"", {"Location": "http://127.0.0.1:9/"}), Fatal, "redirects"),
        (status(400, "default chat template is no longer allowed"), Fatal, "--as text"),
        (status(404, "This is not a chat model and thus not supported"), Fatal, "--as text"),
        (status(400, "'messages' must alternate"), Rejected, "must alternate"),
        (Answer(422, {"detail": [{"loc": ["body", "x"], "msg": "wrong"}]}), Rejected, "body.x wrong"),
        (status(400, "This model's maximum context length is 4096 tokens."), Rejected, "does not fit"),
        (status(400, "request (9 tokens) exceeds", type="exceed_context_size_error"), Rejected, "does not fit"),
        (status(500, "the prompt is too long for the context window"), Rejected, "does not fit"),
        (status(413, "Payload Too Large"), Rejected, "does not fit"),
        (status(408), Transient, "408"),
        (status(409), Transient, "409"),
        (status(425), Transient, "425"),
        (status(429, "Rate limit reached"), Transient, "Rate limit"),
        (status(429, "You exceeded your current quota", status="RESOURCE_EXHAUSTED"), Transient, "quota"),
        (status(500), Transient, "500"),
        (raw(b"<html><style>p{}</style><p>Bad gateway</p></html>", 502), Transient, "Bad gateway"),
        (status(503), Transient, "503"),
        (drop(), Transient, "broke"),
        (cut(chat("A resposta é B. " * 50)), Transient, "broke"),
        (half(chat("A resposta é B.")), Transient, "cut-off JSON"),
        (raw(b""), Transient, "cut-off JSON"),
        (raw(b"\xff\xfe\x00"), Transient, "cut-off JSON"),
        (raw(b"<!doctype html><p>ola"), Transient, "web page"),
        (raw(b'{"choices": []}'), Transient, "without choices"),
        # errors that arrive as a success
        (status(200, "Provider returned error", code=429), Transient, "429"),
        (status(200, "Key expired", code=401), Fatal, "wants an API key"),
        (status(200, "bad request", type="invalid_request_error"), Rejected, "bad request"),
        (status(200, "something broke"), Transient, "something broke"),
        (Answer(200, {"choices": [{"error": {"message": "upstream", "code": 502}, "message": {}}]}), Transient, "502"),
        (Answer(400, [{"error": {"message": "wrong field", "code": 400}}]), Rejected, "wrong field"),
        (Answer(400, {"object": "error", "message": "wrong", "code": 400}), Rejected, "wrong"),
        (Answer(400, {"object": "error", "message": {"detail": [{"msg": "wrong"}]}}), Rejected, "wrong"),
        (Answer(400, {"mensagem": "pedido inválido"}), Rejected, "pedido inválido"),
        (Answer(400, {"message": "pedido inválido"}), Rejected, ": pedido inválido"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_what_each_fault_becomes(answer, kind, words):
    error = error_of(answer)
    assert isinstance(error, kind)
    assert words in str(error)


@pytest.mark.parametrize(("code", "overload"), [(429, True), (503, True), (529, True), (500, False), (408, False)])
def test_overload_is_told_apart(code, overload):
    error = error_of(status(code))
    assert isinstance(error, Transient)
    assert error.overload is overload


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, 1.5),
        ({"Retry-After": "Sun, 29 Nov 2026 12:00:30 GMT", "Date": "Sun, 29 Nov 2026 12:00:10 GMT"}, 20.0),
        ({"Retry-After": "Sun, 29 Nov 2026 12:00:00 GMT", "Date": "Sun, 29 Nov 2026 12:00:10 GMT"}, 0.0),
        ({"Retry-After": "amanhã"}, None),
        ({"Retry-After": "-5"}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after({name.lower(): value for name, value in headers.items()}) == seconds


def test_retry_after_as_a_date_without_a_server_clock():
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    wait = retry_after({"retry-after": until})
    assert wait is not None and 50 < wait <= 60


def test_retry_after_reaches_the_engine():
    error = error_of(status(429, headers={"Retry-After": "3"}))
    assert isinstance(error, Transient) and error.retry_after == 3.0


def test_gemini_says_in_the_body_how_long_to_wait():
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]
    error = error_of(Answer(429, [{"error": {"code": 429, "message": "quota", "details": details}}]))
    assert isinstance(error, Transient) and error.retry_after == 34.0


def test_content_filter_on_the_prompt_is_a_refusal_not_an_error():
    with FaultServer(always(status(400, "filtered", code="content_filter"))) as server:
        (reply,) = ask(served(server.url), chat_request())
    assert (reply.text, reply.finish) == (None, Finish.REFUSAL)
    assert reply.notes == ("stopped by the content filter",)


def test_one_fault_does_not_touch_the_next_request():
    with FaultServer(sequence(status(500), drop(), chat("B"))) as server:
        model = served(server.url)
        for _ in range(2):
            with pytest.raises(Transient):
                ask(model, chat_request())
        assert ask(model, chat_request())[0].text == "B"


def test_a_request_that_is_never_answered_can_be_cancelled_and_others_go_on():
    async def play(url: str) -> str | None:
        model = served(url)
        try:
            stuck = asyncio.create_task(model.ask(chat_request("nunca")))
            reply = await model.ask(chat_request("sempre"))
            stuck.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stuck
            again = await model.ask(chat_request("sempre"))
            assert again.text == reply.text
            return reply.text
        finally:
            await model.close()

    with FaultServer(by_text({"nunca": hang()}, chat("B"))) as server:
        assert asyncio.run(play(server.url)) == "B"


def test_the_users_time_out_is_worth_another_try():
    with FaultServer(always(hang())) as server, pytest.raises(Transient, match="in time"):
        ask(served(server.url, timeout=0.05), chat_request())


def test_404_names_what_the_server_lists():
    missing = status(404, "The model `toy` does not exist")
    with FaultServer(always(missing), {"/v1/models": models("sabia-4", "sabiazinho-4")}) as server:
        model = served(server.url)
        model.prepare(CHATS)
        with pytest.raises(Fatal, match="sabia-4, sabiazinho-4"):
            ask(model, chat_request())


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_refused_connection_at_prepare_asks_whether_the_server_runs():
    url = f"http://127.0.0.1:{closed_port()}/v1"
    with pytest.raises(Fatal, match="is the server running") as caught:
        served(url, "vllm/toy").prepare(CHATS)
    assert url in str(caught.value) and "vLLM" in str(caught.value)


def test_refused_connection_later_is_worth_another_try():
    with pytest.raises(Transient, match="No connection"):
        ask(served(f"http://127.0.0.1:{closed_port()}"), chat_request())


def test_a_host_that_does_not_exist_is_named():
    with pytest.raises(Fatal, match="nowhere.invalid"):
        served("http://nowhere.invalid/v1", "vllm/toy").prepare(CHATS)


def test_no_tls_at_the_other_end_is_fatal():
    with FaultServer(always(chat("B"))) as server:
        url = server.url.replace("http:", "https:")
        with pytest.raises(Fatal, match="No trusted connection"):
            ask(served(url), chat_request())


def test_prepare_needs_no_list_of_models():
    for answer in (status(500), status(403, "no permission"), raw(b"ola"), status(401, "Missing scopes: model.read")):
        with FaultServer(always(chat("B")), {"/v1/models": answer, "/models": answer}) as server:
            model = served(server.url)
            model.prepare(CHATS)
            assert ask(model, chat_request())[0].text == "B"


def test_401_at_prepare_stops_before_the_first_question():
    with FaultServer(always(chat("B")), {"/v1/models": status(401, "invalid key")}) as server:
        with pytest.raises(Fatal, match="API key"):
            served(server.url).prepare(CHATS)
    assert server.posts == []


def test_prepare_works_inside_a_running_event_loop():
    async def in_a_notebook(url: str) -> str | None:
        model = served(url)
        model.prepare(CHATS)
        try:
            return (await model.ask(text_request())).text
        except ModelError as error:
            return type(error).__name__
        finally:
            await model.close()

    with FaultServer(always(chat("B"))) as server:
        assert asyncio.run(in_a_notebook(server.url)) == "B"


@pytest.mark.parametrize("packed", [False, True])
def test_a_body_without_end_is_not_read_to_its_end(packed: bool, monkeypatch) -> None:
    monkeypatch.setattr("sotaque.models.connection._LARGEST", 1 << 20)
    body = chat("B" * (8 << 20)).content
    answer = Answer(200, gzip.compress(body) if packed else body, {"Content-Encoding": "gzip"} if packed else {})
    error = error_of(answer)
    assert isinstance(error, Transient)
    assert "more than 1 MB" in error.message
