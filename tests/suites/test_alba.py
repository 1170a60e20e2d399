"""The ALBA suite: eight judged tasks, and our own prompts, in European Portuguese only."""

import json
import re
import unicodedata
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from sotaque.data.alba import DIMENSIONS, LANGUAGE, read_ratings
from sotaque.errors import DataError
from sotaque.language.normalize import answer_key, key
from sotaque.prompts.order import order_for
from sotaque.prompts.render import plan, reconstructed, render
from sotaque.records import Generate, Item, Message, RunSpec
from sotaque.suites.items import load_items
from sotaque.suites.suite import Suite, load_suite

QUOTED = re.compile("«[^»]*»")
BRAZILIAN = (
    r"\best(?:á|ou|ás|amos|ão|ava|avam|eja)\s+\w+ndo\b",  # estar + gerund
    r"\bvocês?\b|\bseu?s? (?:nome|texto|resposta)\b|\ba gente\b",
    r"\b(?:trem|ônibus|celular|banheiro|café da manhã|geladeira|açougue|grama|terno|xícara|esporte|time|equipe|mouse|"
    r"tela|arquivo|usuário|registro|contato|fato|fatos|aspecto|caráter|recepção|legal|bala|sorvete|suco|mamadeira)\b",
    r"\b\w*[êô][mn][aeiou]\w*",  # sinônimo, gênero, Antônio: here with an acute
    r"(?:^|[.!?]\s+)(?:Me|Te|Se|Nos|Lhe)\s+\w+",  # a pronoun before the verb that begins the sentence
    r"\b\w*[gq]ü\w*\b|\bidéia\b",
)
TO_YOU = re.compile(
    r"\b(?:Dá|Diz|Indica|Escreve|Explica|Identifica|Reescreve|Resume|Passa|Põe|Completa|Classifica|Transforma|Conjuga|Faz|"
    r"Divide|Inventa|Transcreve|Justifica|Acrescenta|Forma|Retira|Corrige|Continua|Liga|Descobre|Vai|Separa|Substitui|"
    r"Ordena|Adivinha)(?:-\w+)?\b"
)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_suite("alba")


@pytest.fixture(scope="module")
def items(suite: Suite) -> dict[str, tuple[Item, ...]]:
    return load_items(suite, "bundled").items


def unquoted(item: Item) -> str:
    """What we say; examples in quotes may be of another variety, or be wrong on purpose."""
    return QUOTED.sub("«»", item.fields["prompt"])


def test_the_tasks_are_the_eight_dimensions(suite: Suite):
    assert list(suite.tasks) == list(DIMENSIONS)
    for slug, task in suite.tasks.items():
        assert task.about.startswith(f"{DIMENSIONS[slug]}: ")
        assert (task.mode, task.metrics, task.prompt, task.system) == ("judge", ("judge_score",), "{prompt}", "")
        published = task.protocol.published
        assert published is not None
        assert (published.shots, task.protocol.default.shots) == (0, 0)
        assert {"max_tokens", "temperature"} <= set(published.reconstructed)
        assert task.protocol.default.why
    assert suite.averages["average"].of == tuple(DIMENSIONS)


def test_a_model_is_sent_the_question_and_nothing_else(suite: Suite):
    loaded = load_items(suite, "bundled", ["syntax"])
    made = plan(suite.tasks["syntax"], loaded, RunSpec("alba", "m"), "chat")
    item = loaded.files["syntax"].items[0]
    request = render(made, item, order_for(item, None)).request
    assert isinstance(request, Generate)
    assert request.messages == (
        Message("user", "Identifica o sujeito e o predicado da frase «Ontem à noite chegaram os primos da Joana.»"),
    )


SUBTOPICS = {
    "language_variety": "adaptation, identification, differing terms, terms that flag a variety, North, "
    "Centre, Trás-os-Montes, Alentejo, Algarve, Madeira, Azores",
    "culture_bound_semantics": "idiom: meaning, idiom: in context, idiom: origin, proverb: meaning, proverb: "
    "completion, proverb: equivalent of a foreign one, idioms: equivalent of a foreign "
    "one, riddle",
    "discourse_analysis": "register, text typology, keywords, figures of speech, paraphrase, direct and "
    "indirect speech, divergences in content, chronological order, proofreading, summary, "
    "data extraction, subject-specific text, text completion, text adaptation, irony",
    "word_plays": "palindrome, pangram, isogram, marsupial words, anagrams, acrostic, calligram, "
    "alphabet soup, word count, letter count, letter recognition, rule-based sentence",
    "syntax": "subject, objects, other constituents, clauses, active and passive voice, sentence types, word order",
    "morphology": "verb tenses, adjective degrees, constituents, affixes, interfixes, prepositions, "
    "thematic vowels, person",
    "lexicology": "synonymy, antonymy, homophony, homography, hyponymy and hypernymy, lexical field, "
    "semantic field, word family, neologism, archaism",
    "phonetics_phonology": "vowels, consonants, diphthongs, hiatus, syllables, alliteration, tongue twister, "
    "rhyme types, rhyming words, scansion, phonetic transcription, sound repetition, "
    "speech sounds",
}
"""Sub-topics as section 3.2 of the paper names them."""


@pytest.mark.parametrize("slug", DIMENSIONS)
def test_the_sub_topics_of_the_paper_are_covered(items: dict[str, tuple[Item, ...]], slug: str):
    topics = [item.metadata["topic"] for item in items[slug]]
    missing = [each for each in SUBTOPICS[slug].split(", ") if not any(each in topic for topic in topics)]
    assert not missing
    assert max(Counter(topics).values()) <= 4


