"""Tokens of the filter language, and the errors at a position of the text."""

from __future__ import annotations

import re

from tercast.errors import SyntaxRefused, shown

BLANKS = " \t\r\n"
NAME = r"[A-Za-z_][A-Za-z0-9_-]*+"
NUMBER = r"-?[0-9]++(?:(?![.eE])|(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?!\.|[eE][+-]?[0-9]))"
"""A whole number; a word may follow. Python before 3.11.5 (Debian 12) gets possessive groups wrong.

The first alternative, digits only, is the common one and saves time.
"""

OP = r"[=!<>]=|[=<>]"

TOKEN = re.compile(
    rf'[{BLANKS}]*+(?:(?P<name>{NAME})|(?P<number>{NUMBER})|(?P<string>"(?:[^"\\]++|\\["\\])*")'
    rf"|(?P<op>{OP})|(?P<mark>[][(),])|(?P<end>\Z))"
)


class FilterTokens:
    """Tokens of a text; `at` is the position of the next token."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self) -> tuple[str, str, int]:
        """Consume the next token; return its kind, its text and its position."""
        token = TOKEN.match(self.text, self.at)
        if token is None:
            raise self.no_token()
        kind = token.lastgroup
        assert kind is not None
        self.at = token.end()
        return kind, token[kind], token.start(kind)

    def accept(self, word: str) -> bool:
        """Whether the next token is this mark or keyword; if so, consume it."""
        token = TOKEN.match(self.text, self.at)
        if token is None or token[token.lastgroup or 0].lower() != word:
            return False
        self.at = token.end()
        return True

    def expect(self, mark: str, expected: str) -> None:
        """Consume this mark; refuse any other token."""
        kind, word, start = self.take()
        if word != mark or kind != "mark":
            raise self.unexpected(word, start, expected)

    def no_token(self) -> SyntaxRefused:
        """Return the error for a position where no token begins."""
        start = self.at + len(self.text[self.at :]) - len(self.text[self.at :].lstrip(BLANKS))
        rest = self.text[start:]
        if rest[0] == '"':
            return self.bad_string(start)
        if rest[0] in "-.+0123456789":
            word = re.match(r"[-+.A-Za-z0-9_]+", rest)
            number = shown(word[0] if word else rest[0])
            detail = f"{number} is not a number; write, for example, -12, 0.5 or 1.5e-3"
            return self.error("filter_syntax", start, detail)
        hint = "; write texts in double quotes" if rest[0] == "'" else ""
        return self.error("filter_syntax", start, f"unexpected character {shown(rest[0])}{hint}")

    def bad_string(self, start: int) -> SyntaxRefused:
        """Return the error for a text without an end, or with an unknown escape."""
        at = start + 1
        while at < len(self.text) and self.text[at] != '"':
            if self.text[at] == "\\":
                if self.text[at + 1 : at + 2] not in ("\\", '"'):
                    detail = 'unknown escape; a text may contain only the escapes \\" and \\\\'
                    return self.error("filter_syntax", at, detail)
                at += 1
            at += 1
        return self.error("filter_syntax", start, "this text has no closing double quote; add it")

    def unexpected(self, word: str, start: int, expected: str) -> SyntaxRefused:
        """Return the error for an unexpected token."""
        found = shown(word) if word else "end of the filter"
        return self.error("filter_syntax", start, f"unexpected {found}; expected {expected}", expected)

    def error(self, code: str, start: int, detail: str, expected: str | None = None) -> SyntaxRefused:
        """Return an error at a position."""
        token = TOKEN.match(self.text, start)
        length = token.end() - start if token else min(1, len(self.text) - start)
        return SyntaxRefused(
            (), code, f"at character {start + 1}: {detail}", self.text, start, length, expected
        )
