"""Short ways to open a served model in tests and ask it once."""

import asyncio
from typing import Any

from sotaque.models.catalog import ModelOptions, open_model
from sotaque.models.openai_compatible import OpenAICompatibleModel
from sotaque.records import Choose, Generate, Message, Reply, Request, Sampling

PROVERB = "O que quer dizer «água mole em pedra dura, tanto bate até que fura»?"


def served(url: str, name: str = "openai/toy", **options: Any) -> OpenAICompatibleModel:
    model = open_model(name, ModelOptions(base_url=url, **options))
    assert isinstance(model, OpenAICompatibleModel)
    return model


def ask(model: OpenAICompatibleModel, *requests: Request) -> list[Reply]:
    """Ask all at once in an event loop of their own, and close; an error is raised."""

    async def all_of_them() -> list[Reply]:
        try:
            return await asyncio.gather(*(model.ask(request) for request in requests))
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def chat_request(text: str = PROVERB, *, system: str = "", **sampling: Any) -> Generate:
    turns = ([Message("system", system)] if system else []) + [Message("user", text)]
    return Generate(Sampling(**{"max_tokens": 16, **sampling}), tuple(turns))


def text_request(text: str = "O céu é", **sampling: Any) -> Generate:
    return Generate(Sampling(**{"max_tokens": 4, **sampling}), text=text)


def choose_request(context: str, *continuations: str) -> Choose:
    return Choose(context, continuations)
