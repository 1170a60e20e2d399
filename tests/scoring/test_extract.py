"""Tables of what models really write, one per kind of fault (FIELD_FAULTS.md) or of wording."""

import unicodedata

import pytest

from sotaque.scoring.extract import Extraction, extract

PT_LABELS = tuple("ABCDE")
PT_OPTIONS = ("a vida é curta", "quem espera sempre alcança", "devagar se vai ao longe", "ir", "ir embora")
FA_LABELS = ("الف", "ب", "ج", "د")
FA_OPTIONS = ("او را تشویق می‌کند.", "او را مسخره می‌کند.", "باید صبر کند", "هیچ کاری نکند")
DIGITS = ("۱", "۲", "۳", "۴")

INVALID, CONFLICT = "invalid", "conflict"


def portuguese(text: str, *, truncated: bool = False) -> Extraction:
    return extract(text, labels=PT_LABELS, options=PT_OPTIONS, languages=("pt",), truncated=truncated)


def persian(text: str, *, truncated: bool = False) -> Extraction:
    return extract(text, labels=FA_LABELS, options=FA_OPTIONS, languages=("fa", "en"), truncated=truncated)


def digits(text: str) -> Extraction:
    return extract(text, labels=DIGITS, options=FA_OPTIONS, languages=("fa", "en"))


def outcome(found: Extraction) -> str:
    if found.kind == "picked":
        assert found.position is not None
        return found.read
    assert found.position is None
    return found.kind


# ------------------------------------------------- row 1: decoration


@pytest.mark.parametrize(
    "text",
    [
        "RESPOSTA: **B**",
        "**Resposta:** B",
        "**Resposta: B**",
        "### Resposta\n\n**B**",
        "> B",
        "`B`",
        "```\nB\n```",
        '```json\n{"resposta": "B"}\n```',
        "\\boxed{B}",
        "$\\boxed{\\text{B}}$",
        "Thus, the answer is $\\boxed{\\mathrm{B}}$.",
        "<b>B</b>",
        "<answer>\nB\n</answer>",
        "<p>Resposta: <strong>B</strong></p>",
        "~~A~~ B",
        "✅ B",
        "B 😊",
        "- B) quem espera sempre alcança",
        "[B]",
        "“B”",
        "Alternativa «B»",
        "1. B",
        "Questão 1: B",
        "Resposta\u200b:\u00a0B",
    ],
)
def test_decoration_hides_no_letter(text: str) -> None:
    assert outcome(portuguese(text)) == "B"


@pytest.mark.parametrize(
    "text",
    [
        "**ب**",
        "«ب»",
        "(ب)",
        ")ب(",
        "[ب]",
        "〈ب〉",
        "\u200fب\u200f.",
        "\u202bب)\u202c",
        "\\boxed{ب}",
        "ـبـ",
        "بِ",
        "ب：",
        "ب .",
    ],
)
def test_decoration_hides_no_persian_letter(text: str) -> None:
    assert outcome(persian(text)) == "ب"


# ------------------------------------------------- row 2: letters inside words


@pytest.mark.parametrize(
    "text",
    [
        "RESPOSTA: desconheço",
        "Resposta: D'água",
        "E-mail",
        "C'est la vie",
        "C++",
        "vitamina C é boa",
        "Plano B",
        "Classe A",
        "Resposta: Bahia",
        "BCE",
        "R$ 5",
    ],
)
def test_letter_inside_a_word_is_not_an_answer(text: str) -> None:
    assert outcome(portuguese(text)) == INVALID


@pytest.mark.parametrize("text", ["به", "پاسخ: به", "در", "الفبا", "جواب", "پاسخ: دیگر", "پاسخ: جالب است"])
def test_persian_letter_inside_a_word_is_not_an_answer(text: str) -> None:
    assert outcome(persian(text)) == INVALID


