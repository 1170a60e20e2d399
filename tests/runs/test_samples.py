"""samples.jsonl: exact round trips, and no text where items may not be shared."""

import dataclasses
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scored_samples import failed, sample
from sotaque.records import Failure, Finish, OptionScore, Outcome, Reply, Sample, Score, Usage
from sotaque.runs.samples import BrokenLine, dump_samples, kept_lines, load_samples

LABELLED = frozenset({"contextual"})


def through_disk(samples, texts=True, labelled=LABELLED):
    raw = b"".join(dump_samples(kept_lines(samples, texts=texts, labelled=labelled)))
    return tuple(load_samples(io.BytesIO(raw)))


def plain(line):
    return Sample(**{field.name: getattr(line, field.name) for field in dataclasses.fields(Sample)})


texts = st.text(st.characters(exclude_categories=["Cs"]))
replies = st.builds(
    Reply,
    text=texts | st.none(),
    reasoning=texts | st.none(),
    scores=st.none() | st.lists(st.builds(OptionScore, st.floats(max_value=0), st.integers(1, 99))).map(tuple),
    finish=st.sampled_from(Finish),
    usage=st.builds(Usage, *[st.integers(0, 10**6)] * 4),
    model=texts,
    seconds=st.floats(0, 1e6),
    notes=st.lists(texts).map(tuple),
)
scores = st.builds(
    Score,
    outcome=st.sampled_from(Outcome),
    picked=st.none() | st.integers(0, 2),
    read=texts,
    values=st.dictionaries(texts, st.floats(0, 1)),
    ties=st.integers(0, 4),
    note=texts,
)
samples = st.builds(
    Sample,
    task=texts,
    item=texts,
    cluster=texts,
    order=st.permutations([0, 1, 2]).map(tuple),
    roles=st.lists(texts).map(tuple),
    gold=st.none() | st.integers(0, 2),
    groups=st.dictionaries(texts, texts),
    item_hash=texts,
    prompt_hash=texts,
    scoring_hash=texts,
    repeat=st.integers(0, 9),
    reply_id=texts,
    reply=replies | st.builds(Failure, texts, st.integers(1, 9)),
    score=scores,
    irregular=st.lists(texts).map(tuple),
)


@given(st.lists(samples, max_size=4))
def test_any_sample_reads_back_exactly(given_samples):
    assert [plain(line) for line in through_disk(given_samples)] == given_samples


@given(samples)
def test_without_texts_all_else_reads_back_exactly(one):
    line = through_disk([one], texts=False)[0]
    reply = one.reply
    if isinstance(reply, Reply):
        assert line.withheld == (reply.text is not None or reply.reasoning is not None)
        reply = dataclasses.replace(reply, text=None, reasoning=None)
        assert line.reply == reply
    expected = dataclasses.replace(
        one, reply=line.reply, cluster=line.cluster, score=dataclasses.replace(one.score, read=line.score.read)
    )
    assert plain(line) == expected


@pytest.mark.parametrize(
    "text", ["C\nb", "\u2028\u2029\u0085", "الف) \u202eab", '"\\', "\x00\x1b[31m", "😀"], ids=ascii
)
def test_one_line_per_sample_whatever_the_text(text):
    raw = list(dump_samples(kept_lines([sample(0, text=text)], texts=True, labelled=LABELLED)))
    assert len(raw) == 1
    assert raw[0].count(b"\n") == 1
    assert through_disk([sample(0, text=text)])[0].reply.text == text


def test_half_a_surrogate_pair_does_not_lose_the_run():
    line = through_disk([sample(0, text="ok \ud83d")])[0]
    assert line.reply.text == "ok ?"
    assert line.score == sample(0).score


def test_infinite_log_probabilities_survive():
    one = dataclasses.replace(sample(0), reply=Reply(scores=(OptionScore(float("-inf"), 3), OptionScore(-1.5, 2))))
    raw = b"".join(dump_samples(kept_lines([one], texts=True, labelled=LABELLED)))
    assert b"Infinity" not in raw.replace(b'"-Infinity"', b"")
    assert through_disk([one])[0].reply == one.reply


SECRET = "آب که از سر گذشت"


def test_nothing_that_quotes_an_item_is_written_where_items_may_not_be_shared():
    quoting = dataclasses.replace(
        sample(0, text=f"ب) {SECRET}", reasoning=SECRET, cluster=SECRET),
        score=Score(Outcome.WRONG, 1, SECRET, {"accuracy": 0.0}),
    )
    raw = b"".join(dump_samples(kept_lines([quoting], texts=False, labelled=LABELLED))).decode()
    assert SECRET not in raw
    assert json.loads(raw)["withheld"] is True


def test_hashed_clusters_stay_together_and_apart():
    lines = through_disk([sample(0, cluster=SECRET), sample(1, cluster=SECRET), sample(2, cluster="p 2")], texts=False)
    assert lines[0].cluster == lines[1].cluster != lines[2].cluster


def test_a_label_is_kept_and_an_option_text_is_not():
    read = dataclasses.replace(sample(0), score=Score(Outcome.CORRECT, 0, "ب", {"accuracy": 1.0}))
    assert through_disk([read], texts=False)[0].score.read == "ب"
    assert through_disk([read], texts=False, labelled=frozenset())[0].score.read == ""


def test_option_scores_are_numbers_and_kept():
    one = dataclasses.replace(sample(0), reply=Reply(scores=(OptionScore(-1.5, 2),)))
    line = through_disk([one], texts=False)[0]
    assert (line.reply.scores, line.withheld) == ((OptionScore(-1.5, 2),), False)


def test_a_failure_stays_a_failure():
    assert through_disk([failed(0)], texts=False)[0].reply == Failure("time-out after 60 s", 5)


def test_withheld_is_remembered_when_written_again():
    once = through_disk([sample(0, text="ب")], texts=False)
    assert through_disk(once, texts=True)[0].withheld


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda raw: raw[: len(raw) // 2], "Invalid JSON"),
        (lambda raw: raw.replace(b'"outcome":"correct"', b'"outcome":"r"'), "score.outcome: Input should be"),
        (lambda raw: b"\xff\xfe" + raw, "Invalid JSON"),
        (lambda raw: b"\n" + raw, "Invalid JSON"),
        (lambda raw: raw.replace(b'"task"', b'"taks"'), "task: Field required"),
        (lambda raw: raw.replace(b'"gold":0', b'"gold":"zero"'), "gold: Input should be a valid integer"),
    ],
)
def test_a_broken_line_is_named_by_number(spoil, reason):
    raw = list(dump_samples(kept_lines([sample(0), sample(1)], texts=True, labelled=LABELLED)))
    with pytest.raises(BrokenLine, match=reason) as caught:
        tuple(load_samples(io.BytesIO(raw[0] + spoil(raw[1]))))
    assert caught.value.number == 2
