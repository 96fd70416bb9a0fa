"""Which files does the Go toolchain compile here? File names and `//go:build` lines decide."""

import platform
import re
import sys
from collections.abc import Mapping

from abs_audit.model.subject import SourceTree

UNIX_SYSTEMS = "aix android darwin dragonfly freebsd hurd illumos ios linux netbsd openbsd solaris"
OTHER_SYSTEMS = "js nacl plan9 wasip1 windows zos"
PROCESSORS = """386 amd64 amd64p32 arm arm64 arm64be armbe loong64 mips mips64 mips64le mips64p32 mips64p32le
mipsle ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm"""
UNIX = frozenset(UNIX_SYSTEMS.split())
SYSTEMS = UNIX.union(OTHER_SYSTEMS.split())
ARCHITECTURES = frozenset(PROCESSORS.split())
_MACHINES = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64", "i686": "386", "armv7l": "arm"}

_LINE = re.compile(r"^//go:build (.*)$", re.MULTILINE)
_OLD_LINE = re.compile(r"^//\s*\+build (.*)$", re.MULTILINE)
_HEAD = re.compile(r"\ufeff?(?:\s|//[^\n]*|/\*(?s:.*?)\*/)*+")
_BLOCK = re.compile(r"^([^/\n]*)/\*(?s:.*?)\*/", re.MULTILINE)
_TOKEN = re.compile(r"\|\||&&|[!()]|[\w.]+")
_OPERATORS = {"||": "or", "&&": "and", "!": "not", "(": "(", ")": ")"}
_TAGS = re.compile(r"(?<!\S)--?tags[= ](?:'([^']*)'|\"([^\"]*)\"|(\S+))")
_FLAGS = "go.env"
_RELEASE = re.compile(r"go1\.\d+")


def with_flags(tree: SourceTree, environment: Mapping[str, str]) -> SourceTree:
    """Return sources that go is told to compile with the GOFLAGS of an environment."""
    flags = environment.get("GOFLAGS")
    return {**tree, _FLAGS: flags} if flags else tree


def tags(tree: SourceTree) -> frozenset[str]:
    """Return the build tags that GOFLAGS set for these sources."""
    chosen = _TAGS.findall(tree.get(_FLAGS, ""))
    return frozenset(re.findall(r"[\w.]+", "".join(chosen[-1]))) if chosen else frozenset()


def is_compiled(path: str, text: str, own_tags: frozenset[str]) -> bool:
    """Tell whether a file is part of its package, or of the tests, on this machine, with the user's tags."""
    words = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    if words and not _named_for_here(words):
        return False
    comments = _HEAD.match(text)
    head = _BLOCK.sub(r"\1", comments[0]) if comments else ""
    line = _LINE.search(head)
    if line is not None:
        return _new(line[1], own_tags)
    # In lines of the older form blanks are or, commas are and.
    return all(
        any(
            all(_holds(word.lstrip("!"), own_tags) != word.startswith("!") for word in option.split(","))
            for option in line[1].split()
        )
        for line in _OLD_LINE.finditer(head)
    )


def _named_for_here(words: list[str]) -> bool:
    """Judge `…_GOOS`, `…_GOARCH` and `…_GOOS_GOARCH`; a system in front of other words says nothing."""
    if words[-1] in ARCHITECTURES and len(words) > 1 and words[-2] in SYSTEMS:
        return _holds(words[-1]) and _holds(words[-2])
    return _holds(words[-1]) or words[-1] not in SYSTEMS | ARCHITECTURES


def _holds(tag: str, own_tags: frozenset[str] = frozenset()) -> bool:
    system = "windows" if sys.platform == "win32" else sys.platform
    here = {system, _MACHINES.get(platform.machine(), platform.machine()), "gc", "cgo"}
    return tag in here | own_tags or (tag == "unix" and system in UNIX) or _RELEASE.fullmatch(tag) is not None


def _new(line: str, own_tags: frozenset[str]) -> bool:
    """Evaluate an expression of tags; one that is none is left to the compiler to complain about."""
    words = (_OPERATORS.get(token) or str(_holds(token, own_tags)) for token in _TOKEN.findall(line))
    try:
        # Nothing but True, False, three operators and brackets is left.
        return bool(eval(" ".join(words)))  # noqa: S307
    except SyntaxError:
        return True
