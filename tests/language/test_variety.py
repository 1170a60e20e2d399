"""Which variety of Portuguese: sentences of each, homographs, spans, and the table itself."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from variety_sentences import BRAZILIAN as IN_BRAZIL
from variety_sentences import EUROPEAN as IN_PORTUGAL
from variety_sentences import HOMOGRAPHS, MIXED, NEUTRAL

from sotaque.language.cue_forms import LISTED, OPEN, first_words, pattern_of
from sotaque.language.variety import BOTH, BRAZILIAN, EUROPEAN, Cue, Verdict, cues, variety_of

KINDS = {"lexicon", "spelling", "accent", "grammar", "phrase"}
FLAGS = {"initial", "homograph", "old", "regional"}


def test_there_are_sixty_sentences_of_each_variety_and_no_two_are_the_same():
    assert min(len(IN_PORTUGAL), len(IN_BRAZIL)) >= 60
    everything = [*IN_PORTUGAL, *IN_BRAZIL, *NEUTRAL, *MIXED, *(text for text, _ in HOMOGRAPHS)]
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize("text", IN_PORTUGAL)
def test_european(text: str):
    assert variety_of(text).verdict == EUROPEAN


@pytest.mark.parametrize("text", IN_BRAZIL)
def test_brazilian(text: str):
    assert variety_of(text).verdict == BRAZILIAN


@pytest.mark.parametrize("text", IN_PORTUGAL)
def test_nothing_in_a_european_sentence_weighs_for_brazil(text: str):
    assert variety_of(text).weight_of(BRAZILIAN) == 0


@pytest.mark.parametrize("text", IN_BRAZIL)
def test_nothing_in_a_brazilian_sentence_weighs_for_portugal(text: str):
    assert variety_of(text).weight_of(EUROPEAN) <= 0.1  # fato, alone, weighs that little


@pytest.mark.parametrize("text", NEUTRAL)
def test_what_is_good_portuguese_in_both_countries_is_undecided(text: str):
    assert variety_of(text).verdict == Verdict.UNDECIDED


@pytest.mark.parametrize(("text", "verdict"), HOMOGRAPHS)
def test_homographs_need_context(text: str, verdict: str):
    assert variety_of(text).verdict == verdict


@pytest.mark.parametrize("text", MIXED)
def test_mixed(text: str):
    assert variety_of(text).verdict == Verdict.MIXED


# ---------------------------------------------------------------- spans


def found(text: str, *, quoted: bool = True) -> list[tuple[str, str]]:
    return [(text[each.start : each.end], each.variety) for each in variety_of(text, quoted=quoted).evidence]


def test_spans_are_what_stands_in_the_text_in_its_order():
    text = "Estou a arrumar a Casa de Banho; Me liga no celular."
    assert found(text) == [
        ("Estou a arrumar", EUROPEAN),
        ("Casa de Banho", EUROPEAN),
        ("Me liga", BRAZILIAN),
        ("no celular", BRAZILIAN),
    ]


def test_decomposed_accents_are_found_where_they_stand():
    text = unicodedata.normalize("NFD", "À mesa, o bebé pediu o pequeno-almoço ao António.")
    assert [unicodedata.normalize("NFC", each) for each, _ in found(text)] == ["bebé", "pequeno-almoço", "António"]


def test_a_letter_that_grows_in_small_letters_moves_no_span():
    assert found("İİİ o autocarro") == [("autocarro", EUROPEAN)]


def test_a_phrase_may_run_over_a_line_break():
    assert found("tomei o café\n  da manhã") == [("café\n  da manhã", BRAZILIAN)]


@pytest.mark.parametrize(
    "text",
    ["busautocarro", "autocarross", "o anti-ônibus-x", "trenzinho", "contatofobia", "pré-facto", "tremer", "fixei"],
)
def test_parts_of_words_are_no_cues(text: str):
    assert found(text) == []


@pytest.mark.parametrize("text", ["Não me dá nada.", "Ela me disse.", "Quando, me diz, chegam?", "o me dá"])
def test_a_pronoun_inside_a_clause_does_not_begin_it(text: str):
    assert found(text) == []


@pytest.mark.parametrize("text", ["Me diz.", "Olhou: me diz.", "— Me diz", "«Me diz»", "Veio.\nMe diz.", "  Me diz"])
def test_a_pronoun_that_begins_a_clause(text: str):
    assert found(text) == [("Me diz" if "Me" in text else "me diz", BRAZILIAN)]


def test_a_list_of_pronouns_begins_no_clause():
    assert found("me\nte\nlhe") == []


def test_a_longer_cue_covers_the_shorter_one_inside_it():
    assert found("Apanhou o comboio.") == [("Apanhou o comboio", EUROPEAN)]


def test_grammar_does_not_cover_the_word_inside_it():
    assert found("Está a planejar") == [("Está a planejar", EUROPEAN), ("planejar", BRAZILIAN)]


@pytest.mark.parametrize("quotes", ["«»", "“”", '""'])
def test_quotations_can_be_left_out(quotes: str):
    text = f"A frase {quotes[0]}A gente pegou o trem{quotes[1]} diz-se assim no autocarro?"
    assert variety_of(text).verdict == Verdict.MIXED
    assert found(text, quoted=False) == [("autocarro", EUROPEAN)]


def test_a_quotation_mark_that_is_never_closed_hides_nothing():
    assert found("Disse: «o trem chegou", quoted=False) == [("trem", BRAZILIAN)]
    assert found('Disse: "o trem chegou\ne o autocarro"', quoted=False) != []


# ---------------------------------------------------------------- weights


def test_a_cue_counts_once_however_often_it_occurs():
    thrice = variety_of("rapariga, rapariga, rapariga, rapariga")
    assert len(thrice.evidence) == 4
    assert thrice.weight_of(EUROPEAN) == 0.4
    assert thrice.verdict == Verdict.UNDECIDED


def test_weak_cues_add_up():
    assert variety_of("Você viu a gente?").verdict == Verdict.UNDECIDED
    assert variety_of("Você viu a gente com o cachorro?").verdict == BRAZILIAN


def test_one_stray_word_does_not_make_a_long_text_mixed():
    long = " ".join(IN_PORTUGAL)
    assert variety_of(long).verdict == EUROPEAN
    stray = variety_of(f"{long} Ônibus.")
    assert stray.verdict == EUROPEAN
    assert stray.weight_of(BRAZILIAN) == 1


@pytest.mark.parametrize("text", ["", " ", "?!", "12", "حرف", "«»"])
def test_a_text_without_words_is_undecided(text: str):
    assert variety_of(text).evidence == ()
    assert variety_of(text).verdict == Verdict.UNDECIDED


# ---------------------------------------------------------------- properties

PIECES = st.sampled_from(
    [
        *IN_PORTUGAL[:20],
        *IN_BRAZIL[:20],
        "«",
        "»",
        '"',
        "“",
        "”",
        "\n",
        " ",
        "e\u0301",
        "İ",
        "a\u0327\u0303",
        "-",
        "me dá",
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=8).map("".join)


@given(TEXTS, st.booleans())
def test_spans_lie_in_the_text_and_are_exact(text: str, quoted: bool):
    for each in variety_of(text, quoted=quoted).evidence:
        assert 0 <= each.start < each.end <= len(text)
        piece = unicodedata.normalize("NFC", text[each.start : each.end]).lower()
        assert pattern_of(each.cue).fullmatch(piece)
        assert 0 < each.weight <= 1
        assert each.variety in (EUROPEAN, BRAZILIAN)


@given(TEXTS)
def test_leaving_quotations_out_never_adds_anything(text: str):
    assert set(variety_of(text, quoted=False).evidence) <= set(variety_of(text).evidence)


@given(st.sampled_from([*IN_PORTUGAL, *IN_BRAZIL, *MIXED]))
def test_neither_case_nor_unicode_form_changes_the_verdict(text: str):
    verdict = variety_of(text).verdict
    assert variety_of(text.upper()).verdict == verdict
    assert variety_of(unicodedata.normalize("NFD", text)).verdict == verdict


# ---------------------------------------------------------------- the table


def test_the_table_has_many_cues_of_each_variety_and_each_is_well_formed():
    table = cues()
    assert min(sum(cue.variety == variety for cue in table) for variety in (EUROPEAN, BRAZILIAN)) >= 200
    assert len({cue.form for cue in table}) == len(table)
    for cue in table:
        assert cue.variety in (EUROPEAN, BRAZILIAN, BOTH), cue
        assert cue.weight == 0 if cue.variety == BOTH else 0 < cue.weight <= 1, cue
        assert cue.kind in KINDS, cue
        assert cue.flags <= FLAGS, cue
        assert len(cue.reason) >= 5, cue
        assert cue.form == unicodedata.normalize("NFC", cue.form).lower(), cue
        assert "homograph" not in cue.flags or cue.weight < 1, cue


@pytest.mark.parametrize("form", ["casa(s de banho", "{nada}", "", "a(b(c)d)", "re{palavra}"])
def test_a_form_that_is_not_well_formed_is_refused(form: str):
    with pytest.raises(ValueError, match="form|class|listed"):
        first_words(form)


@pytest.mark.parametrize("name", [*LISTED, *OPEN])
def test_every_class_of_words_is_in_use(name: str):
    assert any(f"{{{name}}}" in cue.form for cue in cues())


def spelled(form: str) -> str:
    """The first of all ways to write a form; a class of words by one of them."""
    samples = {name: words[0] for name, words in LISTED.items()} | {
        "palavra": "casa",
        "advérbio": "sempre",
        "infinitivo": "correr",
        "gerúndio": "correndo",
        "particípio": "falado",
        "segunda": "corres",
        "ámos": "falámos",
    }
    form = re.sub(r"\{([^}]+)\}", lambda match: samples[match[1]], form)
    return re.sub(r"\(([^)]*)\)", lambda match: match[1].split("|")[0], form)


@pytest.mark.parametrize("cue", cues(), ids=lambda cue: cue.form)
def test_every_cue_is_found_where_it_stands_and_nothing_speaks_for_the_other_country(cue: Cue):
    evidence = variety_of(f"{spelled(cue.form)}, ").evidence
    if cue.variety == BOTH:
        assert evidence == ()
    else:
        assert (cue.form, 0, len(spelled(cue.form))) in [(each.cue, each.start, each.end) for each in evidence]
        assert {each.variety for each in evidence} == {cue.variety}
