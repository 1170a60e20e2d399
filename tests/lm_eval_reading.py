"""How the peer reads and sums up answers: copied beside the exported YAML, which names these functions.

lm-evaluation-harness has no weighted F1 of several classes and no reading of a class out of a text, but takes both as
Python functions. The F1 is scikit-learn's, so that two implementations are compared and not ours with itself.
"""

import re

from sklearn.metrics import f1_score


def weighted_f1(pairs):
    """Of (gold, vote) class indices; a vote of -1 is no class, and right for none."""
    golds, votes = zip(*pairs, strict=True)
    return float(f1_score(golds, votes, average="weighted", labels=sorted(set(golds)), zero_division=0))


def read_class(doc, results):
    """A reply is the one class that it names, as a whole word; one that names several, or none, is no class."""
    named = [place for place, each in enumerate(doc["choices"]) if re.search(rf"\b{re.escape(each)}\b", results[0])]
    vote = named[0] if len(named) == 1 else -1
    return {"acc": float(vote == doc["gold"]), "weighted_f1": (doc["gold"], vote)}
