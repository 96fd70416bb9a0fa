"""A page as a browser would find it, and what holds for every page."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from typing import TypeVar

VOID = {"meta", "br", "wbr", "hr", "img", "input", "link"}
BUDGET = 2_000_000
LINKING = ("src", "srcset", "href", "xlink:href", "action", "data", "poster", "background", "ping")
Made = TypeVar("Made")


class Lazily(Mapping[str, Made]):
    """Values by name, each made where a test first looks at it: to collect tests takes the names alone."""

    def __init__(self, make: Callable[[str], Made], names: Iterable[str]) -> None:
        self._make = cache(make)
        self._names = tuple(names)

    def __getitem__(self, name: str) -> Made:
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class Page(HTMLParser):
    """What a browser would find: elements with their attributes, and the visible text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.unbalanced: list[str] = []
        self.words = ""
        self.raw: dict[str, str] = {"style": "", "script": ""}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.unbalanced.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]] += data
        else:
            self.words += data

    def attributes(self, name: str) -> list[str]:
        return [attributes[name] or "" for _, attributes in self.elements if name in attributes]

    def count(self, tag: str) -> int:
        return sum(element == tag for element, _ in self.elements)
