"""A user's own suite with one task of every kind: words of Portuguese, their class, plural and meaning."""

import json
from pathlib import Path

TOML = """\
format = 1
name = "palavras"
title = "Palavras"
languages = ["pt-BR"]
version = "0.1.0"

[sources.own]
files = { termos = "termos.jsonl", exemplos = "exemplos.jsonl", perguntas = "perguntas.jsonl" }
provenance = { author = "a test", review = "unreviewed", licence = "CC0-1.0", share = "yes" }

[templates.classe]
source = "termos"
examples = "exemplos"
gold = "classe"
classes = ["nome", "verbo", "advérbio"]
metrics = ["weighted_f1", "accuracy"]
cluster = "raiz"

[templates.gen]
mode = "generate"
system = "Você é professor de português. Responda só com o conteúdo final."
anchor = "Resposta:"
answer = "option"
option_format = "- {text}"

[templates.gen.protocol.published]
shots = 3
pick = "first"
exclude = "item"
max_tokens = 64
stop = ["\\n\\n\\n"]

[templates.gen.protocol.default]
shots = 3
pick = "balanced"
max_tokens = 64

[tasks.classe_gen]
about = "A que classe pertence a palavra?"
source = "termos"
examples = "exemplos"
gold = "classe"
classes = ["nome", "verbo", "advérbio"]
template = "gen"
prompt = "Pergunta: Qual é a classe da palavra \\"{termo}\\"?\\n{options}"
metrics = ["weighted_f1", "accuracy"]
cluster = "raiz"
twin = "classe_prob"

[tasks.classe_prob]
about = "Que classe é a mais provável?"
template = "classe"
mode = "choose"
prompt = "A palavra \\"{termo}\\" é um"
twin = "classe_gen"

[tasks.sentido_gen]
about = "O que quer dizer a palavra?"
template = "gen"
source = "termos"
examples = "exemplos"
prompt = "Pergunta: O que quer dizer \\"{termo}\\"?\\n{options}"
metrics = ["accuracy"]
cluster = "raiz"
twin = "sentido_prob"

[tasks.sentido_prob]
about = "Que sentido é o mais provável?"
source = "termos"
mode = "choose"
prompt = "\\"{termo}\\" quer dizer"
metrics = ["accuracy", "accuracy_per_character"]
cluster = "raiz"
twin = "sentido_gen"

[tasks.sentido_letra]
about = "O que quer dizer a palavra? (letra, exemplos do mesmo arquivo)"
template = "gen"
source = "termos"
answer = "label"
option_format = "{label}) {text}"
prompt = "Pergunta: O que quer dizer \\"{termo}\\"?\\n{options}"
metrics = ["accuracy"]
cluster = "raiz"

[tasks.plural]
about = "Qual é o plural?"
template = "gen"
source = "termos"
examples = "exemplos"
gold = "plural"
answer = "text"
prompt = "Pergunta: Qual é o plural de \\"{termo}\\"?"
metrics = ["exact_match"]
cluster = "raiz"
protocol.default = { pick = "random" }

[tasks.aberta]
about = "Uma pergunta que um juiz lê"
source = "perguntas"
mode = "judge"
system = "Responda em português."
prompt = "{pergunta}"
metrics = ["judge_score"]

[tasks.aberta.protocol.default]
max_tokens = 256

[averages.palavras_gen]
about = "As tarefas de geração"
of = ["classe_gen", "sentido_gen"]
group = "Gen"

[averages.palavras_prob]
about = "As tarefas de probabilidade"
of = ["classe_prob", "sentido_prob"]
group = "Prob"

[averages.tudo]
about = "A média das duas"
of = ["palavras_gen", "palavras_prob"]
"""

WORDS = (
    ("casa", "nome", "casas", "cas"), ("casarão", "nome", "casarões", "cas"), ("correr", "verbo", "", "corr"),
    ("corrida", "nome", "corridas", "corr"), ("cedo", "advérbio", "", "ced"), ("pão", "nome", "pães", "pan"),
    ("padaria", "nome", "padarias", "pan"), ("dormir", "verbo", "", "dorm"), ("ontem", "advérbio", "", "ont"),
    ("avô", "nome", "avôs", "av"), ("avó", "nome", "avós", "av"), ("talvez", "advérbio", "", "talv"),
)  # fmt: skip
EXAMPLES = (
    ("livro", "nome", "livros", "livr"), ("livraria", "nome", "livrarias", "livr"), ("mão", "nome", "mãos", "man"),
    ("cantar", "verbo", "", "cant"), ("pôr", "verbo", "", "por"), ("hoje", "advérbio", "", "hoj"),
    ("bem", "advérbio", "", "bem"), ("casebre", "nome", "casebres", "cas"), ("papel", "nome", "papéis", "pap"),
)  # fmt: skip


def rows(words: tuple[tuple[str, str, str, str], ...]) -> list[dict[str, object]]:
    """Four meanings for each word; which of them is right goes round."""
    made: list[dict[str, object]] = []
    for at, (term, kind, plural, root) in enumerate(words):
        options = [f"{term}, mas não {words[(at + step) % len(words)][0]}" for step in (1, 2, 3)]
        options.insert(at % 4, f"o mesmo que {term}")
        row = {"termo": term, "classe": kind, "plural": plural, "raiz": root, "options": options, "gold": at % 4}
        made.append({"id": f"{at + 1}"} | row)
    return made


def write_kinds(folder: Path, toml: str = TOML) -> Path:
    """A folder with suite.toml and its three files; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    questions = [{"id": str(at), "pergunta": text} for at, text in enumerate(("Que é um ditado?", "Que é uma rima?"))]
    files = {"termos": rows(WORDS), "exemplos": rows(EXAMPLES), "perguntas": questions}
    for name, lines in files.items():
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (folder / "suite.toml").write_text(toml, encoding="utf-8")
    return folder
