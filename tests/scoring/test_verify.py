"""Rules on answers as models write them: each holds, fails, or is not decided."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.checks import Check
from sotaque.data.checks import parse_checks
from sotaque.scoring.rules import Verdict
from sotaque.scoring.verify import RULES, overall, verify

QUATRAIN = "Em junho acendo a fogueira\nna noite de São João,\ne a minha rua inteira\ndança à volta do balão."


def verdict(rule: dict[str, object], answer: str) -> str:
    (finding,) = verify(parse_checks([rule]), answer)
    assert finding.found
    return str(finding.verdict)


def test_every_rule_can_be_applied():
    assert set(RULES) == set(get_args(Check))


@pytest.mark.parametrize(
    ("rule", "good", "bad"),
    [
        ({"rule": "words", "min": 3, "max": 4}, "A chuva parou.", "Parou."),
        ({"rule": "words", "max": 2}, "Disse-mo ontem.", "Disse isso ontem."),  # a hyphen holds a word together
        ({"rule": "listed", "min": 3, "max": 3}, "pera, maçã e uva", "pera, maçã"),
        ({"rule": "listed", "min": 3}, "pera, maçã, uva", "pera, Pera, pera"),  # said twice is one
        ({"rule": "lines", "min": 4, "max": 4}, QUATRAIN, "Em junho\nno verão"),
        ({"rule": "each_word_letters", "min": 4, "max": 4}, "Esta casa fica mais fria.", "Esta casa é mais fria."),
        ({"rule": "each_word_letters", "min": 7, "max": 7}, "corac\u0327a\u0303o quintal", "coragem mal"),  # on NFC
        ({"rule": "each_word_syllables", "min": 1, "max": 1}, "O pão que eu fiz não é mau.", "A casa é azul."),
        ({"rule": "word_lengths", "lengths": [1, 2, 3, 4, 5]}, "E eu não como carne.", "E eu como carne."),
        ({"rule": "words_per_line", "counts": [1, 2]}, "Folha\nsobre folha", "Uma folha\nsobre folha"),
        ({"rule": "each_word_starts_with", "text": "p"}, "Pedro pede pão.", "Pedro come pão."),
        ({"rule": "each_word_starts_with", "text": "e"}, "Érica, Ema é esperta.", "Érica não é esperta."),
        ({"rule": "each_word_ends_with", "text": "dade"}, "bondade, Idade", "bondade, bonança"),
        ({"rule": "each_word_contains", "text": "mar"}, "marinheiro, amarar", "marinheiro, praia"),
        ({"rule": "each_line_starts_with", "text": "Se"}, "Se chove\nse faz sol", "Se chove\nsempre"),
        ({"rule": "words_starting_with", "text": "s", "min": 3}, "Só a Sílvia sabe.", "Só a Ana sabe."),
        ({"rule": "occurrences", "text": "pr", "min": 2}, "O primo comprou.", "O tio comprou."),
        ({"rule": "without_letter", "letter": "a"}, "O velho vendeu tudo.", "O velho não vendeu."),
        ({"rule": "only_vowel", "letter": "a"}, "A Ana lavava a mala.", "A avó lavava a mala."),
        ({"rule": "initials", "letters": "abcde"}, "Ana bebe chá devagar, encantada.", "Ana bebe chá, encantada."),
        (
            {"rule": "acrostic", "word": "ÁGIL"},
            "Ana\ngosta\nImenso\nlimão",
            "Ana\ncome\nisto\nlá",
        ),
        ({"rule": "palindrome"}, "A base do teto desaba.", "A base do teto cai."),
        (
            {"rule": "pangram"},
            "Yolanda Wickham jaz quebrada: fiz-lhe vestes, pão, xá e gorros, ok?",
            "Um texto qualquer.",
        ),
        ({"rule": "isogram"}, "Portugal", "Borboleta"),
        ({"rule": "anagram_of", "word": "amor"}, "Roma, mora", "Roma, amora"),
        ({"rule": "anagram_of", "word": "amor"}, "mora", "amor"),
        ({"rule": "ladder", "first": "gato", "last": "bolo"}, "gato → galo → golo → bolo", "gato → pato → bolo"),
        ({"rule": "rhyme", "scheme": "ABAB"}, QUATRAIN, QUATRAIN.replace("balão", "arraial")),
        ({"rule": "rhyme", "scheme": "AA"}, "Vai o comboio lento\ncontra o vento", "Vai o comboio lento\ncontra o mar"),
        (
            {"rule": "syllables_per_line", "counts": [7]},
            QUATRAIN,
            "O comboio atravessa devagar a planície do Alentejo\nadeus",
        ),
        ({"rule": "syllables_per_line", "counts": [3, 2], "kind": "grammatical"}, "a casa\ncasa", "a casa\nazulejo"),
        ({"rule": "each_word_rhymes_with", "word": "janela"}, "panela, bela", "panela, porta"),
        ({"rule": "each_word_stress", "on": "proparoxytone"}, "lâmpada, médico", "lâmpada, janela"),
        ({"rule": "divided", "words": ["bor-bo-le-ta"]}, "bor · bo · le · ta", "bo-rbo-le-ta"),
        ({"rule": "names", "all": ["fino|finos", "à pressa"]}, "Bebem «finos» À pressa.", "Bebem um finório a pressa."),
        ({"rule": "names", "all": ["avô"]}, "É o avô.", "É a avó."),  # accents count
        ({"rule": "avoids", "texts": ["água"]}, "Só a falta ensina.", "A água falta."),
        ({"rule": "in_order", "texts": ["animal", "peixe"]}, "animal, peixe", "peixe, animal"),
        ({"rule": "uses_words", "words": ["a", "Ana", "veio"]}, "Veio a Ana.", "A Ana não veio."),
        ({"rule": "number", "value": 11, "units": ["vezes"]}, "Aparece onze vezes em 9 palavras.", "Aparece 9 vezes."),
        ({"rule": "number", "value": 1}, "Há uma.", "Há duas."),
    ],
)
def test_a_rule_holds_and_fails(rule: dict[str, object], good: str, bad: str):
    assert (verdict(rule, good), verdict(rule, bad)) == ("holds", "fails")


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ({"rule": "each_word_syllables", "min": 3, "max": 3}, "história"),  # his-tó-ria, his-tó-ri-a
        ({"rule": "each_word_stress", "on": "proparoxytone"}, "lâmpada, história"),
        ({"rule": "rhyme", "scheme": "AA"}, "o meu avô\ne a minha avó"),
        ({"rule": "divided", "words": ["ca-fé"]}, "A palavra «café» é aguda."),
        ({"rule": "number", "value": 11}, "Há 8 palavras e 11 letras."),
        ({"rule": "number", "value": 11}, "Não sei contar isso."),
        ({"rule": "avoids", "texts": ["água"]}, "Só a falta ensina, sem dizer «água»."),
        ({"rule": "anagram_of", "word": "amor"}, "Não conheço nenhuma palavra que se possa formar assim."),
        ({"rule": "each_word_starts_with", "text": "p"}, "«Pedro pede pão.» ou então «A Paula pede pão.»"),
        ({"rule": "palindrome"}, "«A base do teto desaba.»\n\n«Hoje não me lembro de outro.»"),
        ({"rule": "rhyme", "scheme": "ABAB"}, QUATRAIN.replace("João,\n", "João,\n\n")),  # one quatrain or two couplets
        ({"rule": "lines", "min": 4, "max": 4}, f"{QUATRAIN}\n\nA rima é cruzada\ne o metro é de sete sílabas."),
        ({"rule": "words", "min": 1}, " \n"),
        ({"rule": "in_order", "texts": ["animal", "peixe"]}, "bicho, peixe"),
    ],
)
def test_what_cannot_be_decided_is_not(rule: dict[str, object], answer: str):
    assert verdict(rule, answer) == "undecided"


@pytest.mark.parametrize(
    "answer",
    [
        "Pedro pediu pão para poder petiscar.",
        "«Pedro pediu pão para poder petiscar.»",
        '"Pedro pediu pão para poder petiscar."',
        "**Pedro pediu pão para poder petiscar.**",
        "Claro! Aqui está uma frase:\n\n> Pedro pediu pão para poder petiscar.\n\nEspero que gostes!",
        "**Frase:** Pedro pediu pão para poder petiscar.",
        "**Aqui está a frase:**\n\nPedro pediu pão para poder petiscar.",
        "Pedro **pediu pão** para poder petiscar.",
        "A frase é «Pedro pediu pão para poder petiscar». Tem seis palavras.",
        "Pedro pediu pão para poder petiscar. Espero que gostes!",
        "## Resposta\n\nPedro pediu pão para poder petiscar.\n\nNota: todas as palavras começam por «p».",
    ],
)
def test_a_sentence_is_found_in_what_stands_around_it(answer: str):
    assert verdict({"rule": "each_word_starts_with", "text": "p"}, answer) == "holds"


@pytest.mark.parametrize(
    "answer",
    [
        "Roma, mora e ramo.",
        "Três anagramas de «amor» são «Roma», «mora» e «ramo».",
        "Os anagramas são: roma, mora e ramo.",
        "Claro! Aqui estão três:\n- roma\n- mora\n- ramo",
        "1. **Roma** – capital de Itália\n2. **Mora** – do verbo morar\n3. **Ramo** – parte da árvore",
        "Roma (a cidade), mora (do verbo morar) e ramo",
        "roma\nmora\nramo",
    ],
)
def test_a_list_is_found_in_every_form(answer: str):
    assert verdict({"rule": "anagram_of", "word": "amor"}, answer) == "holds"
    assert verdict({"rule": "listed", "min": 3}, answer) == "holds"


@pytest.mark.parametrize(
    "answer",
    [
        "Longe ficou a noite,\num cão dorme,\nmexe-se a brasa\ne a casa respira.",
        "**L**onge ficou a noite,\n**U**m cão dorme,\n**M**exe-se a brasa\n**E** a casa respira.",
        "L - Longe ficou a noite\nU - Um cão dorme\nM - Mexe-se a brasa\nE - E a casa respira",
        "**O fogo**\nLonge ficou a noite,\num cão dorme,\nmexe-se a brasa\ne a casa respira.",
        "# LUME\n\nLonge ficou a noite,  \num cão dorme,  \nmexe-se a brasa  \ne a casa respira.\n\nFala do lume.",
        "Longe ficou a noite / um cão dorme / mexe-se a brasa / e a casa respira",
    ],
)
def test_verses_are_found_in_every_form(answer: str):
    assert verdict({"rule": "acrostic", "word": "LUME"}, answer) == "holds"


def test_a_finding_says_what_was_found_where():
    (finding,) = verify(parse_checks([{"rule": "each_word_starts_with", "text": "p"}]), "«Pedro pede azul.»")
    assert (finding.found, finding.read) == ("word 3, «azul», begins with «a»", ("Pedro pede azul.",))
    (finding,) = verify(parse_checks([{"rule": "pangram"}]), "Zebra, texto, Yolanda, Wilson, jovem, quiz, facho")
    assert finding.found == "missing: g k p"


def test_an_item_fails_where_one_check_fails_and_holds_where_all_hold():
    checks = parse_checks([{"rule": "palindrome"}, {"rule": "words", "min": 2}])
    assert overall(verify(checks, "A base do teto desaba.")) is Verdict.HOLDS
    assert overall(verify(checks, "A base do teto cai.")) is Verdict.FAILS
    assert overall(verify(checks, "")) is Verdict.UNDECIDED
    assert overall(()) is Verdict.UNDECIDED


ONE_OF_EACH = parse_checks(
    [
        {"rule": "listed", "min": 1},
        {"rule": "lines", "min": 1},
        {"rule": "each_word_syllables", "min": 1},
        {"rule": "syllables_per_line", "counts": [7]},
        {"rule": "ladder", "first": "mar", "last": "sal"},
        {"rule": "rhyme", "scheme": "AB"},
        {"rule": "each_word_rhymes_with", "word": "mar"},
        {"rule": "each_word_stress", "on": "oxytone"},
        {"rule": "divided", "words": ["ca-fé"]},
        {"rule": "names", "all": ["mar"]},
        {"rule": "avoids", "texts": ["mar"]},
        {"rule": "number", "value": 3},
        {"rule": "pangram"},
    ]
)


@given(st.text(alphabet="aeimrsçãé 37.,:;«»\"*-–#>\n/→'", max_size=80))
def test_no_answer_breaks_a_check(answer: str):
    assert [finding.check for finding in verify(ONE_OF_EACH, answer)] == list(ONE_OF_EACH)
