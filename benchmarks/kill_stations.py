"""The subjects and commands that `benchmarks.kill_matrix` kills, and what a kill may not change."""

import contextlib
import hashlib
import json
import math
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from abs_audit.execution.leftovers import MARK

ROOT = Path(__file__).parents[1]
SIGNALS = ("TERM", "INT", "HUP", "KILL")
MOMENTS = ("preparing", "building", "listing", "measuring", "transaction", "rendering")
COMMANDS = ("score", "audit", "stability", "trace", "rootcause")
LIMIT_S = 900.0
RECORDS = ("context", "trial", "result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A tiny subject with answers that are far from every border."""

    subject: str
    downstream: str
    benchmark: str
    pattern: str
    verdicts: Mapping[str, str]
    slower: tuple[str, str, str]
    """File, text and the text by which a later commit becomes slow."""


LANGUAGES: Mapping[str, Language] = {
    "python": Language(
        subject="pytest_benchmark",
        downstream="python/glossary",
        benchmark="benchmarks/test_book.py::test_index",
        pattern="*test_index",
        verdicts={"wordbook.book.Book.index": "detected", "wordbook.book.Book.export": "unreached"},
        slower=("src/wordbook/book.py", "_turn(2000)", "_turn(20000)"),
    ),
    "go": Language(
        subject="go_bench",
        downstream="go/reader",
        benchmark="example.com/wordbook.BenchmarkIndex",
        pattern="*BenchmarkIndex",
        verdicts={
            "example.com/wordbook.(*Book).Index": "detected",
            "example.com/wordbook.(*Book).Export": "unreached",
        },
        slower=("book.go", "counts[word[0]]++", "counts[word[0]] += 1 + Checksum(word, 50)>>20"),
    ),
    "java": Language(
        subject="jmh",
        downstream="java/reader",
        benchmark="org.example.wordbook.bench.BookBenchmark.index",
        pattern="*BookBenchmark.index",
        verdicts={
            "org.example.wordbook.Book.index()": "detected",
            "org.example.wordbook.Book.export()": "unreached",
        },
        slower=(
            "wordbook/src/main/java/org/example/wordbook/Book.java",
            "checksum(word, 4)",
            "checksum(word, 90)",
        ),
    ),
}


@dataclass(slots=True, kw_only=True)
class Station:
    """A command on one subject, with builds and a whole session that all tries begin from."""

    folder: Path
    command: str
    answer: object = None

    @property
    def language(self) -> Language:
        """The subject's."""
        return LANGUAGES[self.folder.name]

    @property
    def checkout(self) -> Path:
        """The subject, which nobody may change."""
        return self.folder / "subject"

    @property
    def cache(self) -> Path:
        """Where the copies lie; stations of a language share them."""
        return self.folder / "cache"

    @property
    def whole(self) -> Path:
        """The session of a command that nobody interrupted."""
        return self.folder / f"{self.command}.db"

    @property
    def temporary(self) -> Path:
        """The folder for temporary files, of which none may be left."""
        return self.folder / "temporary"

    def build(self) -> None:
        """Make the subject, the whole session and its answer, unless they are there.

        What ends in the middle of it goes on with the same session.
        """
        self.temporary.mkdir(parents=True, exist_ok=True)
        if not self.checkout.exists():
            self._make_checkout()
        answer = self.folder / f"{self.command}.json"
        if not answer.exists():
            tried = Try(station=self, moment="never", session=self.whole)
            tried.folder.mkdir(exist_ok=True)
            code = tried.again()
            if code not in {0, 4}:
                raise SystemExit(f"{self.folder.name} {self.command} ended with {code}: {tried.said}")
            answer.write_text(json.dumps(tried.answers()))
        self.answer = json.loads(answer.read_text())

    def arguments(self) -> list[str]:
        """Return the command without where it records."""
        words = [self.command, str(self.checkout)]
        methods = self.folder / "methods.txt"
        methods.write_text("\n".join(self.language.verdicts))
        scored = ["--methods", str(methods), "--slowdown", "0.5", "--benchmarks", self.language.pattern]
        downstream = ROOT / "fixtures" / "downstreams" / self.language.downstream
        return (
            words
            + {
                "score": scored,
                "audit": [*scored, "--budget", "1s"],
                "stability": ["--runs", "3", "--benchmarks", self.language.pattern],
                "trace": ["--downstream", str(downstream)],
                "rootcause": ["--good", "c0", "--bad", "main", "--benchmark", self.language.benchmark],
            }[self.command]
        )

    def _make_checkout(self) -> None:
        """Copy the subject and give it a history whose last commit but one makes it slow."""
        shutil.copytree(ROOT / "fixtures" / "subjects" / self.language.subject, self.checkout)
        path, before, after = self.language.slower
        slow = self.checkout / path
        assert before in slow.read_text()
        for number in range(3):
            (self.checkout / "NOTES").write_text(str(number))
            if number == 1:
                slow.write_text(slow.read_text().replace(before, after))
            for words in (
                ["init", "-q", "-b", "main"] if number == 0 else ["status"],
                ["add", "-A"],
                ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", str(number)],
                ["tag", f"c{number}"],
            ):
                subprocess.run(["git", *words], cwd=self.checkout, check=True, capture_output=True)


@dataclass(slots=True, kw_only=True)
class Try:
    """One kill of a station's command and its repetition."""

    station: Station
    moment: str
    session: Path = Path()
    """Where the command records."""
    said: str = ""
    _before: dict[str, tuple[int, int, bytes]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """The working directory of the command."""
        return self.station.folder / "work"

    def begin(self, draw: random.Random) -> set[str]:
        """Take away what the moment makes; return the trials that are left."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        self.session = self.folder / "session.db"
        shutil.copy(self.station.whole, self.session)
        self._before = state(self.station.checkout)
        if self.moment in {"preparing", "building", "listing"}:
            for stamps in self.station.cache.glob("workspaces/*/stamps.json"):
                stamps.unlink()
        with contextlib.closing(sqlite3.connect(self.session)) as database, database:
            if self.moment != "rendering":
                # Mostly little: all that is taken away is measured again.
                part = 0 if self.moment in {"preparing", "building", "listing"} else 0.5 * draw.random() ** 2
                forget(database, part, listings=self.moment == "listing")
        return self.trials()

    def kill(self, name: str, delay_s: float) -> int:
        """Execute the command until the kill; return its exit code."""
        return self._execute(self.moment, name, delay_s)

    def again(self) -> int:
        """Execute the same command to its end; return its exit code."""
        return self._execute("never", "TERM", 0.0)

    def _execute(self, moment: str, name: str, delay_s: float) -> int:
        (self.folder / "recorded").unlink(missing_ok=True)
        words = [sys.executable, "-m", "benchmarks.kill_moment", moment, name, str(delay_s), "recorded"]
        words += [*self.station.arguments(), "--session", str(self.session), "--json", "-q"]
        with (self.folder / "answer").open("w") as answer, (self.folder / "messages").open("w") as messages:
            finished = subprocess.run(
                words,
                cwd=self.folder,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=answer,
                stderr=messages,
                timeout=LIMIT_S,
                check=False,
                start_new_session=True,
            )
        self.said = (self.folder / "messages").read_text()[-400:]
        return finished.returncode

    def _environment(self) -> dict[str, str]:
        own = {
            "ABS_AUDIT_CACHE": str(self.station.cache),
            "ABS_AUDIT_ITERATION_S": "0.01",
            "TMPDIR": str(self.station.temporary),
            "PYTHONPATH": str(ROOT),
        }
        return {**os.environ, **own}

    def recorded(self) -> list[str]:
        """Return the trials that the last execution recorded, in its order, and when it was killed."""
        path = self.folder / "recorded"
        return path.read_text().splitlines() if path.exists() else []

    def trials(self) -> set[str]:
        """Return the trials that the session holds."""
        with contextlib.closing(sqlite3.connect(self.session)) as database:
            rows = database.execute("SELECT context, block, position FROM trial").fetchall()
        return {f"{context}\t{block}\t{position}" for context, block, position in rows}

    def answers(self) -> object:
        """Return the part of the command's answer that no measurement changes."""
        text = (self.folder / "answer").read_text()
        document = json.loads(text) if text else {}
        return answers_of(self.station.command, document)

    def wrong_answers(self) -> list[str]:
        """Return what the last execution answered otherwise than the station did."""
        given, known = self.answers(), self.station.answer
        if isinstance(given, dict) and isinstance(known, dict):
            wrong = {name for name in known if given.get(name) not in {known[name], "no-verdict"}}
            wrong -= {name for name in known if known[name] == "no-verdict"}
            return [f"{name}: {given.get(name)} instead of {known[name]}" for name in sorted(wrong)]
        return [] if given == known else [f"{given} instead of {known}"]

    def open_answers(self) -> int:
        """Return how many methods a busy machine left without a verdict."""
        given = self.answers()
        return list(given.values()).count("no-verdict") if isinstance(given, dict) else 0

    def leftovers(self, within_s: float, *, handled: bool) -> list[str]:
        """Return what is left of an execution: processes, and where it could, files."""
        end = time.monotonic() + within_s
        while (left := processes(self.station.folder)) and time.monotonic() < end:
            time.sleep(0.1)
        if handled:
            left += [f"{path} is left" for path in self.station.temporary.iterdir()]
            left += [f"{path} is left" for path in self.station.cache.glob("workspaces/*/tmp*")]
            left += [f"{path} is left" for path in self.folder.glob("session.db-*")]
        return left

    def changes(self) -> list[str]:
        """Return the files of the checkout that are not what they were."""
        now = state(self.station.checkout)
        return [
            f"{name} changed"
            for name in now.keys() | self._before.keys()
            if now.get(name) != self._before.get(name)
        ]


def answers_of(command: str, document: Mapping[str, object]) -> object:
    """Return what a command's document says that has to be the same each time."""
    if command in {"score", "audit"}:
        score = document if command == "score" else document["score"]
        assert isinstance(score, dict)
        return {entry["method"]: entry["verdict"] for entry in score["methods"]}
    if command == "trace":
        return document["methods"]
    if command == "rootcause":
        return document["cause"]
    benchmarks = document["benchmarks"]
    assert isinstance(benchmarks, Sequence)
    return sorted([entry["id"], len(entry["means"])] for entry in benchmarks)


def forget(database: sqlite3.Connection, part: float, *, listings: bool) -> None:
    """Take the latest part of the trials out of a session, and the results that came of them."""
    (count,) = database.execute("SELECT COUNT(*) FROM trial").fetchone()
    latest = database.execute(
        "SELECT context, block, position FROM trial ORDER BY recorded_at DESC LIMIT ?",
        (math.ceil(part * count),),
    ).fetchall()
    database.executemany("DELETE FROM trial WHERE context = ? AND block = ? AND position = ?", latest)
    kept = "''" if listings else "'listing/%'"
    database.execute(f"DELETE FROM result WHERE kind NOT LIKE {kept}")


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Return what can be seen of every file and folder: mode, time, content."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).digest() if path.is_file() and not path.is_symlink() else b"",
        )
        for path in [folder, *folder.rglob("*")]
    }


def processes(folder: Path) -> list[str]:
    """Return the processes that belong to the workspaces of a folder or work in it."""
    left = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            marked = process.environ().get(MARK, "").startswith(str(folder))
            if marked or Path(process.cwd()).is_relative_to(folder):
                left.append(f"process {process.pid}: {' '.join(process.cmdline())[:100]}")
    return left
