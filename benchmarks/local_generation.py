"""Text from the `local` model: sixteen texts written together, beside the same texts one at a time, in one run.

Prompts of unequal length, chats of four beginnings, Portuguese, Persian and emoji; greedy, and each of exactly TOKENS
tokens unless the model ends it. Both ways must give the same texts.
"""

import time

from sotaque.models.catalog import open_model
from sotaque.records import Ability, Generate, Message, Reply, Sampling

TOKENS = 64
SUBJECTS = (
    "a saudade",
    "o provérbio «quem vê cara não vê coração»",
    "água mole em pedra dura",
    "می‌روم خانه و کتاب می‌خوانم",
    "ضرب‌المثل «هر که بامش بیش، برفش بیشتر»",
    "👩‍👩‍👧 a família",
    "a chuva em Belém, que cai todas as tardes, e o que as pessoas fazem enquanto ela cai",
    "o mar",
)
TURNS = (
    "Write one paragraph about this subject: {}",
    "Explain in simple words, for a child of ten years who has never heard of it, what this means and where people "
    "say it; give two examples, and do not repeat the question. The expression is: {}",
)


def main() -> None:
    model = open_model("local")
    model.prepare(frozenset({Ability.CHAT}))
    requests = [
        Generate(Sampling(TOKENS), (Message("user", turn.format(subject)),)) for turn in TURNS for subject in SUBJECTS
    ]
    list(model.answer([Generate(Sampling(2), (Message("user", "olá"),))]))  # loads the weights
    together, batch = timed(lambda: dict(model.answer(requests)))
    alone, single = timed(lambda: {request: reply for one in requests for request, reply in model.answer([one])})
    differing = [request for request in requests if together[request].text != alone[request].text]
    tokens = sum(reply.usage.completion for reply in together.values() if isinstance(reply, Reply))
    print(f"{len(requests)} texts, {tokens} tokens")
    print(f"one at a time   {single:6.1f} s  {tokens / single:6.1f} tokens/s")
    print(f"all together    {batch:6.1f} s  {tokens / batch:6.1f} tokens/s   {single / batch:.1f} times faster")
    print(f"texts that differ: {len(differing)}")


def timed(work):
    started = time.perf_counter()
    return work(), time.perf_counter() - started


if __name__ == "__main__":
    main()
