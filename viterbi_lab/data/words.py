"""Everyday words of nine languages, in a tree of three families: a small taxonomy for people to look at.

Accents are left out: ``été`` is ``ete``. Words that two languages share are meant to be there.
"""

from __future__ import annotations

import unicodedata

LANGUAGES = {
    "English": (
        "one two three four five six seven eight nine ten hand water night heart mother brother "
        "house bread snow white green winter summer through which"
    ),
    "German": (
        "eins zwei drei vier fuenf sechs sieben acht neun zehn hand wasser nacht herz mutter "
        "bruder haus brot schnee weiss gruen winter sommer durch welche"
    ),
    "Dutch": (
        "een twee drie vier vijf zes zeven acht negen tien hand water nacht hart moeder broer "
        "huis brood sneeuw wit groen winter zomer door welke"
    ),
    "Spanish": (
        "uno dos tres cuatro cinco seis siete ocho nueve diez mano agua noche corazon madre "
        "hermano casa pan nieve blanco verde invierno verano por cual"
    ),
    "Italian": (
        "uno due tre quattro cinque sei sette otto nove dieci mano acqua notte cuore madre "
        "fratello casa pane neve bianco verde inverno estate per quale"
    ),
    "French": (
        "un deux trois quatre cinq six sept huit neuf dix main eau nuit coeur mere frere maison "
        "pain neige blanc vert hiver ete par quel"
    ),
    "Polish": (
        "jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec reka woda noc serce "
        "matka brat dom chleb snieg bialy zielony zima lato przez ktory"
    ),
    "Czech": (
        "jeden dva tri ctyri pet sest sedm osm devet deset ruka voda noc srdce matka bratr dum "
        "chleb snih bily zeleny zima leto skrz ktery"
    ),
    "Croatian": (
        "jedan dva tri cetiri pet sest sedam osam devet deset ruka voda noc srce majka brat kuca "
        "kruh snijeg bijel zelen zima ljeto kroz koji"
    ),
}
PARENTS = {
    "language": None,
    "Germanic": "language",
    "Romance": "language",
    "Slavic": "language",
    **dict.fromkeys(("English", "German", "Dutch"), "Germanic"),
    **dict.fromkeys(("Spanish", "Italian", "French"), "Romance"),
    **dict.fromkeys(("Polish", "Czech", "Croatian"), "Slavic"),
}


def plain(word: str) -> str:
    """A word in small letters a–z.

    Raises:
        ValueError: if none is left, or there is a sign that is no letter.

    Example:
        >>> plain("Été")
        'ete'
    """
    bare = "".join(
        c for c in unicodedata.normalize("NFD", word.strip().lower()) if not unicodedata.combining(c)
    )
    strange = [c for c in bare if not "a" <= c <= "z"]
    if not bare or strange:
        what = f"has {strange[0]!r}" if strange else "is empty"
        raise ValueError(f"The word {word!r} {what}. Type one word in Latin letters.")
    return bare


def pairs(word: str) -> list[str]:
    """The pairs of neighbouring letters of a word, with ``^`` before its first and ``$`` after its last.

    Example:
        >>> pairs("ja")
        ['^j', 'ja', 'a$']
    """
    framed = f"^{plain(word)}$"
    return [framed[i : i + 2] for i in range(len(framed) - 1)]
