"""The key goes into one header and nowhere else."""

import base64
import json
import logging
import traceback

import pytest

from asking import ask, chat_request, served
from fault_server import Answer, FaultServer, Seen, always, chat, drop, raw, status
from sotaque.errors import Fatal, MissingKey, ModelError, UsageError
from sotaque.models.catalog import ModelOptions, open_model
from sotaque.models.credentials import Address, Credentials
from sotaque.records import Ability

KEY = "sk-proj-Zx9+/q7Kd=4Lw_0123456789abcdef"
CHATS = frozenset({Ability.CHAT})


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def echo_headers(code: int):
    def behaviour(seen: Seen) -> Answer:
        said = seen.headers.get("Authorization", "")
        return status(code, f"You sent {said!r} and {dict(seen.headers)}", param=said)

    return behaviour


def everything(error: BaseException) -> str:
    """All that anybody could print of an error, its causes and their attributes."""
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__  # type: ignore[assignment]
    said = [repr(one) + str(one) + repr(vars(one)) for one in chain]
    return "".join(said + traceback.format_exception(chain[0]))


@pytest.mark.parametrize("code", [200, 400, 401, 403, 404, 429, 500])
def test_a_server_that_echoes_the_header_does_not_get_the_key_shown(code, caplog):
    caplog.set_level(logging.DEBUG)
    with FaultServer(echo_headers(code)) as server, pytest.raises(ModelError) as caught:
        ask(served(server.url), chat_request())
    assert server.posts[0].headers["Authorization"] == f"Bearer {KEY}"
    shown = everything(caught.value) + caplog.text
    assert "***" in shown
    assert KEY not in shown and KEY[8:20] not in shown


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY[:12]}**********************cdef.",
        f"key={KEY}",
        "key=" + json.dumps(KEY),
        f"Bearer {KEY}",
        "other key sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa",
    ],
)
def test_keys_in_other_forms_are_hidden_in_messages(said):
    with FaultServer(always(status(401, said))) as server, pytest.raises(Fatal) as caught:
        ask(served(server.url), chat_request())
    assert KEY[8:12] not in everything(caught.value)
    assert "aaaa" not in everything(caught.value)
    assert "$OPENAI_API_KEY" in str(caught.value)


def test_key_in_a_page_that_is_no_json_is_hidden():
    page = f"<html>{'x' * 390} {KEY}</html>".encode()
    with FaultServer(always(raw(page, 500))) as server, pytest.raises(ModelError) as caught:
        ask(served(server.url), chat_request())
    assert KEY[:10] not in everything(caught.value)


def test_broken_connection_does_not_chain_the_librarys_error():
    with FaultServer(always(drop())) as server, pytest.raises(ModelError) as caught:
        ask(served(server.url), chat_request())
    assert KEY not in everything(caught.value)
    assert caught.value.__cause__ is None and caught.value.__context__ is None


def test_key_in_a_reply_is_taken_out_and_noted():
    with FaultServer(always(chat(f"A tua chave é {KEY}.", reasoning=f"{KEY}!"))) as server:
        (reply,) = ask(served(server.url), chat_request())
    assert (reply.text, reply.reasoning) == ("A tua chave é ***.", "***!")
    assert "a secret was taken out of the reply" in reply.notes


def test_reply_without_the_key_is_untouched():
    with FaultServer(always(chat("Bearer é portador; sk-1234567890abcdef não é a chave."))) as server:
        (reply,) = ask(served(server.url), chat_request())
    assert reply.text == "Bearer é portador; sk-1234567890abcdef não é a chave."


def test_preview_identity_and_repr_know_no_secret():
    with FaultServer(always(chat("B"))) as server:
        base = server.url.replace("//", "//ana:segredo-de-ana@") + "?api-version=2&api_key=chave-da-ana"
        model = served(base)
        model.prepare(CHATS)
        ask(model, chat_request())
        shown = repr(model) + repr(vars(model)) + repr(model.identity) + model.preview(chat_request())
        shown += repr(vars(model._exchange)) + repr(model._exchange.connection.credentials)
    for secret in (KEY, "segredo-de-ana", "chave-da-ana", base64.b64encode(b"ana:segredo-de-ana").decode()):
        assert secret not in shown
    assert "api-version=2" in model.identity.details["base_url"]


def test_login_in_the_url_is_used_instead_of_the_usual_key():
    with FaultServer(always(chat("B"))) as server:
        ask(served(server.url.replace("//", "//ana:s%C3%A9@") + "?v=1"), chat_request())
    assert server.posts[0].headers["Authorization"] == "Basic " + base64.b64encode("ana:sé".encode()).decode()


