"""Syllables and stress of Portuguese words, against divisions as dictionaries print them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.language.syllables import is_doubtful, nucleus, stress_position, stressed, syllables

DIVIDED = (
    "bor-bo-le-ta lâm-pa-da ca-fé sa-í-da pau-ta mo-i-nho ra-i-nha ju-iz ca-ir ru-im a-in-da Co-im-bra sa-ir-mos "
    "ca-in-do mui-to par-tiu vi-ú-va fui cui-da-do rui-vo cons-ti-tu-iu cons-ti-tu-i-ção ca-iu sa-iu prai-a a-rei-a "
    "sai-a fei-o joi-a mai-o goi-a-ba Pa-ra-guai quais te-a-tro vo-o co-or-de-nar ao aos ca-os car-ro pás-sa-ro "
    "nas-cer trans-por ins-tru-ir pers-pi-caz psi-co-lo-gi-a ad-vo-ga-do ap-to dig-no ab-so-lu-to sub-li-nhar "
    "sub-li-nha-do su-bli-me i-dei-a le-em põ-em mãe pães cãi-bra lin-guis-ta ri-o ti-o lu-a di-a pi-a-da vi-a-gem "
    "vi-o-le-ta su-a-ve cri-an-ça sa-ú-de ba-ú pa-ís re-u-nir re-u-ni-ão co-in-ci-dir pro-i-bir gra-tui-to ru-í-na "
    "res-tau-rar te-sou-ra ou-vir neu-tro quo-ta á-gua lon-gín-quo a-gu-do gui-tar-ra guar-da pa-pa-gai-o chei-ro "
    "fi-lho ma-nhã mon-ta-nha es-co-la obs-tá-cu-lo pneu rit-mo au-to-car-ro com-boi-o te-le-mó-vel co-ra-ção li-mões "
    "he-rói cha-péu tri-un-fo du-e-lo po-e-ta al-de-ão le-ão de-mo-li-ram en-xa-guar ne-nhum pin-guim sa-guão "
    "a-pa-zi-guar ra-iz ra-í-zes Lu-ís Ra-ul pa-ul des-sas-sos-se-go Ma-ri-a ma-te-má-ti-ca e-qui-pa tran-qui-lo "
    "tri-cô o-ce-a-no ver-me-lho cre-em boi-a ci-ú-me mi-ú-do a-çú-car ex-ce-ção ex-ce-len-te cres-ça as-sim fac-to "
    "re-ce-ção con-tac-to con-tra-to pe-que-no al-mo-ço re-bu-ça-do fri-go-rí-fi-co Al-gar-ve A-ço-res"
).split()


@pytest.mark.parametrize("division", DIVIDED)
def test_words_are_divided_as_in_dictionaries(division: str):
    assert "-".join(syllables(division.replace("-", ""))) == division


def test_the_table_is_large_enough_to_show_it():
    assert len(DIVIDED) >= 140


@pytest.mark.parametrize("word", ["história", "família", "ciência", "amêndoa", "óleo", "tábua", "séries"])
def test_endings_that_grammars_divide_in_two_ways_are_kept_whole_and_said_to_be_doubtful(word: str):
    assert is_doubtful(word)


@pytest.mark.parametrize("word", ["água", "alegria", "rio", "lua", "casa", "mágico"])
def test_other_words_are_not_doubtful(word: str):
    assert not is_doubtful(word)


@pytest.mark.parametrize(
    ("word", "tonic"),
    [
        ("café", "fé"),
        ("lâmpada", "lâm"),
        ("cantam", "can"),
        ("falou", "lou"),
        ("azuis", "zuis"),
        ("jovens", "jo"),
        ("armazém", "zém"),
        ("partir", "tir"),
        ("órfão", "ór"),
        ("irmã", "mã"),
        ("coração", "ção"),
        ("rio", "ri"),
        ("caiu", "iu"),
        ("areia", "rei"),
        ("atum", "tum"),
        ("água", "á"),
        ("anoitecer", "cer"),
        ("também", "bém"),
        ("comboio", "boi"),
        ("telemóvel", "mó"),
        ("dizei", "zei"),
        ("fá-lo-ei", "fá"),
        ("disse-me", "dis"),
        ("homens", "ho"),
        ("jardim", "dim"),
        ("peru", "ru"),
    ],
)
def test_the_stressed_syllable_is_found(word: str, tonic: str):
    assert syllables(word)[stressed(word)] == tonic


@pytest.mark.parametrize(
    ("word", "position"),
    [("médico", "proparoxytone"), ("janela", "paroxytone"), ("sofá", "oxytone"), ("sol", "oxytone")],
)
def test_positions_have_their_names(word: str, position: str):
    assert stress_position(word) == position


def test_a_decomposed_accent_is_one_letter():
    assert syllables("cafe\u0301") == ("ca", "fé")


@pytest.mark.parametrize(
    ("syllable", "parts"),
    [("quais", ("qu", "ai", "s")), ("gua", ("gu", "a", "")), ("cons", ("c", "o", "ns")), ("mãe", ("m", "ãe", ""))],
)
def test_a_syllable_has_onset_nucleus_and_coda(syllable: str, parts: tuple[str, str, str]):
    assert nucleus(syllable) == parts


@given(st.text(alphabet="abcdefghijlmnopqrstuvxzáâãàéêíóôõúç", min_size=1, max_size=20))
def test_syllables_make_up_the_word_and_each_stress_lies_in_it(word: str):
    parts = syllables(word)
    assert "".join(parts) == word
    assert 0 <= stressed(word) < len(parts)
