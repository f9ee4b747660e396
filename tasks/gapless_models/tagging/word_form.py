"""Features of the spelling of one word."""

from __future__ import annotations

import re

MAX_AFFIX = 5
"""Longest prefix and suffix, in characters."""

_SHAPE_LENGTH = 12
_SIGNATURE_SHAPE_LENGTH = 4
_TELLING_SUFFIXES = (
    *("ness", "ment", "tion", "sion", "able", "ible", "less", "ship"),
    *("ing", "ion", "ity", "ous", "ful", "ive", "est", "ers", "ies", "ian", "ist", "ism", "ate", "ize"),
    *("ed", "er", "ly", "al", "ic", "es", "or", "ss", "us", "is", "y", "s", "n", "e"),
)
_DIGIT = re.compile(r"\d")
_RUN = re.compile(r"(.)\1+", re.DOTALL)


def shape(word: str) -> str:
    """Map each character to its class: ``X`` upper case, ``x`` lower case, ``d`` digit, else itself."""
    return "".join("X" if c.isupper() else "x" if c.islower() else "d" if c.isdigit() else c for c in word)


def short_shape(word: str) -> str:
    """Return :func:`shape` with each run of one class cut to a single character."""
    return _RUN.sub(r"\1", shape(word))


def normal(word: str) -> str:
    """Convert the word to lower case and write every digit as ``0``, so that numbers share their statistics."""
    return _DIGIT.sub("0", word.lower())


def signature(word: str) -> str:
    """Name the spelling class of an unknown word: capitalisation, digits, hyphen and an indicative suffix.

    Source: a short form of the unknown-word classes of Petrov, Barrett, Thibaux and Klein, "Learning
    accurate, compact, and interpretable tree annotation" (ACL 2006).
    """
    parts = ["?", short_shape(word)[:_SIGNATURE_SHAPE_LENGTH]]
    if "-" in word:
        parts.append("-")
    if len(word) > 3:
        lower = word.lower()
        parts.append(next((suffix for suffix in _TELLING_SUFFIXES if lower.endswith(suffix)), ""))
    return "".join(parts)


def spelling(word: str) -> list[str]:
    """List the spelling features of a word: affixes, shapes and flags, but not the word itself."""
    low = normal(word)
    longest = min(MAX_AFFIX, len(low))
    flags = (
        ("digit", any(c.isdigit() for c in word)),
        ("hyphen", "-" in word),
        ("capital", word[:1].isupper()),
        ("capitals", word.isupper()),
        ("inner", any(c.isupper() for c in word[1:])),
        ("period", "." in word and len(word) > 1),
        ("symbol", not any(c.isalnum() for c in word)),
    )
    raised = [name for name, value in flags if value]
    return [
        *(f"prefix={low[:k]}" for k in range(1, longest + 1)),
        *(f"suffix={low[-k:]}" for k in range(1, longest + 1)),
        f"shape={shape(word)[:_SHAPE_LENGTH]}",
        f"short={short_shape(word)}",
        *(f"flag={name}" for name in raised),
        *(f"flags={'+'.join(raised)} {low[-k:]}" for k in (1, 2, 3) if len(low) > k),
    ]
