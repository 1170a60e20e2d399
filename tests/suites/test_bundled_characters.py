"""Characters, quotation marks and spelling of all Portuguese text that we ship."""

import re
import unicodedata
from collections.abc import Callable, Iterator

import pytest

from bundled_texts import PORTUGUESE, Shipped, shipped

WRONG_ON_PURPOSE = frozenset({"frase_incorreta"})
"""Fields that hold a mistake which the item is about."""

QUOTATION = re.compile('«[^«»]*»|“[^“”]*”|"[^"\n]*"')
PAIRS = {"«": "»", "“": "”"}

# As the agreement of 1990 no longer writes them, in one country or in both.
OLD = """
idéia idéias assembléia assembléias platéia platéias estréia estréias colméia colméias epopéia epopéias odisséia geléia
geléias européia européias coréia jibóia jibóias jóia jóias bóia bóias paranóia asteróide asteróides andróide andróides
heróico heróica heróicos heróicas estóico estóica apóia apóio apóiam bóiam vôo vôos enjôo enjôos perdôo abençôo magôo
vêem lêem crêem dêem relêem prevêem descrêem feiúra baiúca pára péla pêlo pêlos pêra pólo pólos
lingüiça lingüiças lingüística lingüístico freqüente freqüentes freqüência freqüentar freqüentemente tranqüilo tranqüila
tranqüilos tranqüilas tranqüilidade conseqüência conseqüências conseqüente cinqüenta agüentar agüenta agüentou pingüim
pingüins seqüência seqüências seqüestro bilíngüe ambigüidade ungüento eloqüente argüir enxágüe sagüi qüinqüênio
acção acções acto actos actor actores actriz actual actuais actualmente actividade actividades activo activa adopção
adoptar adoptivo afecto afectivo arquitecto arquitectura baptismo baptizar baptizado colecção colecções
colectivo correcção correcto correcta correctamente dialecto dialectos direcção direcções directa directo director
directora eléctrico eléctrica electricidade electrónico efectivo efectivamente egipto exacto exacta exactamente
excepto factura fracção fracções inspector insecto insectos lectivo leccionar nocturno nocturna objecção objecto
objectos objectivo objectivos óptimo óptima óptimos óptimas projecto projectos protecção protector redacção reflectir
respectivamente selecção seleccionar tecto tectos trajecto trajectos tractor
auto-estrada auto-escola auto-retrato anti-social anti-sepsia contra-senso contra-regra infra-estrutura infra-estruturas
extra-escolar semi-árido co-autor co-autora fim-de-semana dia-a-dia mão-de-obra pé-de-moleque pão-de-ló água-de-coco
hei-de hás-de há-de hão-de pára-quedas pára-brisas pára-choques microondas manda-chuva
sòmente fàcilmente sómente cafèzinho avòzinha êle êsse êste dêle tôda tôdo côr
""".split()
OLD_BUT_BRAZILIAN = frozenset({"respectivamente"})
"""What Brazil writes to this day."""

_WORD = re.compile(r"[\w-]+")


def not_composed(text: Shipped) -> Iterator[str]:
    if text.text != unicodedata.normalize("NFC", text.text):
        yield "not NFC"


def invisible(text: Shipped) -> Iterator[str]:
    for letter in text.text:
        kind = unicodedata.category(letter)
        if kind in ("Cf", "Cc", "Co", "Cn", "Zl", "Zp") and letter != "\n" or kind == "Zs" and letter != " ":
            yield f"U+{ord(letter):04X} {unicodedata.name(letter, '')}"


def spaces(text: Shipped) -> Iterator[str]:
    if "  " in text.text:
        yield "double spaces"
    if re.search(r"(?m)^ | $", text.text) or text.text != text.text.strip():
        yield "white space at an edge"


def quotation_marks(text: Shipped) -> Iterator[str]:
    open_marks: list[str] = []
    for letter in text.text:
        if letter in PAIRS:
            open_marks.append(PAIRS[letter])
        elif letter in PAIRS.values() and (not open_marks or open_marks.pop() != letter):
            yield f"{letter} without its opening mark"
    if open_marks or text.text.count('"') % 2:
        yield "a quotation mark without its partner"


def old_spelling(text: Shipped) -> Iterator[str]:
    if text.field.rpartition(".")[2] in WRONG_ON_PURPOSE:
        return
    written = set(_WORD.findall(QUOTATION.sub(" ", text.text).lower()))
    for word in OLD:
        if word in written and not (text.language == "pt-BR" and word in OLD_BUT_BRAZILIAN):
            yield f"'{word}', as before 1990"


LOOKS: tuple[Callable[[Shipped], Iterator[str]], ...] = (
    not_composed,
    invisible,
    spaces,
    quotation_marks,
    old_spelling,
)


@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.__name__)
@pytest.mark.parametrize("name", PORTUGUESE)
def test_what_we_ship_is_clean(name: str, look: Callable[[Shipped], Iterator[str]]):
    found = [f"{text.place} {text.field}: {what}" for text in shipped(name) for what in look(text)]
    assert not found, "\n".join(found)


CAUGHT: list[tuple[Callable[[Shipped], Iterator[str]], str]] = [
    (not_composed, "cafe\u0301"),
    (invisible, "um\u00a0dia"),
    (invisible, "um\u200bdia"),
    (invisible, "um\u00addia"),
    (invisible, "um\tdia"),
    (invisible, "um\u2028dia"),
    (spaces, "um  dia"),
    (spaces, " dia"),
    (spaces, "dia "),
    (spaces, "um \ndia"),
    (spaces, "dia\n"),
    (quotation_marks, "disse «sim"),
    (quotation_marks, "disse sim»"),
    (quotation_marks, "disse »sim«"),
    (quotation_marks, "«um “dois» três”"),
    (quotation_marks, 'disse "sim'),
    (old_spelling, "Que Idéia!"),
    (old_spelling, "uma lingüiça"),
    (old_spelling, "no fim-de-semana"),
    (old_spelling, "a direcção"),
]
FINE: list[tuple[Callable[[Shipped], Iterator[str]], str]] = [
    (not_composed, "café"),
    (invisible, "um dia\noutro"),
    (spaces, "um dia\n\noutro"),
    (quotation_marks, '«um “dois” três» e "quatro" e d\'água'),
    (old_spelling, 'A palavra «idéia» e a "lingüiça" eram assim.'),
    (old_spelling, "Ele pôde vê-la; a ideia e o voo; pôr, por, para, fim de semana, heroico, herói."),
]


@pytest.mark.parametrize(("look", "text"), CAUGHT)
def test_a_planted_fault_is_caught(look: Callable[[Shipped], Iterator[str]], text: str):
    assert list(look(Shipped("s", "pt-PT", "a.jsonl:1", "prompt", text)))


@pytest.mark.parametrize(("look", "text"), FINE)
def test_what_is_fine_is_let_through(look: Callable[[Shipped], Iterator[str]], text: str):
    assert list(look(Shipped("s", "pt-PT", "a.jsonl:1", "prompt", text))) == []


def test_a_mistake_on_purpose_may_be_an_old_spelling():
    text = Shipped("s", "pt-BR", "erros.jsonl:1", "frase_incorreta", "A idéia foi boa.")
    assert list(old_spelling(text)) == []


def test_respectivamente_is_brazilian_to_this_day():
    assert list(old_spelling(Shipped("s", "pt-BR", "a.jsonl:1", "prompt", "Ana e Rui, respectivamente"))) == []
    assert list(old_spelling(Shipped("s", "pt-PT", "a.jsonl:1", "prompt", "Ana e Rui, respectivamente"))) != []