@pytest.mark.parametrize("text", ["۱۲", "1390", "3.5", "پاسخ: ۱۰", "پاسخ: ۳/۴", "در سال ۳ بود", "٪۳۰"])
def test_digit_inside_a_number_is_not_an_answer(text: str) -> None:
    assert outcome(digits(text)) == INVALID


# ------------------------------------------------- row 3: articles and conjunctions


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A resposta correta é a C.", "C"),
        ("A alternativa correta é a letra D", "D"),
        ("A resposta é a E.", "E"),
        ("E a resposta é a B.", "B"),
        ("A história que melhor ilustra o provérbio é a **D**.", "D"),
        ("A resposta correta é a: **C**", "C"),
        ("A letra B.", "B"),
        ("Resposta: A letra B", "B"),
        ("É a alternativa E que melhor resume.", "E"),
        ("A resposta correta é a", INVALID),
        ("A resposta é e", INVALID),
        ("A vida é bela", INVALID),
        ("E agora?", INVALID),
        ("E é correta a afirmação", INVALID),
        ("O mesmo", INVALID),
        ("Resposta: A água é mole", INVALID),
        ("A resposta é A", "A"),
        ("A", "A"),
        ("a", "A"),
        ("e", "E"),
        ("o", INVALID),
    ],
)
def test_articles_and_conjunctions_are_not_labels(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


# ------------------------------------------------- row 4: the announcing word


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Alternativa:\nAlternativa: D", "D"),
        ("Alternativa", INVALID),
        ("Resposta:", INVALID),
        ("Resposta (A, B, C, D ou E): C", "C"),
        ("Opções: A) x B) y C) z", INVALID),
        ("Opções de resposta:\nA) x\nB) y", INVALID),
        ("Answer choices: A) x B) y", INVALID),
        ("Responda com a letra (A, B, C, D ou E)", INVALID),
    ],
)
def test_announcing_words_are_not_labels(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


def test_a_repeated_persian_list_of_options_is_no_answer() -> None:
    listed = "\n".join(f"{label}) {option}" for label, option in zip(FA_LABELS, FA_OPTIONS, strict=True))
    assert outcome(persian("گزینه‌ها:\n" + listed)) == INVALID
    assert outcome(persian(listed)) == INVALID
    assert outcome(persian(listed + "\n\nپاسخ: ج")) == "ج"


# ------------------------------------------------- row 5: announced in the language


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Resposta:B", "B"),
        ("**Resposta:** a", "A"),
        ("resposta: b", "B"),
        ("Resposta = B", "B"),
        ("Resposta -> B", "B"),
        ("RESPOSTA B", "B"),
        ("Resposta\nB", "B"),
        ("R: B", "B"),
        ("Resp.: B", "B"),
        ("Gabarito: letra D", "D"),
        ("O gabarito é B.", "B"),
        ("Letra D", "D"),
        ("letra c", "C"),
        ("Opção (B)", "B"),
        ("Resposta correta: letra C", "C"),
        ("Opção correta: A", "A"),
        ("Alternativa correta: “B”", "B"),
        ("A alternativa correta é a letra **C) devagar se vai ao longe**.", "C"),
        ("A resposta correta é:\n\n**B) quem espera sempre alcança**", "B"),
        ("Acho que a resposta é a alternativa E, porque A e B não fazem sentido.", "E"),
        ("A resposta correta é C: devagar se vai ao longe. As outras (A, B, D e E) não se aplicam.", "C"),
        ("O provérbio correspondente é o da letra C.", "C"),
        ("Creio que a resposta seja a letra A", "A"),
        ("A resposta mais adequada seria a letra E.", "E"),
        ("Escolho a alternativa C porque faz sentido", "C"),
        ("Eu ficaria com a letra B.", "B"),
        ("Entre A e B, prefiro B.", "B"),
        ("B é a resposta correta.", "B"),
        ("A opção C está correta", "C"),
        ("A: errada\nB: correta", "B"),
        ("É a letra C.", "C"),
        ("Com base no texto, alternativa B.", "B"),
        ("Portanto, B.", "B"),
        ("Claro! D", "D"),
        ("O provérbio fala de paciência.\n\nB", "B"),
        ("C pois é o que a história mostra", "C"),
        ("B!", "B"),
        ("não sei", INVALID),
        ("Desculpe, não posso ajudar.", INVALID),
        ("a alternativa A fala de dinheiro", INVALID),
        ("Nenhuma das alternativas.", INVALID),
    ],
)
def test_portuguese_answers(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("پاسخ: ب", "ب"),
        ("پاسخ : د", "د"),
        ("پاسخ نهایی: **د**", "د"),
        ("جواب: گزینهٔ ج", "ج"),
        ("جواب ب", "ب"),
        ("جواب میشه د", "د"),
        ("گزینه ب", "ب"),
        ("گزينه ب", "ب"),
        ("گزینۀ ب", "ب"),
        ("گزینه‌ی درست: ب", "ب"),
        ("گزینهٔ صحیح «ب» است.", "ب"),
        ("پاسخ صحیح گزینه د است", "د"),
        ("پاسخ صحیح این سؤال گزینه «الف» است.", "الف"),
        ("پاسخ صحیح، گزینه «ج» می‌باشد.", "ج"),
        ("به نظر من پاسخ درست گزینه د است.", "د"),
        ("به نظر می‌رسد گزینه ج درست باشد", "ج"),
        ("با توجه به متن، گزینه ج پاسخ صحیح است.", "ج"),
        ("گزینه ج مناسب‌ترین پاسخ است.", "ج"),
        ("منظور گوینده گزینه ب است.", "ب"),
        ("بهترین پاسخ گزینه ب است، زیرا گزینه‌های الف و ج نادرست هستند.", "ب"),
        ("بهترین گزینه، گزینه «ج» است", "ج"),
        ("من گزینه ب را انتخاب می‌کنم.", "ب"),
        ("من فکر می‌کنم پاسخ ب باشد.", "ب"),
        ("ب درست است", "ب"),
        ("پاسخم ب است", "ب"),
        ("پاسخ صحیح:\n\nج) باید صبر کند", "ج"),
        ("### پاسخ\nب) او را مسخره می‌کند", "ب"),
        ("این ضرب‌المثل یعنی صبر.\n\nج) باید صبر کند", "ج"),
        ("د", "د"),
        ("«د»", "د"),
        ("د) متن گزینه", "د"),
        ("ب- او را مسخره می‌کند.", "ب"),
        ("ب-او را مسخره می‌کند.", "ب"),
        ("ج)باید صبر کند", "ج"),
        ("ا", "الف"),
        ("آ)", "الف"),
        ("گزینه دال", "د"),
        ("Answer: ب", "ب"),
        ("The answer is ج) باید صبر کند", "ج"),
        ("نمی‌دانم", INVALID),
        ("بله", INVALID),
        ("هیچکدام", INVALID),
    ],
)
def test_persian_answers(text: str, read: str) -> None:
    assert outcome(persian(text)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("پاسخ صحیح گزینه ۳ است", "۳"),
        ("گزینه شماره ۴ صحیح است", "۴"),
        ("گزینه 3", "۳"),
        ("٣", "۳"),
        ("۳- متن", "۳"),
        ("پاسخ: ۱", "۱"),
        ("پاسخ: گزینه ۲)", "۲"),
        ("②", "۲"),
        ("2️⃣", "۲"),
        ("گزینه‌ی ۱ نادرست است", INVALID),
    ],
)
def test_digits_of_any_script(text: str, read: str) -> None:
    assert outcome(digits(text)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Answer: (C)\n\nExplanation: A is wrong because it is about haste.", "C"),
        ("The correct answer is C.", "C"),
        ("I would choose option B.", "B"),
        ("C is correct", "C"),
        ("C because it fits", "C"),
        ("The best answer is B", "B"),
        ("Final Answer: The final answer is $\\boxed{D}$. I hope it is correct.", "D"),
        ("The answer is not A.", INVALID),
        ("I don't know", INVALID),
    ],
)
def test_english_is_always_understood(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


def test_an_unknown_language_reads_english_and_bare_labels() -> None:
    def read(text: str) -> str:
        return outcome(extract(text, labels=PT_LABELS, options=["x"] * 5, languages=("sw",)))

    assert [read("B"), read("ANSWER: B"), read("Jibu: desconheço")] == ["B", "B", INVALID]


# ------------------------------------------------- row 6: full width, other scripts


@pytest.mark.parametrize("text", ["ANSWER：Ｂ", "Ｂ", "（Ｂ）", "Ｒesposta：Ｂ", "Ⓑ", "🅱️", "𝐁"])
def test_full_width_and_circled_letters(text: str) -> None:
    assert outcome(portuguese(text)) == "B"


# ------------------------------------------------- rows 7 and 8: option texts


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ir embora", "E"),
        ("Ir embora.", "E"),
        ("**ir embora**", "E"),
        ("ir", "D"),
        ("Ir!", "D"),
        ("E) ir embora", "E"),
        ("D) ir", "D"),
        ("Resposta: quem espera sempre alcança", "B"),
        ("A resposta é “quem espera sempre alcança”.", "B"),
        ("quem espera sempre alcança (B)", "B"),
        ("B) Quem espera sempre alcança!", "B"),
        ("Resposta: A vida é curta", "A"),
        ("A vida é curta", "A"),
        ("A (a vida é curta)", "A"),
        ("B.Quem espera sempre alcança", "B"),
        ("A moral da história é que devagar se vai ao longe.", "C"),
        ("Devagar se vai ao longe, e não ir embora.", "C"),
        ("Eu vou ir para casa", INVALID),
        ("não é ir embora", INVALID),
        ("ir embora-se", INVALID),
        ("quem espera sempre alcança, ou devagar se vai ao longe", INVALID),
    ],
)
def test_an_option_can_be_answered_by_its_text(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


@pytest.mark.parametrize(
    "text",
    [
        "A) ir embora",
        "D) ir embora",
        "**A**: ir embora",
        "Resposta: A) ir embora",
        "A alternativa correta é a A, ir embora".replace(", ", ": "),
        "A\nir embora",
        "A – ir embora",
        "ir embora (A)",
        "Resposta: ir embora (A)",
        "A resposta é ir embora, letra A.",
    ],
)
def test_letter_and_text_that_disagree_are_a_conflict(text: str) -> None:
    found = portuguese(text)
    assert outcome(found) == CONFLICT
    assert "but the text of option E" in found.note


def test_persian_letter_and_text_that_disagree_are_a_conflict() -> None:
    assert outcome(persian("الف) او را مسخره می‌کند")) == CONFLICT
    assert outcome(persian("گزینه ب: باید صبر کند")) == CONFLICT


def test_a_persian_text_is_compared_on_its_key() -> None:
    assert outcome(persian("او را مسخره مي كند")) == "ب"
    assert outcome(persian("پاسخ: بايد صبر کند")) == "ج"


def test_an_explanation_that_quotes_another_option_is_no_conflict() -> None:
    assert outcome(portuguese("B. Ir embora seria fácil demais.")) == "B"
    assert outcome(portuguese("B\n\nir embora não resolve.")) == "B"


def test_two_options_with_the_same_text_cannot_be_told_apart() -> None:
    found = extract("sim", labels=("A", "B"), options=("sim", "sim"), languages=("pt",))
    assert outcome(found) == INVALID


def test_short_words_in_running_text_are_no_evidence_for_an_option() -> None:
    def read(text: str) -> str:
        return outcome(extract(text, labels=("A", "B"), options=("sim", "não"), languages=("pt",)))

    assert read("Não.") == "B"
    assert read("Não, porque o texto nega.") == "B"
    assert read("Não sei") == INVALID
    assert read("Isso não se pode dizer") == INVALID


def test_options_that_share_their_beginning_are_told_apart() -> None:
    def read(text: str) -> str:
        return outcome(extract(text, labels=("A", "B"), options=("positivo", "possível"), languages=("pt",)))

    assert [read("positivo"), read("É possível."), read("pos"), read("impossível")] == ["A", "B", INVALID, INVALID]


def test_when_the_text_is_asked_for_a_reply_that_is_both_is_the_text() -> None:
    asked = {"labels": ("1", "2"), "options": ("2", "1"), "languages": ("pt",)}
    assert extract("2", **asked).position == 1
    assert extract("2", form="option", **asked).position == 0


def test_options_without_labels_are_read_by_their_text() -> None:
    found = extract("É um Substantivo.", labels=(), options=("substantivo", "verbo"), languages=("pt",), form="option")
    assert (found.position, found.read) == (0, "substantivo")


# ------------------------------------------------- row 12: nothing readable


@pytest.mark.parametrize(
    "text", ["???", "", " \n", "...", "F", "Resposta: F", "🤷", "lorem ipsum", "\x00", "B?", "A resposta é B?"]
)
def test_unreadable_is_invalid_and_never_the_nearest_label(text: str) -> None:
    found = portuguese(text)
    assert outcome(found) == INVALID
    assert found.note


# ------------------------------------------------- row 21: reasoning


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<think>x</think> hm </think> C", "C"),
        ("<think>\nA resposta é A?\n</think>\n\nB", "B"),
        ("A resposta é A</think>B", "B"),
        ("<thinking>A</thinking>Resposta: D", "D"),
        ("<reasoning>A é boa</reasoning>\nB", "B"),
        ("[THINK]A[/THINK]B", "B"),
        ("◁think▷A◁/think▷C", "C"),
        ("<|channel|>analysis<|message|>A?<|end|><|start|>assistant<|channel|>final<|message|>B", "B"),
        ("<think>a resposta é C", INVALID),
        ("<think>C</think>", INVALID),
        ("C <think> ou talvez", INVALID),
        ("<THINK>C", INVALID),
    ],
)
def test_the_answer_is_what_follows_the_last_reasoning(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


# ------------------------------------------------- which announcement counts


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Resposta: B. Espera... Resposta final: C", "C"),
        ("A resposta é A. Pensando melhor, a resposta correta é D.", "D"),
        ("Seria a alternativa A? Não. A resposta é D.", "D"),
        ("A\n\nNa verdade, a resposta correta é a C.", "C"),
        ("A) a vida é curta\nB) quem espera sempre alcança\n\nResposta: B", "B"),
        ("Vamos analisar: a alternativa A fala de pressa; a B, de espera. A que melhor se encaixa é a B.", "B"),
        ("Analisando:\nA) não.\nB) sim.\nC) não.\nLogo, a correta é B.", "B"),
        ("B\n\nJustificativa: A opção A não serve.", "B"),
        ("B. A alternativa A está incorreta porque fala de pressa.", "B"),
        ("Resposta: B\n\nA) está errada porque...\nC) não se aplica", "B"),
        ("B) quem espera sempre alcança\n\nJustificativa:\nA) errada\nC) errada", "B"),
        ("A resposta correta é a letra B, pois a alternativa A está errada e a C também.", "B"),
        ("Resposta final: B\nNão é A.", "B"),
        ("Resposta: B. Pensando bem... Resposta final: não sei", INVALID),
    ],
)
def test_the_last_announcement_counts_and_explanations_do_not(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A alternativa A não é correta.", INVALID),
        ("A resposta não é A.", INVALID),
        ("Não é a letra B.", INVALID),
        ("As alternativas A e B estão erradas.", INVALID),
        ("Nem A nem B.", INVALID),
        ("A resposta não é A, mas sim B.", "B"),
        ("A resposta correta não é a A, nem a B, mas a C.", "C"),
        ("A resposta não é a A; é a C.", "C"),
        ("A resposta é C, não B.", "C"),
        ("Resposta: B (e não A)", "B"),
        ("A alternativa que NÃO está correta é a B", "B"),
    ],
)
def test_a_negated_label_is_not_the_answer(text: str, read: str) -> None:
    assert outcome(portuguese(text)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("گزینه الف درست نیست", INVALID),
        ("گزینه‌ی الف نادرست است.", INVALID),
        ("نه الف و نه ب", INVALID),
        ("پاسخ نمی‌تواند گزینه ب باشد", INVALID),
        ("پاسخ الف نیست، بلکه ب است.", "ب"),
        ("پاسخ صحیح، گزینه الف نیست؛ گزینه ب است.", "ب"),
        ("گزینه ب صحیح است زیرا گزینه الف درست نیست.", "ب"),
        ("گزینه الف و ب نادرست هستند، گزینه ج درست است.", "ج"),
        ("ب\n\nتوضیح: گزینه الف درست نیست", "ب"),
    ],
)
def test_a_negated_persian_label_is_not_the_answer(text: str, read: str) -> None:
    assert outcome(persian(text)) == read


@pytest.mark.parametrize(
    "text",
    [
        "A ou B",
        "A, C",
        "A/B",
        "A e C",
        "A & B",
        "A B C",
        "A\nB",
        "**A**\n**B**",
        "(A)(B)",
        "A resposta é A ou B.",
        "Resposta: A, B",
        "Resposta: B, C ou D",
        "A letra A ou a letra B",
        "Tanto A quanto B são possíveis",
        "A) Incorreta.\nB) Correta.\nC) Incorreta.",
        "\\boxed{A ou B}",
    ],
)
def test_several_answers_without_a_final_one_are_invalid(text: str) -> None:
    assert outcome(portuguese(text)) == INVALID


@pytest.mark.parametrize(
    "text", ["ب یا ج", "ب/ج", "الف ، ب", "پاسخ الف یا ب است", "گزینه ب و ج", "الف و ب هر دو درست هستند"]
)
def test_several_persian_answers_without_a_final_one_are_invalid(text: str) -> None:
    assert outcome(persian(text)) == INVALID


@pytest.mark.parametrize("text", ["A ou B", "Resposta: A, B", "A/B"])
def test_several_answers_are_named_in_the_note(text: str) -> None:
    assert portuguese(text).note == "several answers, none of them final"


# ------------------------------------------------- replies that were cut off


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A", "A"),
        ("B) quem esp", "B"),
        ("Resposta: A", "A"),
        ("A) ir embo", "A"),
        ("A resposta correta é a", INVALID),
        ("A vida", INVALID),
        ("a", INVALID),
        ("quem espera sempre alcança", INVALID),
        ("O texto fala de espera.\n\nB", INVALID),
    ],
)
def test_a_cut_off_reply_is_read_only_where_it_cannot_go_on_otherwise(text: str, read: str) -> None:
    assert outcome(portuguese(text, truncated=True)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("ب) منظور ا", "ب"),
        ("گزینه ب) این", "ب"),
        ("د", "د"),
        ("الف", "الف"),
        ("گزینه ا", INVALID),
        ("ا", INVALID),
        ("پاسخ: ال", INVALID),
    ],
)
def test_five_tokens_of_persian(text: str, read: str) -> None:
    assert outcome(persian(text, truncated=True)) == read


def test_a_cut_off_digit_may_be_the_start_of_a_longer_one() -> None:
    labels = tuple(str(n) for n in range(1, 13))
    asked = {"labels": labels, "options": [f"opção {n}" for n in labels], "languages": ("pt",)}
    assert outcome(extract("1", **asked)) == "1"
    assert outcome(extract("1", truncated=True, **asked)) == INVALID
    assert outcome(extract("3", truncated=True, **asked)) == "3"


# ------------------------------------------------- a paragraph that begins with an article


@pytest.mark.parametrize(
    "text",
    [
        "B) quem espera sempre alcança\n\nA expressão significa que a paciência compensa.",
        "B) quem espera sempre alcança\nE assim se diz em Portugal.",
        "**B) quem espera sempre alcança**\n\nA frase fala de esperar.",
        "B. quem espera sempre alcança\n\nA proverb about patience.",
        "B) quem espera sempre alcança\n\nA) está errada, pois fala da vida.",
    ],
)
def test_an_article_at_the_head_of_the_next_line_is_no_second_label(text: str) -> None:
    assert outcome(portuguese(text)) == "B"


def test_a_second_label_at_the_head_of_the_next_line_still_is_one() -> None:
    assert outcome(portuguese("B) quem espera sempre alcança\nC) devagar se vai ao longe")) == INVALID


# ------------------------------------------------- European Portuguese, older spelling, verdicts before a colon


@pytest.mark.parametrize(
    "text",
    [
        "Alínea b)",
        "Resposta: alínea B",
        "Penso que seja a alínea b).",
        "A alínea correcta é a B.",
        "Hipótese B",
        "A hipótese B é a correcta.",
        "A opção correcta é a B; a A está incorrecta.",
        "Seleccionei a B.",
        "A afirmativa B é a correta.",
        "Seria a B, creio eu.",
        "Correta: B",
    ],
)
def test_european_portuguese(text: str) -> None:
    assert outcome(portuguese(text)) == "B"


@pytest.mark.parametrize("text", ["Incorreta: B", "Incorrecta: B", "Errada: B", "Alíneas: A, B", "Correta: A ou B"])
def test_rejected_or_listed_labels_are_not_read(text: str) -> None:
    assert outcome(portuguese(text)) == INVALID


@pytest.mark.parametrize("text", ["صحیح: ب", "درست: ب"])
def test_a_verdict_before_a_colon_in_persian(text: str) -> None:
    assert outcome(persian(text)) == "ب"


# ------------------------------------------------- rows 8, 10, 11: option texts that are nearly alike

NEARLY = {
    "accents": ("pt", ("avô", "avó", "avo")),
    "contained": ("pt", ("ir", "ir embora", "vir", "ir-se embora")),
    "shared beginning": ("pt", ("positivo", "possível", "neutro")),
    "Persian": ("fa", ("رفتن", "رفتن به خانه", "نرفتن", "می‌رود")),
}


