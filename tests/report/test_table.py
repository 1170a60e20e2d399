"""The terminal table, as it reads."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from run_folders import manifest, official, published_data_run
from scored_samples import GENERATE, failed, sample
from sotaque.records import Metric, Outcome, RunSpec, Usage
from sotaque.report.table import plain_text, print_runs
from sotaque.runs import ModelRecord, SuiteRecord, read_run, write_run
from sotaque.summary import TaskFacts, summarise

AT_100 = """\
MasalBench: Persian proverbs (masalbench 1.0.0)
  items     official, revision 493841a6eaf1
  protocol  default protocol: 64 tokens where the paper has 5 (five tokens cut off reasoning models)
  model     openai/m-small: m-small at example.org (chat prompts)

  task             n    score   95 % interval   chance   longest   0 % to 100 %
  ─────────────────────────────────────────────────────────────────────────────────────
  contextual   1,000   91.0 %    89.1 to 92.6   25.0 %    90.4 %   ·····┆···········━●·
  ● score   ━ 95 % interval   ┆ chance   ◆ longest option

  contextual  910 correct, 84 wrong, 6 cut off
              picked: correct 91.0 %, plausible 4.2 %, literal 4.2 %, no readable answer 0.6 %
              0.43 s a reply (median), 180,000 tokens in, 3,000 out

  Picking the longest option, without reading anything, scores 90.4 % here (chance 25.0 %): a score
  near that shows nothing about understanding.
  The score of 91.0 % is not distinguishable from picking the longest option (90.4 %).

  ! 6 of 1,000 replies were cut off at the token limit of 64, before an answer that can be read. A
  reasoning model needs more room (--max-tokens 1024).
  ! 20 of 1,000 items are irregular in the source; they count like all others.

  5 replies from the store, 5 asked in this run, 60 s. Kept in run
"""

TWO_AT_80 = """\
MasalBench: Persian proverbs (masalbench 1.0.0)
  items     official, revision 493841a6eaf1
  protocol  default protocol: 64 tokens where the paper has 5 (five tokens cut
            off reasoning models)
  models    openai/m-small: m-small at example.org (chat prompts)
            local: SmolLM2, Q4_1, dequantised (chat prompts)

  task         model               n    score   95 % interval   chance   longest
  ──────────────────────────────────────────────────────────────────────────────
  contextual   openai/m-smal   1,000   91.0 %    89.1 to 92.6   25.0 %    90.4 %
               l
               local           1,000   25.5 %    22.9 to 28.3   25.0 %    90.4 %

  contextual, openai/m-small
    910 correct, 84 wrong, 6 cut off
    picked: correct 91.0 %, plausible 4.2 %, literal 4.2 %, no readable answer
    0.6 %
    0.43 s a reply (median), 180,000 tokens in, 3,000 out
  contextual, local
    255 correct, 739 wrong, 6 cut off
    picked: correct 25.5 %, plausible 36.9 %, literal 37.0 %, no readable answer
    0.6 %
    0.43 s a reply (median), 180,000 tokens in, 3,000 out

  Picking the longest option, without reading anything, scores 90.4 % here
  (chance 25.0 %): a score near that shows nothing about understanding.
  openai/m-small: The score of 91.0 % is not distinguishable from picking the
  longest option (90.4 %).
  local: The score of 25.5 % is not distinguishable from chance (25.0 %).

  ! 6 of 1,000 replies were cut off at the token limit of 64, before an answer
  that can be read. A reasoning model needs more room (--max-tokens 1024).
  ! 20 of 1,000 items are irregular in the source; they count like all others.

  5 replies from the store, 5 asked in this run, 60 s. Kept in run
  5 replies from the store, 5 asked in this run, 60 s. Kept in run2
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def published(here, name="run", **given):
    run = published_data_run(here / name, **given)
    return type(run)(run.path.relative_to(here), run.manifest, run.samples, run.summary)


def small(here, rows, name="small", facts=None, **given):
    facts = facts or dict.fromkeys((row.task for row in rows), GENERATE)
    return read_run(write_run(given.pop("made", manifest)(**given), rows, summarise(rows, facts), out=here / name).path)


def test_one_run_at_100_columns(here):
    assert plain_text([published(here)], 100) == AT_100


def test_two_models_side_by_side_at_80_columns(here):
    local = published(here, "run2", right=255, model="local", about="SmolLM2, Q4_1, dequantised")
    assert plain_text([published(here), local], 80) == TWO_AT_80


def test_own_items_say_so_at_the_top(here):
    text = plain_text([small(here, [sample(0)])], 80)
    assert text.split("\n")[1] == "  items     our own items, unreviewed; not comparable with published numbers"


def test_runs_that_were_asked_differently_get_tables_of_their_own(here):
    other = published(here, "run2", spec=RunSpec("masalbench", "m", limit=100))
    text = plain_text([published(here), other], 80)
    assert text.count("95 % interval") == 2
    assert "subset    100 items per task, drawn by seed 0" in text


