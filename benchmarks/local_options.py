"""Option log-probabilities on the `local` model: the context read once per item, beside one option at a time.

The peer scores each option with a forward pass over context and option, and computes logits only where they are needed.
"""

import statistics
import time

from sotaque.evaluate.questions import pose
from sotaque.models.catalog import open_model
from sotaque.models.local_library import library
from sotaque.records import Ability, Choose, Reply, RunSpec
from sotaque.suites.suite import load_suite

ITEMS = 10


def main() -> None:
    model = open_model("local")
    model.prepare(frozenset({Ability.CHOOSE}))
    spec = RunSpec(suite="masalbench", model="local", tasks=("contextual_prob",), first=ITEMS)
    requests = [question.prompt.request for question in pose(load_suite("masalbench"), spec, model).questions]
    list(model.answer(requests[:1]))  # loads the weights
    started = time.perf_counter()
    ours = dict(model.answer(requests))
    shared = time.perf_counter() - started
    started = time.perf_counter()
    plain = {request: one_at_a_time(model, request) for request in requests}
    alone = time.perf_counter() - started
    gaps = []
    for request in requests:
        reply = ours[request]
        assert isinstance(reply, Reply) and reply.scores is not None
        pairs = zip(reply.scores, plain[request], strict=True)
        gaps += [abs(score.logprob - value) for score, value in pairs]
    print(f"{ITEMS} items, {len(gaps)} options")
    print(f"one option at a time     {alone:6.1f} s")
    print(f"context read once        {shared:6.1f} s   {alone / shared:.1f} times faster")
    print(f"largest difference {max(gaps):.1e}, median {statistics.median(gaps):.1e}")


def one_at_a_time(model, request: Choose) -> list[float]:
    torch = library("torch")
    cut, _ = model._prompter.choice(request)
    sums = []
    for rest in cut.rests:
        ids = torch.tensor([[*cut.prefix, *rest[:-1]]])
        with torch.inference_mode():
            logits = model._network.net(input_ids=ids, use_cache=False, logits_to_keep=len(rest)).logits[0].float()
        wanted = torch.tensor(rest).unsqueeze(-1)
        # In float64: torch's float32 log_softmax is itself off by about 4e-4 over 50 tokens of this vocabulary.
        sums.append(float(torch.log_softmax(logits.double(), -1).gather(-1, wanted).sum()))
    return sums


if __name__ == "__main__":
    main()
