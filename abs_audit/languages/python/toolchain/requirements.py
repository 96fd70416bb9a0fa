"""Chooses from what a checkout declares the packages that its tests or benchmarks need."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from abs_audit.languages.python.toolchain.declarations import Part, declared_parts, is_installable
from abs_audit.languages.python.toolchain.environment import members
from abs_audit.languages.python.toolchain.workflows import automated

BENCH = re.compile(r"bench(mark)?s?|benchmarking|perf(ormance)?|codspeed|asv|pyperf")
TEST = re.compile(r"tests?|testing|pytest|unit|unittests?")
DEVELOPMENT = re.compile(r"dev|develop|development")
# Words of a name that say nothing of what it is for.
NEUTRAL = re.compile(r"requirements?|reqs?|deps|dependencies|pip|py\d*|\d+|in|env|envs|all")
RUNS_BENCHMARKS = re.compile(
    r"--codspeed|pytest-benchmark|\bpytest\b[^\n]*\bbench|\basv\b|-e codspeed|-s bench"
)
RUNS_TESTS = re.compile(r"\bpytest\b|\btox\b|\bnox\b|\bunittest\b")
IMPORTS = re.compile(r"^[ \t]*(?:from|import)[ \t]+([\w., \t]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Arguments of pip: what there must be, and further parts, each of which may fail alone."""

    required: tuple[str, ...]
    optional: Mapping[tuple[str, ...], tuple[str, ...]]
    """Arguments → the single requirements that they stand for, as far as they can be read."""


def for_benchmarks(tree: Path, files: Iterable[Path]) -> Requirements:
    """Return what the benchmarks in `files` need beside their framework.

    That is the subject; what the jobs install that run its benchmarks; extras, groups, environments
    and requirement files named after benchmarks or tests; and whatever else the project declares
    under a name that one of the files imports.
    """
    paths = list(files)
    own = (member for member in members(tree) if any(path.is_relative_to(member) for path in paths))
    parts = tuple(part for project in (tree, *own) for part in declared_parts(project))
    chosen = [
        *automated(tree, parts, RUNS_BENCHMARKS),
        *(_for_purposes(parts, (BENCH, TEST)) or _for_purposes(parts, (DEVELOPMENT,))),
    ]
    return _requirements(tree, parts, chosen, paths)


def for_tests(tree: Path) -> Requirements:
    """Return what a project's unit tests need."""
    parts = declared_parts(tree)
    chosen = [
        *automated(tree, parts, RUNS_TESTS),
        *_for_purposes(parts, (TEST,)),
        *_for_purposes(parts, (DEVELOPMENT,)),
        # An application pins here what it runs with.
        *(part for part in parts if part.name == "requirements"),
    ]
    return _requirements(tree, parts, chosen, sorted(tree.glob("test*/**/*.py")))


def _requirements(
    tree: Path, parts: Sequence[Part], chosen: Iterable[Part], files: Iterable[Path]
) -> Requirements:
    """Return the subject, what is chosen of the parts, and what else of them the files import."""
    imported = _imported((line for part in parts for line in part.requirements), tree, files)
    wanted = [*chosen, Part(name="imports", arguments=imported, requirements=imported)]
    optional = {part.arguments: part.requirements for part in wanted if part.arguments}
    projects = [project for project in (tree, *members(tree)) if is_installable(project)]
    return Requirements(required=tuple(map(str, projects)), optional=optional)


def _for_purposes(parts: Sequence[Part], purposes: Sequence[re.Pattern[str]]) -> list[Part]:
    """Return the parts whose names say one of the purposes; those that say nothing else, if any do."""
    scored = [(part, _other_words(part.name, purposes)) for part in parts]
    apt = [(part, others) for part, others in scored if others is not None]
    fewest = min((others for _, others in apt), default=0)
    return [part for part, others in apt if others == fewest]


def _other_words(name: str, purposes: Sequence[re.Pattern[str]]) -> int | None:
    """Return how many words of a name say something else; None where none says a purpose."""
    words = [word for word in re.split(r"[-_./ ]+", name.lower()) if word]
    apt = [word for word in words if any(purpose.fullmatch(word) for purpose in purposes)]
    others = [word for word in words if word not in apt and not NEUTRAL.fullmatch(word)]
    return len(others) if apt else None


def _imported(declared: Iterable[str], tree: Path, files: Iterable[Path]) -> tuple[str, ...]:
    """Return the declared requirements whose name is a part of an imported name, the first of each."""
    texts = (path.read_text("utf-8", "replace") for path in _with_helpers(tree, files))
    lines = [line for text in texts for line in IMPORTS.findall(text)]
    names = {canonicalize_name(name) for line in lines for name in re.split(r"\W+", line)}
    chosen: dict[str, str] = {}
    for entry in declared:
        name = canonicalize_name(Requirement(entry).name)
        if name in names:
            chosen.setdefault(name, entry)
    return tuple(chosen.values())


def _with_helpers(tree: Path, files: Iterable[Path]) -> Iterator[Path]:
    """Yield files of tests, what lies beside them and each conftest.py that pytest would load for them."""
    paths = dict.fromkeys(files)
    own = dict.fromkeys(path.parent for path in paths if path.parent != tree)
    beside = (path for folder in own for path in sorted(folder.glob("*.py")))
    folders = (folder for path in paths for folder in path.parents if folder.is_relative_to(tree))
    conftests = (folder / "conftest.py" for folder in folders)
    yield from dict.fromkeys(path for path in (*paths, *beside, *conftests) if path.is_file())