def test_suites_of_one_name_but_another_content_do_not_share_a_table(here):
    changed = SuiteRecord(name="masalbench", title="MasalBench: Persian proverbs", version="1.0.0", hash="other")
    assert plain_text([published(here), published(here, "run2", suite=changed)], 80).count("95 % interval") == 2


def test_the_same_model_twice_is_told_apart(here):
    text = plain_text([published(here), published(here, "run2", right=600)], 120)
    assert "openai/m-small (2): The score of 60.0 % is below picking the longest option (90.4 %)." in text


def test_groups_clusters_and_failures_are_shown(here):
    rows = [
        sample(i, Outcome.CORRECT if i % 3 else Outcome.WRONG, groups={"region": "NE"}, cluster=f"p{i // 2}")
        for i in range(12)
    ]
    text = plain_text([small(here, [*rows, failed(12)])], 120)
    assert "    region NE   12   66.7 %" in text
    assert "8 correct, 4 wrong, 1 no reply" in text
    assert "interval over 6 independent groups of items, design effect" in text
    assert "! only 6 independent groups of items: the interval is rough" in text
    assert "! 1 of 13 requests got no reply: left out of the score, asked again by the next run." in text


def test_answers_that_await_a_judge_are_not_called_no_items(here):
    facts = {"contextual": TaskFacts(mode="judge", metrics=(Metric.JUDGE_SCORE,))}
    text = plain_text([small(here, [sample(0, Outcome.AWAITING), sample(1, Outcome.AWAITING)], facts=facts)], 120)
    assert "! The answers await a judge" in text
    assert "no items" not in text


def test_what_the_adapter_noted_is_counted_and_the_rarest_are_left_to_the_record(here):
    rows = [sample(i, notes=("margin below what bfloat16 was measured to change",)) for i in range(6)]
    rows += [sample(6 + i, notes=(f"note {i}",)) for i in range(4)]
    text = plain_text([small(here, rows)], 120)
    assert "6 replies: margin below what bfloat16 was measured to change" in text
    assert "1 reply: note 1" in text
    assert "2 more notes on replies are in samples.jsonl" in text


def test_a_task_without_any_reply_has_no_number(here):
    text = plain_text([small(here, [failed(0)])], 80)
    assert "contextual   0    none" in text
    assert "! no items" in text
    assert "nan" not in text.lower()


def test_a_private_copy_is_marked_first(here):
    rows = [sample(0, text="ب")]
    run = read_run(
        write_run(official(), rows, summarise(rows, {"contextual": GENERATE}), out=here / "p", with_items=True).path
    )
    assert plain_text([run], 100).split("\n")[1].strip().startswith("PRIVATE COPY: holds texts")


HOSTILE = ["two\nlines", "\x1b[31mred\x1b[2J", "[red]x[/red]", "[/]", "a\u202eb", "\u2067ضرب", "‌ضرب‌المثل", "\r\x07\x9b"]


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
@pytest.mark.parametrize("width", [80, 100])
def test_hostile_names_neither_reach_the_terminal_nor_break_the_layout(here, name, width):
    rows = [
        sample(0, task=name, roles=(name, "b", "c"), groups={name: name}, model=name),
        sample(1, task=name, model="m"),
    ]
    model = ModelRecord(name=name, about=name)
    text = plain_text([small(here, rows, model=model, warnings=(name,))], width)
    assert not any(ord(c) < 32 and c != "\n" or 0x7F <= ord(c) < 0xA0 or c in "\u202e\u2067" for c in text)
    assert max(cell_len(line) for line in text.split("\n")) <= width
    for line in text.split("\n"):
        assert line.count("\u2068") == line.count("\u2069")
    if name.startswith("["):
        assert name in text


def test_a_terminal_gets_colour_and_the_same_words(here):
    run, out = published(here), io.StringIO()
    print_runs([run], Console(file=out, force_terminal=True, color_system="standard", width=100, legacy_windows=False))
    assert "\x1b[33m6 cut off" in out.getvalue()


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.0004, "0.4 ms"), (0.043, "43 ms"), (0.43, "0.43 s"), (12.4, "12 s"), (0.0, "0 ms")]
)
def test_seconds_have_two_digits(here, seconds, shown):
    assert f" {shown} a reply (median)" in plain_text([small(here, [sample(0, seconds=seconds)])], 80)


def test_reasoning_tokens_are_shown(here):
    text = plain_text([small(here, [sample(0, usage=Usage(10, 64, 60))])], 100)
    assert "10 tokens in, 64 out (60 of them reasoning)" in text


@pytest.mark.parametrize("width", [44, 50, 60])
def test_a_narrow_terminal_still_names_tasks_and_shows_intervals(width, tmp_path):
    text = plain_text([published_data_run(tmp_path / "run")], width=width)
    lines = text.splitlines()
    (head,) = (line for line in lines if "95 % interval" in line)
    assert head.split()[:2] == ["task", "n"]
    (row,) = (line for line in lines if "91.0 %" in line and "to" in line)
    assert row.split()[0].startswith("context")
    assert all(cell_len(line) <= width for line in lines)
