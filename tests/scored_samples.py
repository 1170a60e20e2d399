"""Scored samples for the tests of summaries, run folders and reports."""

from sotaque.records import OUTSIDE_DENOMINATOR, Failure, Finish, Metric, Outcome, Reply, Sample, Score, Usage
from sotaque.summary import TaskFacts

GENERATE = TaskFacts(mode="generate", metrics=(Metric.ACCURACY,), about="What did the second speaker mean?")
EARNS = {Outcome.CORRECT: 1.0}
PICKS = {Outcome.CORRECT: 0, Outcome.WRONG: 1}


def sample(item, outcome=Outcome.CORRECT, *, credit=None, picked=None, ties=0, values=None, **given):
    """One of three options is right (option 0); ``given`` holds fields of the sample and of its reply."""
    earned = EARNS.get(outcome, 0.0) if credit is None else credit
    if values is None:
        values = {} if outcome in OUTSIDE_DENOMINATOR else {Metric.ACCURACY.value: earned}
    reply = {"text": "", "finish": Finish.STOP, "seconds": 0.5, "usage": Usage(), "model": "", "reasoning": None}
    reply["notes"] = ()
    reply |= {key: given.pop(key) for key in list(given) if key in reply}
    fields = {
        "task": "contextual",
        "cluster": "",
        "order": (0, 1, 2),
        "roles": ("correct", "plausible", "literal"),
        "gold": 0,
        "groups": {},
        "repeat": 0,
        "irregular": (),
    }
    picked = PICKS.get(outcome) if picked is None else picked
    return Sample(
        item=str(item),
        item_hash=f"i{item}",
        prompt_hash=f"p{item}",
        scoring_hash="s",
        reply_id=f"k{item}.0",
        reply=Reply(**reply),
        score=Score(outcome, picked, "", values, ties),
        **(fields | given),
    )


def failed(item):
    fields = {name: getattr(sample(item), name) for name in Sample.__slots__}
    fields |= {"reply": Failure("time-out after 60 s", 5), "reply_id": "", "score": Score(Outcome.ERROR)}
    return Sample(**fields)