def test_missing_key_is_named_before_anything_is_sent(monkeypatch):
    monkeypatch.delenv("MARITACA_API_KEY", raising=False)
    model = open_model("maritaca/sabia-4")
    assert "sabia-4" in model.preview(chat_request())
    with pytest.raises(MissingKey, match="MARITACA_API_KEY"):
        model.prepare(CHATS)


def test_a_local_server_needs_no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    with FaultServer(always(chat("B"))) as server:
        assert ask(served(server.url), chat_request())[0].text == "B"
    assert "Authorization" not in server.posts[0].headers


def test_a_variable_the_user_named_must_be_set(monkeypatch):
    monkeypatch.delenv("MINHA_CHAVE", raising=False)
    with FaultServer(always(chat("B"))) as server, pytest.raises(MissingKey, match="MINHA_CHAVE"):
        served(server.url, api_key_env="MINHA_CHAVE").prepare(CHATS)
    assert server.seen == []


def test_the_named_variable_is_used(monkeypatch):
    monkeypatch.setenv("MINHA_CHAVE", " outra-chave\n")
    with FaultServer(always(chat("B"))) as server:
        ask(served(server.url, api_key_env="MINHA_CHAVE"), chat_request())
    assert server.posts[0].headers["Authorization"] == "Bearer outra-chave"


@pytest.mark.parametrize("pasted", [KEY, "a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6"])
def test_a_key_given_in_place_of_a_variable_is_not_repeated(pasted):
    with pytest.raises(UsageError) as caught:
        open_model("openai/x", ModelOptions(api_key_env=pasted)).prepare(CHATS)
    assert pasted not in everything(caught.value)


def test_a_key_with_a_line_break_is_refused_without_being_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-abc\nX-Header: 1")
    with pytest.raises(MissingKey) as caught:
        open_model("openai/x").prepare(CHATS)
    assert "sk-abc" not in everything(caught.value)


def test_short_placeholder_keys_leave_words_alone():
    credentials = Credentials(Address.read("http://localhost:1"), "K", "x")
    assert credentials.hide_all("exemplo: x, max") == "exemplo: ***, max"


@pytest.mark.parametrize(
    ("url", "roots"),
    [
        ("http://localhost:8000", ("/v1", "")),
        ("http://localhost:8000/", ("/v1", "")),
        ("http://localhost:8000/v1", ("/v1",)),
        ("http://localhost:8000/v1/", ("/v1",)),
        ("http://localhost:8000/v1/chat/completions", ("/v1",)),
        ("https://example.org/api", ("/api", "/api/v1")),
        ("https://example.org/v1beta/openai/", ("/v1beta/openai",)),
    ],
)
def test_base_urls_in_every_form(url, roots):
    assert Address.read(url).roots == roots


@pytest.mark.parametrize(
    "url", ["localhost:8000", "ana:segredo@host/v1", "http://", "ftp://h/v1", "http://h:x/", "http://[::"]
)
def test_what_is_no_url_is_said_without_its_login(url):
    with pytest.raises(UsageError, match="http://localhost:8000/v1") as caught:
        Address.read(url)
    assert "segredo" not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "local"),
    [("localhost", True), ("127.0.0.1", True), ("127.9.9.9", True), ("[::1]", True), ("0.0.0.0", True)]
    + [("10.0.0.5", False), ("api.example.org", False), ("localhost.example.org", False)],
)
def test_which_hosts_are_this_computer(host, local):
    assert Address.read(f"http://{host}:1/v1").local is local


@pytest.mark.parametrize(
    "proxy", ["socks5://user:{}@127.0.0.1:9", "http://user:{}@:9", "http://user:{}@[x", "ftp://{}"]
)
def test_a_proxy_that_cannot_be_used_is_refused_without_showing_its_password(proxy: str, monkeypatch) -> None:
    password = "hunter2hunter2"
    monkeypatch.setenv("http_proxy", proxy.format(password))
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(UsageError, match="http_proxy") as refused:
        ask(served("http://example.invalid/v1"), chat_request())
    assert password not in str(refused.value)


def test_a_proxy_without_a_scheme_is_an_http_proxy(monkeypatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    with FaultServer(always(chat("B"))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin.removeprefix("http://"))
        (reply,) = ask(served("http://example.invalid/v1"), chat_request())
    assert reply.text == "B"
