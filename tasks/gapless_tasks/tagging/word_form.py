"""What the spelling of one word says about its label."""

from __future__ import annotations

import re

MAX_AFFIX = 5
"""Longest prefix and suffix, in characters."""

_SIGNATURE_SUFFIXES = (
    *("ness", "ment", "tion", "sion", "able", "ible", "less", "ship"),
    *("ing", "ion", "ity", "ous", "ful", "ive", "est", "ers", "ies", "ian", "ist", "ism", "ate", "ize"),
    *("ed", "er", "ly", "al", "ic", "es", "or", "ss", "us", "is", "y", "s", "n", "e"),
)
_DIGITS = re.compile(r"\d+")
_RUNS = re.compile(r"(.)\1+")


def shape(word: str) -> str:
    """Map each character to its class: ``X`` upper, ``x`` lower case, ``d`` digit, else itself."""
    return "".join(
        "X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word
    )


def short_shape(word: str) -> str:
    """Return :func:`shape` with each run of one class cut to a single character."""
    return _RUNS.sub(r"\1", shape(word))


def normal(word: str) -> str:
    """Lower-case the word and write every digit as ``0``, so that numbers share their statistics."""
    return _DIGITS.sub(lambda m: "0" * len(m.group()), word.lower())


def signature(word: str) -> str:
    """Name the class of an unknown word: capitalisation, digits, hyphen and a telling suffix.

    Source: the unknown-word classes of Petrov, Barrett, Thibaux and Klein, "Learning accurate, compact, and
    interpretable tree annotation" (ACL 2006), in a short form.
    """
    lower = word.lower()
    parts = ["?", short_shape(word)[:4]]
    if "-" in word:
        parts.append("-")
    if len(word) > 3:
        parts.append(next((s for s in _SIGNATURE_SUFFIXES if lower.endswith(s)), ""))
    return "".join(parts)


def spelling(word: str) -> list[str]:
    """List the spelling features of a word: affixes, shape and flags, without the word itself."""
    low = normal(word)
    longest = min(MAX_AFFIX, len(low))
    found = [f"p{low[:k]}" for k in range(1, longest + 1)]
    found += [f"s{low[-k:]}" for k in range(1, longest + 1)]
    brief = short_shape(word)
    found += [f"h{shape(word)[:12]}", f"b{brief}"]
    flags = (
        ("digit", any(c.isdigit() for c in word)),
        ("hyphen", "-" in word),
        ("capital", word[:1].isupper()),
        ("capitals", word.isupper()),
        ("inner", any(c.isupper() for c in word[1:])),
        ("period", "." in word and len(word) > 1),
        ("symbol", not any(c.isalnum() for c in word)),
    )
    on = [name for name, value in flags if value]
    found += [f"f{name}" for name in on]
    found += [f"c{'+'.join(on)}:{low[-k:]}" for k in (1, 2, 3) if len(low) > k]
    return found
