"""Rows in the published fields of Brasilidade: what becomes of them, in every file format, and what is refused."""

import io
import json
from pathlib import Path

import pytest

from published_rows import (
    CONJUGATION,
    ENTRY,
    SENTENCE,
    SHAPES,
    TO_DEFINITION,
    TO_EXPRESSION,
    WORD,
    Row,
    degree,
    write_csv,
    write_jsonl,
)
from sotaque.data.formats import FORMATS
from sotaque.data.parsed import Parsed
from sotaque.errors import ItemError
from sotaque.records import Item


def read(*rows: Row) -> Parsed:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return FORMATS["brasilidade"].read(io.BytesIO(text.encode()), "brasilidade.jsonl", "pt-BR")


def one(row: Row, **changed: object) -> Item:
    return read(row | changed).items[0]


def read_file(path: Path) -> Parsed:
    with path.open("rb") as stream:
        return FORMATS["brasilidade"].read(stream, path, "pt-BR")


# ---------------------------------------------------------------- shapes


def test_an_entry_of_the_base_table_keeps_its_quotes():
    item = one(ENTRY)
    assert item.fields["expressao"] == '"pé de moleque"'
    assert (item.fields["regiao"], item.fields["regiao_principal"]) == ("Nordeste", "Geral - NE")
    assert (item.fields["classe"], item.fields["pos_tagging"], item.fields["uso"]) == ("substantivo", "SUBST", "em_uso")
    assert "observacoes" not in item.fields
    assert (item.id, item.options, item.gold) == ("0", (), None)


@pytest.mark.parametrize("row", [TO_EXPRESSION, TO_DEFINITION], ids=["to expression", "to definition"])
def test_both_directions_have_expression_and_definition(row: Row):
    item = one(row)
    assert item.fields["expressao"] == '"pé de moleque"'
    assert item.fields["definicao"] == "Doce de amendoim com rapadura."
    assert item.id == row["id"]
    assert [option.text for option in item.options] == row["alternativas"]
    assert item.gold == row["resposta_correta"]


def test_a_conjugation_names_its_verb():
    item = one(CONJUGATION)
    assert (item.fields["answer"], item.metadata["verbo"]) == ("nós rememos", "remar")
    assert one(CONJUGATION, question="Como se diz?").irregular == ("the question names no verb",)


def test_a_word_has_what_its_tasks_ask_for():
    fields = one(WORD).fields
    assert (fields["classe"], fields["tipo_derivacao"], fields["formacao"]) == (
        "adjetivo",
        "derivação sufixal",
        "derivação",
    )
    assert (fields["morfemas"], fields["numero_de_morfemas"]) == ("chuv- + -oso", "2")
    assert "tipo_composicao" not in fields
    assert not fields.keys() & {"composicao", "morfema_3"}


def test_a_word_formed_in_both_ways_is_not_asked_which():
    fields = one(WORD, composicao="Composição por justaposição").fields
    assert (fields["tipo_derivacao"], fields["tipo_composicao"]) == ("derivação sufixal", "composição por justaposição")
    assert "formacao" not in fields


@pytest.mark.parametrize(
    ("how", "written", "read_as"),
    [
        ("derivacao", "Derivação parassintética", "derivação parassintética"),
        ("derivacao", "parassintética", "derivação parassintética"),
        ("composicao", "Composição por aglutinação", "composição por aglutinação"),
        ("composicao", "AGLUTINAÇÃO", "composição por aglutinação"),
    ],
)
def test_a_type_of_formation_reads_the_same_with_and_without_its_noun(how: str, written: str, read_as: str):
    assert one(WORD | {"derivacao": None, how: written}).fields[f"tipo_{how}"] == read_as


