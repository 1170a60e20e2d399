"""Rows of our own in the fields in which the Brasilidade data sets are published, and files of them."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]

ENTRY: Row = {
    "expressao": '"pé de moleque"',
    "definicao": "Doce de amendoim com rapadura.",
    "exemplo_de_uso": '"Comprei um pé de moleque na quermesse."',
    "regiao_principal": "Geral - NE",
    "pos_tagging": "SUBST",
    "observacoes": None,
    "pejorativo": False,
    "uso": "em_uso",
}
TO_EXPRESSION: Row = {
    "id": "def_expr_7",
    "pergunta": "Que expressão quer dizer <Doce de amendoim com rapadura.>?",
    "alternativas": ['"pé-d\'água"', '"pé de moleque"', '"pé de valsa"', '"pé-rapado"'],
    "resposta_correta": 1,
    "resposta_correta_texto": '"pé de moleque"',
    "definicao_original": "Doce de amendoim com rapadura.",
    "pos_tagging": "SUBST",
    "regiao_principal": "Geral - NE",
    "exemplo_de_uso": '"Comprei um pé de moleque na quermesse."',
    "pejorativo": False,
    "observacoes": None,
}
TO_DEFINITION: Row = {
    "id": "expr_def_7",
    "pergunta": 'O que quer dizer <"pé de moleque">?',
    "alternativas": ["Chuva forte.", "Bom dançarino.", "Doce de amendoim com rapadura.", "Pessoa sem dinheiro."],
    "resposta_correta": 2,
    "resposta_correta_texto": "Doce de amendoim com rapadura.",
    "expressao_original": '"pé de moleque"',
    "pos_tagging": "SUBST",
    "regiao_principal": "Geral - NE",
    "exemplo_de_uso": '"Comprei um pé de moleque na quermesse."',
    "pejorativo": False,
    "observacoes": None,
}
CONJUGATION: Row = {
    "question": "Qual é a primeira pessoa do plural do presente do subjuntivo do verbo remar?",
    "answer": "nós rememos",
}
WORD: Row = {
    "termo": "chuvoso",
    "classe": "adjetivo",
    "derivacao": "Derivação sufixal",
    "composicao": None,
    "observacao": None,
    "morfema_1": "chuv-",
    "significado_1": "chuva",
    "classificacao_1": "radical",
    "morfema_2": "-oso",
    "significado_2": "cheio de",
    "classificacao_2": "sufixo",
} | {f"{part}_{place}": None for place in (3, 4, 5) for part in ("morfema", "significado", "classificacao")}
SENTENCE: Row = {
    "frase_incorreta": "A gente fomos ao mercado.",
    "frase_corrigida": "A gente foi ao mercado.",
    "explicacao": 'O verbo concorda com "a gente", no singular.',
    "categoria": "CONCORDANCIA_VERBAL",
}


def degree(word: str = "lobo", forms: Sequence[str] = ("lobão", "lobinho", "lobete", "lobaço", "loboide")) -> Row:
    """A question of five alternatives, the second of which is right."""
    row: Row = {"id": 12, "palavra": word, "pergunta": f"Qual é o diminutivo de '{word}'?", "grau": "diminutivo"}
    for place, (letter, form) in enumerate(zip("abcde", forms, strict=True)):
        row |= {f"alternativa_{letter}": form, f"alternativa_{letter}_correta": place == 1}
    return row | {"resposta_correta": forms[1]}


SHAPES: Mapping[str, Row] = {
    "coloquialismos_br": ENTRY,
    "eval_coloquialismos_br_mcq_def_para_expr_balanc_regiao_principal": TO_EXPRESSION,
    "eval_coloquialismos_br_mcq_def_para_expr_balanc_pos_tagging": TO_EXPRESSION,
    "eval_coloquialismos_br_mcq_expr_para_def_balanc_regiao_principal": TO_DEFINITION,
    "conjugacoes_portugues_qa_evaluation_reduced": CONJUGATION,
    "formacao_morfologica": WORD,
    "grammar_bench": SENTENCE,
    "graus_aumentativo_substantivo_qa": degree(),
    "graus_diminutivo_substantivo_qa": degree(),
}


def as_jsonl(rows: Sequence[Row]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def write_jsonl(path: Path, rows: Sequence[Row]) -> None:
    path.write_bytes(as_jsonl(rows))


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """As a data frame would: lists as Python prints them, nothing as an empty cell."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
