"""Two forms of every text: what is shown (untouched) and the key by which texts are compared.

Nothing here changes what a person sees. ``key`` is the comparison form of a language; ``answer_key`` is a key that also
overlooks how an answer is quoted and ended; ``plain`` is what labels are looked for in.

No form ever drops an accent (*avô* is not *avó*), an article (*A* is not *The*), or a letter.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

ZWNJ = "\u200c"

# Bidi marks and embeddings, zero-width marks, soft hyphen, byte-order mark, variation selectors, enclosing keycap.
INVISIBLE = "\u00ad\u061c\u180e\u200b\u200d\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\u20e3"
HARAKAT_AND_TATWEEL = "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"

_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_PERSIAN_MARKS = re.compile(f"[{HARAKAT_AND_TATWEEL}]")
_EZAFE = re.compile("\u06c0|\u06c2|[\u0647\u06c1\u06d5]\u0654")
_HAMZA = re.compile("[\u0654\u06c0\u06c2]")
_YEH_HAMZA = re.compile("[\u06cc\u0649]\u0654")
_DIGITS = {ord(c): str(i) for row in ("۰۱۲۳۴۵۶۷۸۹", "٠١٢٣٤٥٦٧٨٩") for i, c in enumerate(row)}
_PERSIAN_LETTERS = str.maketrans({"ي": "ی", "ى": "ی", "ك": "ک", "ە": "ه", "ہ": "ه", "ٱ": "ا"})
_PERSIAN_STOPS = str.maketrans({"،": ",", "؛": ";", "؟": "?", "٪": "%", "٫": ".", "٬": ","})
_DOTTED_I = str.maketrans({"I": "ı", "İ": "i"})

_TO_FOLD = re.compile(f"[{ZWNJ}۰-۹٠-٩]")
_QUOTES = "\"'`´«»‹›“”„‟‘’‚‛「」『』"
_CLOSING = ".!?…,;:،؛؟。！？"
_NO_QUOTES = str.maketrans(dict.fromkeys(_QUOTES, ""))

PERSIAN = frozenset({"fa", "fas", "per", "prs", "pes"})
DOTTED_I = frozenset({"tr", "tur", "az", "aze"})


def key(text: str, language: str) -> str:
    """The form in which two texts of a language are compared.

    Every language: NFKC (ligatures, presentation forms, full width), case folding, white space to single spaces,
    invisible marks dropped, Persian and Arabic digits to ASCII.

    Persian: Arabic yeh, alef maksura and kaf become ی and ک, ۀ becomes ه ی, harakat and tatweel go, and the ZWNJ is a
    space. Turkish and Azerbaijani: I is the capital of ı.

    Args:
        text: as displayed.
        language: BCP 47 tag; only its first part counts ("pt-BR" is "pt").
    """
    base = _base(language)
    text = _compose(text)
    if base in PERSIAN:
        text = fold_persian(text).translate(_PERSIAN_STOPS)
    if base in DOTTED_I:
        text = text.translate(_DOTTED_I)
    if text.isascii():
        return " ".join(text.casefold().split())
    if _TO_FOLD.search(text):
        text = text.replace(ZWNJ, "").translate(_DIGITS)
    folded = text.casefold()
    return " ".join((folded if folded == text else unicodedata.normalize("NFKC", folded)).split())


@lru_cache(maxsize=64)
def _base(language: str) -> str:
    return language.split("-")[0].split("_")[0].lower()


def answer_key(text: str, language: str) -> str:
    """The key of an answer: quotes are overlooked everywhere, closing punctuation at the end.

    Brackets and inner punctuation stay: they can be what the question is about.
    """
    folded = " ".join(key(text, language).translate(_NO_QUOTES).split())
    return folded.rstrip(_CLOSING + " ") or folded


def plain(text: str) -> str:
    """The form in which labels are looked for: no markup, letters of one kind, case and line breaks kept.

    Folded for all languages alike, because replies mix scripts. Never shown, never a key.
    """
    text = strip_markup(_compose(text))
    if not text.isascii():
        text = _PICTOGRAPHS.sub(" ", fold_persian(text).translate(_FOR_READING))
    return text


def display(text: str) -> str:
    """The form whose characters and bytes are counted: NFC, otherwise untouched."""
    return unicodedata.normalize("NFC", text)


def fold_persian(text: str) -> str:
    """One letter for what Persian readers take as one letter; the ZWNJ becomes a space."""
    if _HAMZA.search(text):
        text = _YEH_HAMZA.sub("ئ", _EZAFE.sub("ه ی", text))
    return _PERSIAN_MARKS.sub("", text.replace(ZWNJ, " ")).translate(_PERSIAN_LETTERS)


def _compose(text: str) -> str:
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text)
    return text if unicodedata.is_normalized("NFKC", text) else unicodedata.normalize("NFKC", text)


# ---------------------------------------------------------------- markup

_INLINE_TAG = re.compile(
    r"</?(?:b|i|u|s|em|strong|span|font|code|mark|sub|sup|small|big|center|a|bdi|bdo|kbd|tt)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_BLOCK_TAG = re.compile(
    r"</?(?:p|br|div|li|ul|ol|pre|hr|h[1-6]|table|tr|td|th|tbody|thead|blockquote|section|body|html|output"
    r"|answer|final|final_answer|response|resposta)(?:\s[^<>]{0,200})?/?>",
    re.IGNORECASE,
)
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<\n]{1,200}</\1>", re.IGNORECASE)
_LATEX = re.compile(r"\\(?:fbox|text|textbf|textit|textrm|mathrm|mathbf|mathsf|mathit|emph|underline)\s*(?=\{)")
_LATEX_SYMBOL = re.compile(r"\\(?:boxed\s*(?=\{)|[()\[\]{}$,;!]|quad\b|left\b|right\b)")
_FENCE = re.compile(r"```[ \t]*\w*[ \t]*(?=\n)")
_MARKS = re.compile(r"[*`${}]|~~|_+(?=\W|$)|(?<!\w)_+")
_LINE_LEAD = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]*)+", re.MULTILINE)
_SQUARED = {
    first + i: chr(ord("A") + i) for first in (0x1F130, 0x1F150, 0x1F170) for i in range(26)
}  # squared and circled letters that NFKC leaves alone
_PICTOGRAPHS = re.compile("[\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]")
_FOR_READING = {**_DIGITS, **_SQUARED, ord("’"): "'", ord("‘"): "'"}


def strip_markup(text: str) -> str:
    """Without Markdown, LaTeX and HTML decoration; what is struck through is gone, block tags are line breaks."""
    if "<" in text or "~" in text:
        text = _STRUCK.sub(" ", text)
        text = _BLOCK_TAG.sub("\n", _INLINE_TAG.sub("", text))
    if "\\" in text:
        text = _LATEX_SYMBOL.sub(" ", _LATEX.sub("", text))
    return _LINE_LEAD.sub("", _MARKS.sub("", _FENCE.sub("", text)))
