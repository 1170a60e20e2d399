"""Generated rows in the published fields of the eight data sets that Brasilidade's tasks read."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

Row = dict[str, Any]

WORDS = "quem nunca cada grão água pedra tempo gato cão mar rio casa lua sol vento mão olho pé boca rei".split()
REGIONS = ("N", "NE", "CO", "SE", "S", "Geral", "Geral - NE")
CLASSES = ("SUBST", "VERB", "ADJ", "ADV", "INTJ")
WORD_CLASSES = ("substantivo", "verbo", "adjetivo", "advérbio", "conjunção")
DERIVATIONS = ("prefixal", "sufixal", "prefixal e sufixal", "parassintética", "regressiva", "imprópria")
COMPOSITIONS = ("justaposição", "aglutinação")
ERRORS = ("CONCORDANCIA_VERBAL", "REGENCIA_NOMINAL", "CRASE", "ORTOGRAFIA", "ACENTUACAO", "COLOCACAO_PRONOMINAL")


def sentence(draw: random.Random, words: int) -> str:
    return " ".join(draw.choices(WORDS, k=words)) + "."


def choice(draw: random.Random, number: int, to_expression: bool) -> Row:
    right = draw.randrange(4)
    expressions = [f'"{draw.choice(WORDS)} {number}-{place}"' for place in range(4)]
    definitions = [f"{sentence(draw, 8)[:-1]} {number}-{place}." for place in range(4)]
    shown = expressions if to_expression else definitions
    asked = ("definicao_original", definitions) if to_expression else ("expressao_original", expressions)
    return {
        "id": f"mcq_{number}",
        "pergunta": f"O que corresponde a <{asked[1][right]}>?",
        "alternativas": shown,
        "resposta_correta": right,
        "resposta_correta_texto": shown[right],
        asked[0]: asked[1][right],
        "pos_tagging": draw.choice(CLASSES),
        "regiao_principal": draw.choice(REGIONS),
        "exemplo_de_uso": f'"{sentence(draw, 9)}"',
        "pejorativo": False,
        "observacoes": None,
    }


def conjugation(draw: random.Random, number: int) -> Row:
    verb = f"{draw.choice(WORDS)}{number // 5}ar"
    question = f"Qual é a forma {number} do presente do indicativo do verbo {verb}?"
    return {"question": question, "answer": f"eu {verb}"}


def word(draw: random.Random, number: int) -> Row:
    compound = number % 3 == 0
    row: Row = {
        "termo": f"{draw.choice(WORDS)}{number}",
        "classe": draw.choice(WORD_CLASSES),
        "derivacao": None if compound else f"Derivação {draw.choice(DERIVATIONS)}",
        "composicao": f"Composição por {draw.choice(COMPOSITIONS)}" if compound else None,
        "observacao": None,
    }
    count = draw.randrange(1, 6)
    for place in range(1, 6):
        there = place <= count
        row[f"morfema_{place}"] = f"-{draw.choice(WORDS)}-" if there else None
        row[f"significado_{place}"] = sentence(draw, 4) if there else None
        row[f"classificacao_{place}"] = "sufixo" if there else None
    return row


def error(draw: random.Random, number: int) -> Row:
    wrong = f"{sentence(draw, 9)[:-1]} {number}"
    return {
        "frase_incorreta": f"{wrong}.",
        "frase_corrigida": f"{wrong}s.",
        "explicacao": sentence(draw, 12),
        "categoria": draw.choice(ERRORS),
    }


def degree(draw: random.Random, number: int) -> Row:
    name, right = f"{draw.choice(WORDS)}{number}", draw.randrange(5)
    row: Row = {"id": number, "palavra": name, "pergunta": f"Qual é o grau da palavra '{name}'?", "grau": "g"}
    for place, letter in enumerate("abcde"):
        row |= {f"alternativa_{letter}": f"{name}-{letter}", f"alternativa_{letter}_correta": place == right}
    return row | {"resposta_correta": f"{name}-{'abcde'[right]}"}


FILES: dict[str, Callable[[random.Random, int], Row]] = {
    "eval_coloquialismos_br_mcq_def_para_expr_balanc_regiao_principal": lambda draw, n: choice(draw, n, True),
    "eval_coloquialismos_br_mcq_def_para_expr_balanc_pos_tagging": lambda draw, n: choice(draw, n, True),
    "eval_coloquialismos_br_mcq_expr_para_def_balanc_regiao_principal": lambda draw, n: choice(draw, n, False),
    "conjugacoes_portugues_qa_evaluation_reduced": conjugation,
    "formacao_morfologica": word,
    "grammar_bench": error,
    "graus_aumentativo_substantivo_qa": degree,
    "graus_diminutivo_substantivo_qa": degree,
}


def write_rows(folder: Path, rows: int) -> None:
    """JSONL files under their published names, ``rows`` in all."""
    draw = random.Random(7)
    for name, make in FILES.items():
        lines = (json.dumps(make(draw, number), ensure_ascii=False) + "\n" for number in range(rows // len(FILES)))
        (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")
