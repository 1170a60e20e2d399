"""A whole run for replies of every kind: what each item becomes, what the summary adds up to, what the table shows."""

import json
from collections import Counter
from pathlib import Path

import pytest

from command_line import Ended, sotaque
from fault_server import Answer, FaultServer, Seen, chat, status
from own_suites import TOML, write_suite

OPTIONS = ["ter paciência", "ir", "ir embora", "ficar calado"]  # the third is right
REPLIES: list[tuple[str, str, Answer]] = [
    ("correct", "C", chat("RESPOSTA: **C**")),
    ("invalid", "", chat("RESPOSTA: desconheço")),
    ("correct", "C", chat("A resposta correta é a C.")),
    ("wrong", "D", chat("Alternativa:\nAlternativa: D")),
    ("correct", "C", chat("ＲＥＳＰＯＳＴＡ：Ｃ")),
    ("conflict", "A", chat("A) ir embora")),
    ("conflict", "A", chat("A alternativa correta é a A, que diz “ir embora”.")),
    ("correct", "C", chat("ir embora")),
    ("wrong", "B", chat("ir")),
    ("invalid", "", chat("não significa ir embora")),
    ("invalid", "", chat("???")),
    ("invalid", "", chat("Não acho que seja a C.")),
    ("invalid", "", chat("A resposta é C. Espera, é D.")),
    ("truncated", "", chat(None, "length")),
    ("truncated", "", chat("<think>Seria a C?", "length")),
    ("correct", "C", chat("<think>x</think> hm </think> C")),
    ("invalid", "", chat("<think>A resposta é C")),
    ("empty", "", chat("")),
    ("empty", "", chat(" \n")),
    ("refused", "", chat(None, refusal="Não posso ajudar.")),
    ("error", "", status(400, "Resposta: C")),
    ("correct", "C", chat("C<|im_end|>\n<|im_start|>user\nResposta: D")),
]


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def run(folder: Path) -> tuple[Ended, Path]:
    suite = write_suite(folder / "contas", 0, TOML.replace('by = ["quem"]', 'by = ["quem"]\ncluster = "grupo"'))
    items = [
        {"id": f"r{n:02}", "historia": f"[{n:02}]", "quem": "xy"[n % 2], "grupo": str(n // 3)}
        for n in range(len(REPLIES))
    ]
    lines = [json.dumps(item | {"options": OPTIONS, "gold": 2}, ensure_ascii=False) + "\n" for item in items]
    (suite / "soma.jsonl").write_text("".join(lines), encoding="utf-8")

    def behave(seen: Seen) -> Answer:
        return REPLIES[int(seen.text[1:3])][2]

    with FaultServer(behave) as server:
        ended = sotaque("run", suite, "-m", "openai/toy", "--base-url", server.url, "--tries", "1")
    (made,) = Path("runs").iterdir()
    return ended, made


def test_every_kind_of_reply_has_its_outcome_and_the_numbers_add_up(tmp_path: Path) -> None:
    ended, made = run(tmp_path)
    samples = [json.loads(line) for line in (made / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
    found = {sample["item"]: (sample["score"]["outcome"], sample["score"]["read"]) for sample in samples}
    assert found == {f"r{n:02}": (outcome, read) for n, (outcome, read, _) in enumerate(REPLIES)}

    counts = Counter(outcome for outcome, _, _ in REPLIES)
    task = json.loads((made / "summary.json").read_text(encoding="utf-8"))["tasks"]["soma"]
    assert {outcome: number for outcome, number in task["outcomes"].items() if number} == counts
    scored = len(REPLIES) - counts["error"]
    assert task["metrics"]["accuracy"]["value"] == pytest.approx(counts["correct"] / scored)
    assert (task["metrics"]["accuracy"]["n"], task["metrics"]["accuracy"]["clusters"]) == (scored, 8)
    for group in "xy":
        mine = [s["score"] for s in samples if s["groups"]["quem"] == group and s["score"]["outcome"] != "error"]
        right = sum(score["outcome"] == "correct" for score in mine)
        assert task["groups"]["quem"][group]["value"] == pytest.approx(right / len(mine))

    assert ended.code == 1  # more than 1 % got no reply
    shown = {"correct": "correct", "invalid": "unreadable", "truncated": "cut off", "error": "no reply"}
    for outcome, number in counts.items():
        assert f"{number} {shown.get(outcome, outcome)}" in " ".join(ended.out.split())