def test_a_word_without_morphemes_has_no_number_of_them():
    item = one(WORD, morfema_1=None, morfema_2=None)
    assert not item.fields.keys() & {"morfemas", "numero_de_morfemas"}


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("CONCORDANCIA_VERBAL", "concordância verbal"),
        ("CONCORDANCIA_NOMINAL", "concordância nominal"),
        ("REGENCIA_NOMINAL", "regência nominal"),
        ("COLOCACAO_PRONOMINAL", "colocação pronominal"),
        ("ACENTUACAO", "acentuação"),
        ("crase", "crase"),
    ],
)
def test_a_category_of_errors_is_put_into_words(tag: str, words: str):
    item = one(SENTENCE, categoria=tag)
    assert (item.fields["tipo_de_erro"], item.fields["categoria"]) == (words, tag)


def test_the_true_one_of_five_is_the_right_one():
    item = one(degree())
    assert (item.gold, len(item.options), item.id) == (1, 5, "12")
    assert item.metadata["palavra"] == "lobo"


# ---------------------------------------------------------------- regions and word classes


@pytest.mark.parametrize(
    ("code", "region"),
    [
        ("N", "Norte"),
        ("NE", "Nordeste"),
        ("CO", "Centro-Oeste"),
        ("SE", "Sudeste"),
        ("S", "Sul"),
        ("Geral", "Geral"),
        ("geral", "Geral"),
        ("Geral - NE", "Nordeste"),
        ("Geral – S", "Sul"),
        ("Geral-CO", "Centro-Oeste"),
        ("NE - PE", "Nordeste"),
        ("NE - SE", "Nordeste"),
        ("RS", "Sul"),
        ("PE/PB", "Nordeste"),
        ("Nordeste", "Nordeste"),
        ("Centro-Oeste", "Centro-Oeste"),
        ("centro - oeste", "Centro-Oeste"),
    ],
)
def test_a_region_is_read_from_its_code(code: str, region: str):
    item = one(ENTRY, regiao_principal=code)
    assert (item.fields["regiao"], item.fields["regiao_principal"], item.irregular) == (region, code, ())


@pytest.mark.parametrize("code", ["N/NE", "Norte e Nordeste", "Geral - S, SE"])
def test_several_regions_are_reported_and_not_asked(code: str):
    item = one(ENTRY, regiao_principal=code)
    assert "regiao" not in item.fields
    assert item.irregular == (f"several regions ('{code}')",)


def test_an_unknown_region_stays_what_it_is_for_the_classes_to_refuse():
    assert one(ENTRY, regiao_principal="Pampa").fields["regiao"] == "Pampa"


@pytest.mark.parametrize(
    ("tag", "word_class"),
    [
        ("ADJ", "adjetivo"),
        ("VERB", "verbo"),
        ("v", "verbo"),
        ("SUBST", "substantivo"),
        ("NOUN", "substantivo"),
        ("ADV", "advérbio"),
        ("INTERJ", "interjeição"),
        ("Interjeição", "interjeição"),
        ("LOC_ADV", "advérbio"),
        ("locução verbal", "verbo"),
        ("PRON", "PRON"),
        ("ADJ/SUBST", "ADJ/SUBST"),
    ],
)
def test_a_word_class_is_read_from_its_tag(tag: str, word_class: str):
    assert one(ENTRY, pos_tagging=tag).fields["classe"] == word_class


# ---------------------------------------------------------------- file formats


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_every_shape_reads_the_same_from_csv_and_parquet(name: str, form: str, tmp_path: Path):
    row = SHAPES[name]
    write_jsonl(tmp_path / "rows.jsonl", [row])
    if form == "csv":
        write_csv(tmp_path / "rows.csv", [row])
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.Table.from_pylist([row]), tmp_path / "rows.parquet")
    assert read_file(tmp_path / f"rows.{form}").items == read_file(tmp_path / "rows.jsonl").items


def test_columns_that_no_shape_knows_are_kept_as_metadata():
    item = one(WORD, revisor="ana", nota=3, vazio=None)
    assert (item.metadata["revisor"], item.metadata["nota"]) == ("ana", "3")
    assert not item.fields.keys() & {"revisor", "nota", "vazio"}
    assert "vazio" not in item.metadata


