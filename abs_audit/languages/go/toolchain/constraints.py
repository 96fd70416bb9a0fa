"""Which files does the Go toolchain compile here? File names and `//go:build` lines decide."""

import platform
import re
import sys
from collections.abc import Iterator

SYSTEMS = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "js",
        "linux",
        "nacl",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
        "zos",
    ]
)
ARCHITECTURES = frozenset(
    [
        "386",
        "amd64",
        "amd64p32",
        "arm",
        "arm64",
        "arm64be",
        "armbe",
        "loong64",
        "mips",
        "mips64",
        "mips64le",
        "mips64p32",
        "mips64p32le",
        "mipsle",
        "ppc",
        "ppc64",
        "ppc64le",
        "riscv",
        "riscv64",
        "s390",
        "s390x",
        "sparc",
        "sparc64",
        "wasm",
    ]
)
UNIX = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "linux",
        "netbsd",
        "openbsd",
        "solaris",
    ]
)
_MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "i686": "386", "armv7l": "arm"}

_LINE = re.compile(r"^//go:build (.*)$", re.MULTILINE)
_OLD_LINE = re.compile(r"^//\s*\+build (.*)$", re.MULTILINE)
_HEAD = re.compile(r"\ufeff?(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*+")
_BLOCK = re.compile(r"^([^/\n]*)/\*(?s:.*?)\*/", re.MULTILINE)
_TOKEN = re.compile(r"\s*(\|\||&&|[!()]|[\w.]+)")
_RELEASE = re.compile(r"go1\.\d+")


def is_compiled(path: str, text: str) -> bool:
    """Tell whether a file is part of its package, or of the tests, on this machine."""
    words = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    if words and not _named_for_here(words):
        return False
    comments = _HEAD.match(text)
    head = _BLOCK.sub(r"\1", comments[0]) if comments else ""
    line = _LINE.search(head)
    if line is not None:
        return _or(iter([*_TOKEN.findall(line[1]), ""]))
    return all(_old(line[1]) for line in _OLD_LINE.finditer(head))


def _named_for_here(words: list[str]) -> bool:
    """Judge `…_GOOS`, `…_GOARCH` and `…_GOOS_GOARCH`; a system in front of other words says nothing."""
    if words[-1] in ARCHITECTURES and len(words) > 1 and words[-2] in SYSTEMS:
        return _holds(words[-1]) and _holds(words[-2])
    return _holds(words[-1]) or words[-1] not in SYSTEMS | ARCHITECTURES


def _holds(tag: str) -> bool:
    system = "windows" if sys.platform == "win32" else sys.platform
    here = {system, _MACHINES.get(platform.machine(), platform.machine()), "gc", "cgo"}
    return tag in here or (tag == "unix" and system in UNIX) or _RELEASE.fullmatch(tag) is not None


def _old(line: str) -> bool:
    """Evaluate a line of the older form: blanks are or, commas are and."""
    return any(
        all(not _holds(word[1:]) if word.startswith("!") else _holds(word) for word in option.split(","))
        for option in line.split()
    )


class _Tokens:
    """The tokens of an expression, with a look at the next one."""

    def __init__(self, tokens: Iterator[str]) -> None:
        self._tokens = tokens
        self.next = next(tokens, "")

    def take(self) -> str:
        taken, self.next = self.next, next(self._tokens, "")
        return taken


def _or(tokens: Iterator[str]) -> bool:
    return _any(_Tokens(tokens))


def _any(tokens: _Tokens) -> bool:
    holds = _all(tokens)
    while tokens.next == "||":
        tokens.take()
        holds = _all(tokens) or holds
    return holds


def _all(tokens: _Tokens) -> bool:
    holds = _one(tokens)
    while tokens.next == "&&":
        tokens.take()
        holds = _one(tokens) and holds
    return holds


def _one(tokens: _Tokens) -> bool:
    word = tokens.take()
    if word == "!":
        return not _one(tokens)
    if word == "(":
        holds = _any(tokens)
        tokens.take()
        return holds
    return _holds(word)
