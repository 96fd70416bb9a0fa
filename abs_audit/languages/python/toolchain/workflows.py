"""Reads from a project's own automation what it installs where it runs its benchmarks or tests."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from abs_audit.languages.python.toolchain.declarations import Part, readable
from abs_audit.languages.python.toolchain.environment import project_table

PLACES = ".github/workflows/*.y*ml .gitlab-ci.yml .circleci/config.yml azure-pipelines.yml Makefile"
# A job of a workflow begins with a key two columns in.
JOB = re.compile(r"^(?=  [\w-]+:\s*$)", re.MULTILINE)
INSTALLS = re.compile(r"\b(?:pip|uv|poetry|pdm)\b[^\n]*", re.MULTILINE)
NAMED = re.compile(
    r"(?:--(?:group|only-group|extras?|with)|-[GE])[ =](?:(?P<by>[\"'])(.*?)(?P=by)|([\w.,\[\]<>=!~-]+))"
)
BETWEEN = re.compile(r"[,\s]+(?![^\[]*\])")
# What uv installs into, and options by which it leaves out the groups that it installs unasked.
SYNCS = re.compile(r"\buv (?:sync|run)\b[^\n]*")
BARE = re.compile(r"--(?:no-dev|no-default-groups|only-dev|only-group|no-project)\b")
ENVIRONMENT = re.compile(r"\b(?:tox|nox|hatch)\b[^\n]*?(?:-e|-s|-f|run)[ =]([\w.-]+)")
EXTRAS = re.compile(r"\.\[([\w,-]+)\]")
# What a job installs besides, to check, describe or publish the project.
CHORES = re.compile(
    r"(docs?|lint|style|format|typing|types|mypy|tox|nox|release|publish|build|pre-?commit)\W*.*"
)
PACKAGES = re.compile(r"\bpip3? install\b([^\n;&|#]*)")
# What takes no value, of the options of an installer.
SWITCH = re.compile(r"-[Uqv]+|--(?:upgrade|user|pre|system|quiet|verbose|no-[\w-]+|break-system-packages)")
INSTALLER = re.compile(r"(pip|uv|pipx|virtualenv|twine|tox|nox|poetry|pdm|hatch|build)\b.*")
FILE = re.compile(r"(?<![\w/.-])(-c\s+)?((?:[\w.-]+/)*[\w.-]+\.(?:txt|in))\b")


def automated(tree: Path, parts: tuple[Part, ...], wanted: re.Pattern[str]) -> Iterator[Part]:
    """Yield the parts that those jobs install whose text holds what is `wanted`."""
    named = {part.name: part for part in parts}
    for path in (path for pattern in PLACES.split() for path in sorted(tree.glob(pattern))):
        text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
        for job in JOB.split(text):
            if wanted.search(job):
                yield from _installed(tree, job, named)


def _installed(tree: Path, job: str, named: dict[str, Part]) -> Iterator[Part]:
    files = [
        ("-c" if constraint else "-r", str(tree / file))
        for constraint, file in FILE.findall(job)
        if (tree / file).is_file()
    ]
    if any(option == "-r" for option, _ in files):
        arguments = tuple(word for pair in dict.fromkeys(files) for word in pair)
        yield Part(name="files of its automation", arguments=arguments)
    words = [word for line in INSTALLS.findall(job) for word in _named_parts(line, tree, named)]
    words += ENVIRONMENT.findall(job)
    words += [extra for group in EXTRAS.findall(job) for extra in group.split(",")]
    if any(not BARE.search(line) for line in SYNCS.findall(job)):
        words += _default_groups(tree)
    for word in dict.fromkeys(words):
        if CHORES.fullmatch(word):
            continue
        if word in named:
            yield named[word]
        elif re.search(rf"--with[ =]{re.escape(word)}", job) and readable([word]):
            yield Part(name=word, arguments=(word,))
    packages = tuple(dict.fromkeys(package for line in PACKAGES.findall(job) for package in _named(line)))
    yield Part(name="packages of its automation", arguments=packages)


def _named_parts(line: str, tree: Path, named: Mapping[str, Part]) -> Iterator[str]:
    """Yield what an installation names: groups and extras, or all extras."""
    for _, quoted, bare in NAMED.findall(line):
        yield from BETWEEN.split(quoted.strip() or bare)
    if "--all-extras" in line:
        yield from (name for name, part in named.items() if part.arguments == (f"{tree}[{name}]",))


def _default_groups(tree: Path) -> list[str]:
    """Return the groups that uv installs unasked."""
    table = project_table(tree)
    groups = table.get("tool", {}).get("uv", {}).get("default-groups", ["dev"])
    return list(table.get("dependency-groups", {}) if groups == "all" else groups)


def _named(line: str) -> Iterator[str]:
    """Yield the packages that an installation names themselves: no paths, files or values of options."""
    before = ""
    for word in (quoted.strip("\"'") for quoted in re.sub(r"\$\{\{.*?\}\}", "$", line).split()):
        follows_option = before.startswith("-") and not SWITCH.fullmatch(before)
        is_file = word.endswith((".txt", ".in", ".whl", ".toml"))
        if not (follows_option or is_file or INSTALLER.fullmatch(word)):
            yield from readable([word])
        before = word