# ---------------------------------------------------------------- what is refused

NONE_RIGHT = {f"alternativa_{letter}_correta": False for letter in "abcde"}


@pytest.mark.parametrize(
    ("row", "changed", "message"),
    [
        (degree(), NONE_RIGHT, "0 of the five alternatives are marked as right"),
        (degree(), {"alternativa_e_correta": True}, "2 of the five alternatives are marked as right"),
        (degree(), {"alternativa_c_correta": "talvez"}, "'alternativa_c_correta' is 'talvez'"),
        (degree(), {"alternativa_c_correta": None}, "'alternativa_c_correta' is None"),
        (degree(), {"resposta_correta": "lobão"}, "alternative b is marked as right, and is not the text"),
        (degree(), {"alternativa_d": " "}, "'alternativa_d' is empty"),
        (TO_EXPRESSION, {"resposta_correta": 4}, "'resposta_correta' is 4, and there are 4 alternatives"),
        (TO_EXPRESSION, {"resposta_correta": -1}, "'resposta_correta' is -1"),
        (TO_EXPRESSION, {"resposta_correta": True}, "'resposta_correta' is True"),
        (TO_EXPRESSION, {"resposta_correta": 0}, "alternative 0 is not the text of 'resposta_correta_texto'"),
        (TO_EXPRESSION, {"alternativas": "pé de valsa"}, "'alternativas' is not a list"),
        (TO_EXPRESSION, {"alternativas": ["um"]}, "'alternativas' is not a list of texts"),
        (TO_EXPRESSION, {"alternativas": ["um", "", "dois"]}, "'alternativas' is not a list of texts"),
        (TO_EXPRESSION, {"definicao_original": None}, "neither 'expressao_original' nor 'definicao_original'"),
        (TO_EXPRESSION, {"id": "a\nb"}, "has white space around or inside"),
        (WORD, {"morfema_1": None}, "'morfema_1' is empty, and a later one is not"),
        (WORD, {"termo": ""}, "'termo' is empty"),
        (WORD, {"classe": ["adjetivo"]}, "'classe' is a list"),
        (
            SENTENCE,
            {"frase_corrigida": SENTENCE["frase_incorreta"]},
            "the wrong sentence and the right one are the same",
        ),
        (CONJUGATION, {"answer": None}, "'answer' is empty"),
        (ENTRY, {"definicao": None}, "'definicao' is empty"),
    ],
)
def test_a_broken_row_is_named_with_its_line_and_the_others_are_read(row: Row, changed: Row, message: str):
    with pytest.raises(ItemError) as caught:
        read(row | {"id": 1}, row | {"id": 2} | changed, row | {"id": 3})
    assert caught.value.message.startswith("brasilidade.jsonl, line 2: row 1: ")
    assert message in caught.value.message
    assert "line 1:" not in caught.value.message
    assert caught.value.remedy


def test_all_broken_rows_are_listed_at_once():
    with pytest.raises(ItemError) as caught:
        read(WORD | {"termo": None}, WORD, WORD | {"morfema_1": ""})
    assert "2 broken rows" in caught.value.message
    assert "line 1: row 0: 'termo' is empty" in caught.value.message
    assert "line 3: row 2: 'morfema_1' is empty" in caught.value.message


def test_a_row_of_no_known_shape_is_told_what_the_closest_has():
    broken = {name: value for name, value in SENTENCE.items() if name != "categoria"}
    with pytest.raises(ItemError, match="the row has no 'categoria'") as caught:
        read(broken)
    assert "frase_incorreta, frase_corrigida, categoria" in caught.value.remedy


def test_options_that_read_the_same_are_reported():
    assert one(degree(forms=("lobão", "lobinho", "lobete", "Lobete", "loboide"))).irregular == (
        "options 3 and 4 read the same",
    )
