"""A user's own suite, written into a folder: sums told in Portuguese, as many as a test needs."""

import json
from pathlib import Path
from zlib import crc32

NAMES = ("Ana", "João", "Lúcia", "Zé")

TOML = """\
format = 1
name = "contas"
title = "Contas de cabeça"
languages = ["pt-BR"]
version = "0.1.0"
default_tasks = ["soma"]

[sources.own]
format = "jsonl"
files = { soma = "soma.jsonl" }
provenance = { author = "a test", review = "unreviewed", licence = "CC0-1.0", share = "yes" }

[tasks.soma]
about = "Quanto é a soma?"
source = "soma"
mode = "generate"
labels = "A B C D"
prompt = '''
{historia}
{options}
Responda só com a letra.
'''
answer = "label"
metrics = ["accuracy"]
by = ["quem"]
twin = "soma_prob"

[tasks.soma.protocol.default]
max_tokens = 32

[tasks.soma_prob]
about = "Que resultado é o mais provável?"
source = "soma"
mode = "choose"
labels = "A B C D"
prompt = "{historia} Resposta:"
metrics = ["accuracy"]
twin = "soma"
"""


def sum_item(number: int) -> dict[str, object]:
    """Item ``s000``, ``s001`` ...; no two have the same text, and the right letter varies."""
    who, much, more = NAMES[number % len(NAMES)], number + 3, number % 7 + 2
    right = much + more
    options = [str(right - 1), str(right + 1), str(right + 10)]
    gold = crc32(f"gold {number}".encode()) % 4
    options.insert(gold, str(right))
    story = f"{who} colheu {much} laranjas e ganhou mais {more}. Com quantas ficou?"
    return {"id": f"s{number:03}", "historia": story, "quem": who, "options": options, "gold": gold}


def write_suite(folder: Path, items: int = 8, toml: str = TOML) -> Path:
    """A folder with suite.toml and soma.jsonl; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "suite.toml").write_text(toml, encoding="utf-8")
    lines = [json.dumps(sum_item(number), ensure_ascii=False) + "\n" for number in range(items)]
    (folder / "soma.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder
