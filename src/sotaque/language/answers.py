"""How each language announces an answer, as data: a new language is one more entry of ``LANGUAGES``.

Every field holds alternatives of a regular expression, matched as whole words, without regard to case, in the *plain*
form of a text (ZWNJ is a space, Persian letters are folded). A language without an entry is read as English is, plus
bare labels.
"""

from __future__ import annotations

from dataclasses import dataclass

NOTHING = r"(?!)"


@dataclass(frozen=True, slots=True)
class Answering:
    """The words with which a language says which option it takes.

    Attributes:
        answer: nouns for the answer ("resposta", "gabarito"); with a colon or copula they announce one.
        option: nouns for an option ("alternativa", "letra"); beside a label they mention it, no more.
        lists: plurals that announce the list of options, not the answer ("Opções:").
        right: what a right answer is called ("correta").
        copula: verbs between noun and label ("a resposta é B").
        hedged: conditional copulas ("seria"); weaker than a plain one.
        final: copulas that stand after the label ("پاسخ ب است").
        choose: verbs of choosing before the label ("fico com a B").
        chosen: verbs of choosing after the label ("ب را انتخاب می‌کنم").
        intro: what leads up to a conclusion without a noun ("portanto", "acho que").
        filler: articles and prepositions that may stand between any of these and the label.
        article: the articles among the fillers, which may also stand between joined labels ("a A ou a B").
        contrast: what leads on from a rejected to the right option ("não A, mas B").
        no: negations that stand directly before a copula or label.
        wrong: what rejects a label that stands before it ("não é", "نیست").
        reason: words that may follow a label when its sentence goes on ("porque").
        either: what joins labels between which no choice was made ("ou").
        both: what joins labels that are all chosen ("e").
        plural: verbs that make both labels the subject ("estão").
        unsure: what is said in place of an answer ("não sei").
        doubt: what keeps the rest of its clause from being a claim ("não acho que").
        correction: what takes back what was said before it ("espera", "aliás").
        about: what makes a label the subject of a remark ("B é literal"), unless the remark is that it is right.
        saying: what stands between a label and its text ("a C, que diz: ...").
        function: short words that are no evidence when they occur inside running text, even if an option is that word.
    """

    answer: str
    option: str
    lists: str
    right: str
    copula: str
    intro: str
    filler: str
    no: str
    wrong: str
    either: str
    both: str
    article: str
    reason: str = NOTHING
    hedged: str = NOTHING
    final: str = NOTHING
    choose: str = NOTHING
    chosen: str = NOTHING
    contrast: str = NOTHING
    plural: str = NOTHING
    unsure: str = NOTHING
    doubt: str = NOTHING
    correction: str = NOTHING
    about: str = NOTHING
    saying: str = NOTHING
    function: str = NOTHING


PORTUGUESE = Answering(
    answer=r"respostas?(?=\s*:)|resposta|respondo|gabarito|solução|conclusão|escolha|r\.?(?=\s*(?:[:=]|[–—-]\s))"
    r"|(?:resp\.?|assistente|saída)(?=\s*:)",
    option=r"alternativa|op[cç][aã]o|letra|item|assertiva|afirmativa|al[ií]nea|hip[oó]tese",
    lists=r"alternativas|op[cç][oõ]es|letras|itens|escolhas|al[ií]neas|hip[oó]teses|afirmativas",
    right=r"correc?t[ao]|cert[ao]|verdadeir[ao]|melhor|final|adequad[ao]|apropriad[ao]|exac?t[ao]|ideal|escolhid[ao]"
    r"|válid[ao]"
    r"|precis[ao]|mais (?:adequad|apropriad|correc?t|prováve|precis)\w+|oficial|definitiv[ao]"
    r"|únic[ao] (?:que|correc?t|certa|possíve|opção|alternativa)\w*"
    r"|que faz mais sentido|que mais (?:se )?(?:adequa|aproxima|encaixa|combina|corresponde)",
    copula=r"(?:só |deve |deveria |pode |parece |me parece )?(?:é|ser|está|fica|seja)|parece|foi|encontra-se",
    hedged=r"seria|poderia ser|talvez seja",
    choose=r"escolh(?:o|i|eria|emos)|opto|optaria|fico com|ficaria com|marco|marcaria|marque"
    r"|assinalo|assinale|selecc?iono|selecc?ionei|voto|vou (?:de|com|na|pela)|prefiro"
    r"|(?:rest|sobr)(?:a|ou|ando)(?: apenas| só)?|corresponde|refere-se"
    r"|trata-se|respondo|indico|considero|representad[ao]",
    intro=r"portanto|logo|assim|então|enfim|em suma|por isso|desse modo|dessa forma|concluo que"
    r"|(?:eu )?(?:acho|acredito|creio|diria|penso|suponho)(?: que)?|na minha opinião|para mim|provavelmente"
    r"|possivelmente|certamente|talvez|claro|certo|com certeza|sem dúvida|ok|olá|oi|hu?m+",
    filler=r"a|o|à|ao|na|no|da|do|de|em|por|pela|pelo|com|como|para|que|uma|minha|sendo|seguinte|justamente|mesmo"
    r"|apenas|somente|claramente|provavelmente|realmente|sem dúvida",
    contrast=r"e sim|mas(?: sim)?|sim|porém",
    no=r"não|nunca|jamais|nem|tampouco",
    wrong=r"(?:também |certamente )?(?:não|nunca|jamais|tampouco)"
    r"\s(?:é|está|pode|foi|seria|parece|se|corresponde|faz|serve)"
    r"|(?:é|está|seria|parece) (?:errad|incorrec?t|fals|inadequad|equivocad)[ao]"
    r"|(?:errad|incorrec?t|fals)[ao](?=\s*(?:[.,;!)\n]|\Z))",
    reason=r"porque|por ?que|pois|já|visto|uma vez|dado|como|conforme|devido|e|mas|ou seja|é|está|seria|porquanto"
    r"|com base|sem dúvida|que (?:diz|afirma)|mesmo",
    either=r"ou(?: talvez| até| mesmo| então| ainda)?|e/ou",
    both=r"e(?: também)?|bem como|assim como",
    article=r"a|o|à|ao|na|no",
    plural=r"são|estão|ser(?:iam|ão)|parecem|podem|devem|também|juntas|ambas",
    unsure=r"não sei|desconheço|não há|nenhuma?|não é possível|não posso|não tenho|indeterminad[ao]|impossível",
    doubt=r"não (?:acho|acredito|creio|penso|diria|parece|sei se|tenho certeza|estou cert[oa])|duvido|não quer dizer"
    r"|nada a ver|(?:sentido|significado|interpretação|leitura) literal|literalmente|ao pé da letra",
    correction=r"espera|espere|esperem|aliás|ou melhor|ou antes|corrigindo|correção|pensando (?:bem|melhor)|ops|opa",
    about=r"é|está|seria|mesmo|que",
    saying=r"que (?:diz|afirma|corresponde a)|ou seja|isto é",
    function=r"a|o|as|os|e|é|em|de|da|do|das|dos|na|no|nas|nos|à|às|ao|aos|um|uma|uns|umas|ou|se|que|por|para|com"
    r"|não|sim|eu|tu|ele|ela|me|te|lhe|mais|mas|ser|ir|há",
)

ENGLISH = Answering(
    answer=r"answers?(?=\s*:)|answer|solution|conclusion|choice|pick|response|(?:ans\.?|assistant|output)(?=\s*:)|ans\.(?=\s)",
    option=r"option|choice|letter|item|statement",
    lists=r"options|choices|answers|letters|statements|answer choices",
    right=r"correct|right|best|final|true|appropriate|most (?:appropriate|likely|accurate|suitable)|ideal|accurate"
    r"|chosen|closest|better|suitable|(?:only )?one that (?:best )?(?:fits|matches|makes)",
    copula=r"(?:must |should |can only |will |to |appears to |seems to )?be|is|was|seems|it's|that's|i'd say",
    hedged=r"would be|could be|might be|may be",
    choose=r"choose|chose|pick|picked|select|selected|go with|going with|went with|opt for|vote for|corresponds to|say"
    r"|would say",
    chosen=r"is my (?:answer|choice|pick)",
    intro=r"therefore|thus|so|hence|then|i (?:think|believe|guess|suppose)(?: that)?|in my opinion|probably"
    r"|in conclusion|it is|it's|sure|certainly|definitely|maybe|perhaps|possibly|actually|hmm+|yes|okay|ok",
    filler=r"the|an?|to|for|with|my|of|as|that|clearly|simply|definitely|probably|indeed|likely|just",
    contrast=r"but|but rather|rather|instead",
    no=r"not|never|isn'?t|wasn'?t|can'?t|cannot|can not|neither|nor",
    wrong=r"(?:is|was|would be|can|could|does|should)(?: (?:clearly|also|certainly|definitely|simply))?"
    r" (?:not|n't|wrong|incorrect|false|inaccurate)|(?:is|was|does|could|would|ca)n'?t|cannot"
    r"|(?:wrong|incorrect|false)(?=\s*(?:[.,;!)\n]|\Z))",
    reason=r"because|since|as|due|for|is|and|but|which|where|given|would|it|based|with",
    either=r"or(?: maybe| perhaps| possibly| even)?|and/or",
    both=r"and(?: also)?|as well as",
    article=r"the|an?",
    plural=r"are|both|were|seem|have|could|can|might",
    unsure=r"unknown|none|neither|(?:i )?(?:do not|don't|can't|cannot) (?:know|say|tell|determine)|not sure|unclear"
    r"|unable|undetermined",
    doubt=r"(?:do not|don'?t|would not|wouldn'?t) (?:think|believe|say)|(?:i|we) doubt"
    r"|literal(?:ly)? (?:means?|meaning|sense|interpretation)|(?:can'?t|cannot|can not) (?:say|be)"
    r"|not (?:sure|certain)|(?:do|does|did) not mean|(?:do|does|did)n'?t mean",
    correction=r"wait(?:,? no)?|scratch that|correction|on second thoughts?|or rather|i mean|oops|no, actually",
    about=r"is|was|would|it",
    saying=r"which (?:says|reads|is|means)|i\.e\.|that is",
    function=r"a|an|the|and|or|of|to|in|on|at|is|it|as|by|no|yes|not|i|he|she|we|be|do|so|if",
)

PERSIAN = Answering(
    answer=r"پاسخ(?:م|ی|ش)?|جواب(?:م|ی|ش)?|انتخاب(?:م)?|کلید|نتیجه",
    option=r"گزینه(?:\s?(?:ی|ای))?(?!\s?ها)|مورد|حرف|شماره",
    lists=r"گزینه ?ها(?:ی)?|گزینه ?های|گزینه ?هایی|پاسخ ?ها(?:ی)?|موارد",
    right=r"درست(?: ?تر(?:ین)?)?|صحیح(?: ?تر(?:ین)?)?|نهایی|بهترین|مناسب(?: ?تر(?:ین)?)?|دقیق(?: ?تر(?:ین)?)?|اصلی"
    r"|مورد نظر|نزدیک ?ترین|محتمل ?ترین|قطعی",
    copula=r"می ?شود|میشه|عبارت است از|برابر است با|یعنی|همان|این است(?: که)?",
    hedged=r"می ?تواند|شاید|احتمالا",
    final=r"است|هست|می ?باشد|باشد|خواهد بود|بود|می ?شود|میشه",
    chosen=r"(?:را )?(?:به عنوان (?:پاسخ|جواب)(?: (?:درست|صحیح|نهایی))? )?(?:انتخاب (?:می ?کن|می ?شو|کرد)\w*"
    r"|برمی ?گزینم|ترجیح می ?دهم)|(?:درسته|صحیحه)(?=\s*(?:[.,،!\n]|\Z))",
    choose=r"انتخاب می ?کنم|برمی ?گزینم|انتخاب من",
    intro=r"بنابراین|پس|در نتیجه|لذا|به نظر(?:م| من)?|به نظر می ?رسد(?: که)?"
    r"|به احتمال زیاد|فکر? (?:می ?)?کنم(?: که)?|احتمالا|من|بله|البته"
    r"|شاید|قطعا|حتما|مسلما|خب|سلام",
    filler=r"ی|همان|همون|تنها|این|با|به|که|از|یعنی|فقط|قطعا|من|گزینه|همین|برای",
    contrast=r"بلکه",
    no=r"نه|نمی ?تواند|نباید",
    wrong=r"(?:(?:پاسخ|جواب|گزینه)\s?(?:ی )?)?(?:(?:درست|صحیح|مناسب|دقیق)\s?(?:ی )?)?"
    r"(?:نیست|نمی ?باشد|نبود|نمی ?تواند|نمی ?شود)"
    r"|(?:کاملا )?(?:نادرست|غلط|اشتباه|ناصحیح)(?=\s*(?:[.,،؛!)\n]|\Z|است|هست|می ?باشد|بود|باشد))|را (?:رد|حذف)",
    reason=r"زیرا|چون|چرا|که|به|با|است|هست|می ?باشد|بر اساس|از|و|درست|صحیح|را|اما|بهترین|مناسب ?ترین",
    either=r"(?:و )?یا(?: شاید| حتی| هم)?",
    both=r"و",
    article=r"ی",
    plural=r"هستند|هر دو|می ?باشند|درستند|صحیحند|درست هستند|صحیح هستند|هردو",
    unsure=r"نمی ?دانم|مشخص نیست|هیچ ?کدام|نامشخص|معلوم نیست|نمی ?توان",
    doubt=r"فکر نمی ?کنم|گمان نمی ?کنم|بعید است|مطمئن نیستم|تحت ?اللفظی"
    r"|(?<!شکی )(?<!شک )(?<!تردیدی )نیست که|نمی ?توانم بگویم|نمی ?دانم|نه این ?که|نمی ?خواهد|قصد ندارد|نباید|آیا",
    correction=r"صبر کن(?:ید)?|ببخشید|تصحیح می ?کنم|اصلاح می ?کنم|نه،|یا بهتر بگویم",
    about=r"است|هست|می ?باشد|که|از|درست|صحیح|را|بهترین|مناسب ?ترین"
    r"|به(?! (?:این )?(?:دلیل|علت|خاطر|سبب|جهت))|با(?! (?:این )?(?:توجه|توضیح))",
    saying=r"است|هست|می ?باشد|یعنی|که می ?گوید",
    function=r"و|یا|از|به|با|در|که|را|بله|خیر|نه|آری|این|آن|هم|بر|تا|ما|من|تو|او",
)

LANGUAGES: dict[str, Answering] = {"pt": PORTUGUESE, "en": ENGLISH, "fa": PERSIAN}


def answering(languages: tuple[str, ...]) -> tuple[Answering, ...]:
    """The tables to read a reply with: those of its languages, and always English."""
    found = [LANGUAGES[base] for base in map(_base, languages) if base in LANGUAGES]
    return tuple(dict.fromkeys([*found, ENGLISH]))


def _base(language: str) -> str:
    return language.split("-")[0].split("_")[0].lower()