def test_each_dimension_has_twenty_prompts(items: dict[str, tuple[Item, ...]]):
    assert list(items) == list(DIMENSIONS)
    for slug, part in items.items():
        assert [item.id for item in part] == [f"{slug}-{number}" for number in range(1, 21)]
        for item in part:
            assert item.metadata["dimension"] == slug
            assert (item.metadata["author"], item.metadata["review"]) == ("model-written", "unreviewed")
            assert re.fullmatch("[1-9][0-9]*", item.metadata["version"])


def test_prompts_differ_in_more_than_a_word(items: dict[str, tuple[Item, ...]]):
    texts = {
        item.id: set(re.findall(r"\w+", key(item.fields["prompt"], LANGUAGE)))
        for part in items.values()
        for item in part
    }
    for one, other in combinations(texts, 2):
        assert len(texts[one] & texts[other]) / len(texts[one] | texts[other]) < 0.6, (one, other)


def test_prompts_have_no_brazilian_forms(items: dict[str, tuple[Item, ...]]):
    for part in items.values():
        for item in part:
            for cue in BRAZILIAN:
                found = re.search(cue, unquoted(item), re.IGNORECASE if cue[0] != "(" else 0)
                assert not found, (item.id, found)


@pytest.mark.parametrize(
    "text",
    [
        "O que ele está fazendo?",
        "O que você acha?",
        "Descreve o trem.",
        "Me dá um exemplo.",
        "Dá-me três sinônimos.",
        "Explica o fato.",
    ],
)
def test_the_cues_find_brazilian_forms(text: str):
    assert any(re.search(cue, text, re.IGNORECASE if cue[0] != "(" else 0) for cue in BRAZILIAN)


def test_prompts_speak_to_the_reader_as_tu_or_ask(items: dict[str, tuple[Item, ...]]):
    for part in items.values():
        for item in part:
            assert TO_YOU.search(unquoted(item)) or "?" in unquoted(item), item.id


def test_prompts_are_clean(items: dict[str, tuple[Item, ...]]):
    texts = [item.fields["prompt"] for part in items.values() for item in part]
    assert len({key(text, LANGUAGE) for text in texts}) == len(texts) == 160
    for text in texts:
        assert unicodedata.is_normalized("NFC", text)
        assert text == text.strip()
        assert text.count("«") == text.count("»")
        assert not re.search(r"\s{2}|\s[,.;:!?](?!\.\.)|[\"“”]", text), text


def test_our_prompts_are_not_the_published_ones(official: Path, items: dict[str, tuple[Item, ...]]):
    theirs = [answer_key(answer.prompt, LANGUAGE) for answer in read_ratings(official / "alba" / "judge_selection")]
    published = [set(re.findall(r"\w+", text)) for text in set(theirs)]
    for part in items.values():
        for item in part:
            assert answer_key(item.fields["prompt"], LANGUAGE) not in theirs
            ours = set(re.findall(r"\w+", answer_key(item.fields["prompt"], LANGUAGE)))
            nearest = max(len(ours & other) / len(ours | other) for other in published)
            assert nearest < 0.75, (item.id, nearest)


def test_what_is_to_be_counted_or_found_has_an_answer(items: dict[str, tuple[Item, ...]]):
    prompts = {item.metadata["topic"]: item.fields["prompt"] for item in items["word_plays"]}
    sentence = unicodedata.normalize("NFD", QUOTED.findall(prompts["letter count"])[1].lower())
    assert sentence.count("a") == 11
    assert all(sorted(word) == sorted("amor") for word in ("roma", "mora", "ramo"))
    assert "«amor»" in prompts["anagrams"]
    assert len(set("portugal")) == 8


# ---------------------------------------------------------------- the official prompts

SPELLINGS = ("Language Variety", "Culture-Bound Semantics", "Discourse analysis", "Word Plays", "Syntax", "Morphology")
ROWS = [
    {"id": number, "category": category, "prompt": f"pergunta {number} sobre {category} "}
    for category in (*SPELLINGS, "Lexicology", "Phonetics and Phonology")
    for number in range(1, 4)
]


@pytest.fixture
def published(tmp_path: Path) -> Path:
    (tmp_path / "prompts").mkdir()
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    (tmp_path / "prompts" / "train.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def test_one_official_file_serves_all_dimensions(suite: Suite, published: Path):
    loaded = load_items(suite, str(published))
    assert Counter({name: len(part) for name, part in loaded.items.items()}) == dict.fromkeys(DIMENSIONS, 3)
    first = loaded.items["phonetics_phonology"][0]
    assert (first.id, first.fields["prompt"]) == (
        "phonetics_phonology-1",
        "pergunta 1 sobre Phonetics and Phonology ",
    )
    assert len({item.id for part in loaded.items.values() for item in part}) == len(ROWS)
    task = suite.tasks["syntax"]
    assert task.protocol.published is not None
    assert "prompt" not in reconstructed(task, loaded, task.protocol.published)


def test_without_the_download_the_message_says_what_to_run(suite: Suite, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("SOTAQUE_DOWNLOADS", str(tmp_path))
    with pytest.raises(DataError, match="carminho/alba, prompts/train, revision main: has not been fetched") as caught:
        load_items(suite, "official")
    assert "sotaque data pull alba" in caught.value.remedy
