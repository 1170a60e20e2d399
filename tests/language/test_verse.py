"""Rhyme and metre of Portuguese verse."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sotaque.language.verse import measure, rhymes


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("amor", "flor"),
        ("coração", "canção"),
        ("janela", "panela"),
        ("cresce", "desse"),
        ("voz", "cós"),
        ("lua", "rua"),
        ("pinho", "linho"),
        ("também", "vintém"),
        ("luz", "cruz"),
        ("partiu", "viu"),
        ("fogueira", "inteira"),
        ("João", "balão"),
        ("mesa", "beleza"),
        ("casa", "asa"),
        ("história", "memória"),
        ("quis", "feliz"),
        ("massa", "caça"),
        ("sonhei", "cantarei"),
    ],
)
def test_full_rhymes(first: str, second: str):
    assert rhymes(first, second) is rhymes(second, first) is True


@pytest.mark.parametrize(
    ("first", "second"),
    [("sol", "alegria"), ("lume", "lua"), ("luz", "sol"), ("casa", "porta"), ("amor", "amora"), ("cantar", "cantei")],
)
def test_what_does_not_rhyme(first: str, second: str):
    assert rhymes(first, second) is rhymes(second, first) is False


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("avó", "avô"),  # open and closed
        ("mãe", "bem"),  # one sound in Lisbon
        ("beijo", "vejo"),  # likewise
        ("fonte", "longe"),  # the vowels only
        ("casa", "massa"),
    ],
)
def test_what_spelling_cannot_tell(first: str, second: str):
    assert rhymes(first, second) is rhymes(second, first) is None


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("O mar enrola na areia", 7),
        ("ninguém sabe o que ele diz", 7),
        ("As armas e os barões assinalados", 10),
        ("Que da ocidental praia lusitana", 10),
        ("Alma minha gentil, que te partiste", 10),
        ("A neve na serra.", 5),
        ("Um cão ladra ao vento norte.", 7),
    ],
)
def test_a_line_can_be_read_with_the_syllables_it_has(line: str, count: int):
    found = measure(line)
    assert found.least <= found.low <= count <= found.high <= found.most


@pytest.mark.parametrize(
    ("line", "count"),
    [("O comboio atravessa devagar a planície do Alentejo", 7), ("Lua", 3), ("No inverno faz muito frio", 5)],
)
def test_a_line_cannot_be_read_with_others(line: str, count: int):
    found = measure(line)
    assert not found.least <= count <= found.most


def test_a_line_without_words_has_no_metre():
    with pytest.raises(ValueError, match="without words"):
        measure("... 7 !")


@given(
    st.text(alphabet="abcdefghijlmnopqrstuvzáéíóúãõâêô", min_size=2, max_size=12).filter(
        lambda t: any(c in "aeiou" for c in t)
    )
)
def test_every_word_rhymes_with_itself(word: str):
    assert rhymes(word, word) is True
