"""Audits one subject of the study with the public commands only, and keeps what the page needs.

    python -m study.audit NAME… [--cache FOLDER] [--lock FILE]

A subject is cloned into the cache folder and audited from there; what was recorded before is taken up
again, so that the same command goes on where it ended.
"""

import argparse
import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from study import page
from study.result import digest

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "abs-audit-study"
COMMAND = Path(sys.executable).with_name("abs-audit")
INCOMPLETE = 4
MEASURED = (0, 1, INCOMPLETE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A row of subjects.toml."""

    name: str
    repository: str
    commit: str
    language: str
    methods: int
    slowdown: float
    budget: str
    downstreams: tuple[str, ...] = ()
    methods_file: str = ""
    rounds: int = 3
    options: tuple[str, ...] = ()
    configuration: str = ""
    published: tuple[float, ...] = ()
    reading: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a subject is audited."""

    folder: Path
    lock: Path
    """Held while something is measured: two audits side by side would measure each other."""


class StudyError(Exception):
    """A subject could not be audited; the message says which command failed."""


def subjects() -> dict[str, Subject]:
    """Return all subjects by name, in the order of the list."""
    rows = tomllib.loads((HERE / "subjects.toml").read_text(encoding="utf-8"))
    named = {name: {"name": name, **row} for name, row in rows.items()}
    return TypeAdapter(dict[str, Subject]).validate_python(named)


def audited(subject: Subject, place: Place) -> Iterator[dict[str, Any]]:
    """Yield what is known of a subject after each audit; one that its budget ended is taken up again."""
    checkout = cloned(f"{subject.repository}@{subject.commit}", place.folder)
    options = [*_configuration(subject, place), *subject.options]
    methods, traced = _methods(subject, checkout, place, options)
    command = [
        *("audit", str(checkout), "--methods", str(methods), "--slowdown", str(subject.slowdown)),
        *("--budget-time", subject.budget, "--html", str(place.folder / "audit.html"), *options),
    ]
    log = place.folder / "taken.json"
    taken = json.loads(log.read_text(encoding="utf-8")) if log.exists() else []
    for _ in range(subject.rounds):
        with held(place.lock):
            load, begun = os.getloadavg()[0], time.monotonic()
            audit = asked(command, place)
            taken.append({"wall_s": time.monotonic() - begun, "load": [load, os.getloadavg()[0]]})
        log.write_text(json.dumps(taken), encoding="utf-8")
        if audit:
            yield digest(audit, traced, taken)
        stubs = audit and audit["stability"] and audit["stubs"]
        if stubs and all(stub["finished"] for stub in stubs["stubs"]):
            return


def _configuration(subject: Subject, place: Place) -> tuple[str, ...]:
    """Return the options that name a subject's configuration, written beside its checkout."""
    if not subject.configuration:
        return ()
    path = place.folder / "abs-audit.toml"
    path.write_text(subject.configuration, encoding="utf-8")
    return "--config", str(path)


def _methods(
    subject: Subject, checkout: Path, place: Place, options: Sequence[str]
) -> tuple[Path, dict[str, Any] | None]:
    """Return the file of K', and the trace where the downstream projects' tests say what is in it."""
    if subject.methods_file:
        return HERE / "methods" / subject.methods_file, None
    methods, kept = place.folder / "methods.json", place.folder / "trace.json"
    if not kept.exists():
        given = [
            address if "://" not in address else str(cloned(address, place.folder / "downstreams"))
            for address in subject.downstreams
        ]
        downstreams = [part for project in given for part in ("--downstream", project)]
        top = ("--top", str(subject.methods), "--output", str(methods))
        trace = asked(["trace", str(checkout), *downstreams, *top, *options], place)
        kept.write_text(json.dumps(trace), encoding="utf-8")
    return methods, json.loads(kept.read_text(encoding="utf-8"))


def asked(command: Sequence[str], place: Place) -> dict[str, Any]:
    """Return the document that a command of abs-audit answers with; progress goes to standard error."""
    whole = [str(COMMAND), *command, "--json", "--session", str(place.folder / "session.db")]
    print("$", " ".join(whole), file=sys.stderr, flush=True)
    done = subprocess.run(whole, stdout=subprocess.PIPE, cwd=place.folder, check=False)
    if done.returncode not in MEASURED:
        raise StudyError(f"abs-audit {command[0]} ended with {done.returncode}; its message stands above")
    # Nothing is said where a budget ended before there was any answer.
    document: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
    return document


def cloned(address: str, folder: Path) -> Path:
    """Return the checkout of `URL@commit` below a folder; one that is there already is taken as it is."""
    url, commit = address.rsplit("@", 1)
    checkout = folder / url.rstrip("/").rsplit("/", 1)[-1]
    if not checkout.exists():
        unfinished = checkout.with_name(checkout.name + ".part")
        shutil.rmtree(unfinished, ignore_errors=True)
        _git("clone", "--quiet", "--no-checkout", url, str(unfinished))
        _git("-C", str(unfinished), "checkout", "--quiet", "--detach", commit)
        unfinished.rename(checkout)
    return checkout


def _git(*arguments: str) -> None:
    if subprocess.run(["git", *arguments], check=False).returncode:
        raise StudyError(f"git {' '.join(arguments)} failed; its message stands above")


@contextlib.contextmanager
def held(lock: Path) -> Iterator[None]:
    """Hold a lock that other programs that measure on this machine may take too."""
    with lock.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit the named subjects (all where none is named), and write the page after each."""
    known: Mapping[str, Subject] = subjects()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}; none: all")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where subjects are cloned and measured")
    parser.add_argument("--rounds", type=int, help="budgets to spend on each now, instead of the list's")
    parser.add_argument("--lock", type=Path, help="file to lock while something is measured")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(known):
        parser.error(f"no such subject: {', '.join(sorted(unknown))}; expected one of {', '.join(known)}")
    failed = []
    for name in options.names or known:
        folder = options.cache / name
        folder.mkdir(parents=True, exist_ok=True)
        try:
            place = Place(folder=folder, lock=options.lock or options.cache / "lock")
            subject = replace(known[name], rounds=options.rounds or known[name].rounds)
            for result in audited(subject, place):
                page.keep(name, result)
                page.write(known)
        except StudyError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(name)
    if failed:
        print(f"without a result: {', '.join(failed)}; the same command goes on", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
