import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace

import pytest
from engine_doubles import chat
from hypothesis import given
from hypothesis import strategies as st

from sotaque.engine.rows import reply_from_json, reply_to_json, request_keys, request_to_json
from sotaque.models.model import Identity
from sotaque.records import (
    Choose,
    Finish,
    Generate,
    Guess,
    ItemView,
    Message,
    OptionScore,
    Reply,
    Request,
    Sampling,
    Usage,
)

WHO = Identity("openai/sabia-3", {"url": "http://127.0.0.1:8000/v1", "weights": "abc"})
GENERATE = Generate(Sampling(64, 0.5, 0.9, ("\n",), 7), (Message("system", "Responda."), Message("user", "Saudade?")))
COMPLETE = Generate(Sampling(64), text="Saudade é")
CHOOSE = Choose("saud", ("ade", "oso"))
GUESS = Guess(ItemView(("ir", "ir embora"), (1, 2), (0.25, 0.75), gold=1))


def key(request: Request, who: Identity = WHO) -> str:
    return request_keys(who, [request])[0]


def variants(value: object) -> Iterator[object]:
    """The value with one thing in it changed, for everything in it, however deep."""
    if is_dataclass(value):
        for field in fields(value):
            for changed in variants(getattr(value, field.name)):
                yield replace(value, **{field.name: changed})
    elif value == ():
        yield ("mais um",)
    elif isinstance(value, tuple):
        yield value[1:]
        yield value[::-1] if value != value[::-1] else (*value, *value)
        for place, part in enumerate(value):
            yield from ((*value[:place], changed, *value[place + 1 :]) for changed in variants(part))
    elif value is None:
        yield 1
    else:
        yield value + type(value)(1)


@pytest.mark.parametrize("request_", [GENERATE, COMPLETE, CHOOSE, GUESS], ids=["chat", "text", "choose", "guess"])
def test_key_changes_with_every_field_of_a_request(request_: Request) -> None:
    changed = [v for v in variants(request_) if not (isinstance(v, Generate) and v.messages == ("mais um",))]
    assert len(changed) >= len(fields(request_))
    keys = [key(variant) for variant in changed]
    assert key(request_) not in keys
    assert len(set(keys)) == len(set(changed))


@pytest.mark.parametrize(
    "other",
    [
        replace(WHO, name="openai/sabia-4"),
        replace(WHO, details={"url": "http://127.0.0.1:8000/v1", "weights": "abd"}),
        replace(WHO, details={"url": "http://127.0.0.1:8000/v1"}),
        replace(WHO, details={**WHO.details, "dtype": "float32"}),
    ],
    ids=["name", "weights", "fewer", "more"],
)
def test_two_models_never_share_a_key(other: Identity) -> None:
    assert key(GENERATE, other) != key(GENERATE)


def test_key_ignores_what_cannot_change_a_reply() -> None:
    shown_otherwise = Identity(WHO.name, dict(reversed(WHO.details.items())), stable=False, about="Sabiá, 3")
    assert key(GENERATE, shown_otherwise) == key(GENERATE)
    assert key(replace(COMPLETE, sampling=Sampling(64, temperature=0))) == key(COMPLETE)


def test_what_a_baseline_is_told_of_an_open_question_is_part_of_the_key() -> None:
    nothing = ItemView((), (), ())
    views = [nothing, replace(nothing, usual="pães"), replace(nothing, answer="pães"), replace(nothing, answer="mãos")]
    assert len({key(Guess(view)) for view in views}) == 4


def test_kinds_with_the_same_text_have_different_keys() -> None:
    as_chat = Generate(Sampling(64), (Message("user", "oi"),))
    as_text = Generate(Sampling(64), text="oi")
    assert len({key(as_chat), key(as_text), key(Choose("oi", ()))}) == 3


def test_composed_and_decomposed_prompts_are_different_requests() -> None:
    assert key(replace(COMPLETE, text="avô")) != key(replace(COMPLETE, text="avo\u0302"))


def test_keys_are_those_of_earlier_versions() -> None:
    """A change here makes every stored reply of every user unfindable."""
    assert [key(request) for request in (GENERATE, COMPLETE, CHOOSE, GUESS)] == PINNED


PINNED = [
    "bae8dc7f0d6962a726cef4b011e91385",
    "a6fbf18ad0a1ef9d9deee23fef7215a2",
    "a796b2dc346f2409cc2a33bd325b9c5f",
    "53622a2592120d5b403c5935afc6afa0",
]

texts = st.text(st.characters(codec=None, exclude_categories=()))
counts = st.integers(0, 10**9)
replies = st.builds(
    Reply,
    text=st.none() | texts,
    reasoning=st.none() | texts,
    scores=st.none()
    | st.lists(st.builds(OptionScore, st.floats(allow_nan=False, max_value=0), st.integers(0, 99))).map(tuple),
    finish=st.sampled_from(Finish),
    usage=st.builds(Usage, counts, counts, counts, counts),
    model=texts,
    seconds=st.floats(0, 1e6),
    notes=st.lists(texts).map(tuple),
)


@given(replies)
def test_reply_reads_back_as_it_was(reply: Reply) -> None:
    assert reply_from_json(reply_to_json(reply)) == reply


@pytest.mark.parametrize(
    "reply",
    [
        Reply(),
        Reply(text=""),
        Reply(text="پاسخ: ب\x00 نمی‌دانم", reasoning="", finish=Finish.LENGTH, notes=("temperature dropped",)),
        Reply(text="cortado \ud83d"),
        Reply(scores=(OptionScore(-math.inf, 1), OptionScore(-0.1, 0))),
        Reply(scores=()),
    ],
)
def test_unusual_reply_reads_back_as_it_was(reply: Reply) -> None:
    text = reply_to_json(reply)
    assert reply_from_json(text) == reply
    text.encode()


def test_request_column_shows_the_prompt_as_people_read_it() -> None:
    assert "نابرده رنج" in request_to_json(chat(3))


def test_half_a_character_in_a_prompt_can_be_written() -> None:
    assert "\\ud83d" in request_to_json(replace(COMPLETE, text="\ud83d"))