@pytest.mark.parametrize("kind", NEARLY)
@pytest.mark.parametrize("frame", ["{}", "{}.", "**{}**", "“{}”", " {}\n"])
def test_options_that_are_nearly_alike_are_told_apart_in_both_forms(kind: str, frame: str) -> None:
    language, options = NEARLY[kind]
    for position, option in enumerate(options):
        for form in ("NFC", "NFD"):
            reply = frame.format(unicodedata.normalize(form, option))
            found = extract(reply, labels=(), options=options, languages=(language,), form="option")
            assert found.position == position, reply


@pytest.mark.parametrize(
    ("kind", "reply"),
    [
        ("accents", "avõ"),
        ("contained", "ir embora-se"),
        ("contained", "ir, ir embora"),
        ("contained", "ir embora?"),
        ("shared beginning", "possivel"),
        ("shared beginning", "pos"),
        ("shared beginning", "não positivo"),
        ("shared beginning", "nem positivo nem neutro"),
        ("shared beginning", "positivo/neutro"),
        ("Persian", "میرود"),
        ("Persian", "رفت"),
    ],
)
def test_what_is_no_options_text_is_not_taken_for_the_nearest(kind: str, reply: str) -> None:
    language, options = NEARLY[kind]
    assert outcome(extract(reply, labels=(), options=options, languages=(language,), form="option")) == INVALID
