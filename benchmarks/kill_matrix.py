"""Does anything get lost, repeated or left behind where a command is killed?

    python -m benchmarks.kill_matrix [--seconds 600] [--results FILE] [--folder FOLDER] [--only PATTERN...]

TERM, INT, HUP and KILL, at six moments of five commands on tiny subjects in three languages, with
`benchmarks.kill_moment`. Each try begins with a session and builds of which a part was taken away, as an
interruption leaves them; the command is killed, and given again. It fails where the same command then knows
another verdict than without the kill, where a recorded trial is lost or made anew, where a process, a
temporary folder or a lock is left, or the checkout is not what it was.
Tries that RESULTS holds are not made again.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from benchmarks.kill_stations import COMMANDS, LANGUAGES, MOMENTS, SIGNALS, Station, Try

ROOT = Path(__file__).parents[1]
LONGEST_DELAY_S = 0.6
RENDERING_S = 0.05
"""What most commands need for their answer, once they have it."""
SOONER = (1.0, 0.25, 0.0)
"""Parts of a delay: a command that has ended cannot be killed, and is given again, to be killed sooner."""
CODES = {"TERM": 143, "INT": 130, "HUP": 143, "KILL": -9}
ENDED = {0, 4}
LEFT_S = 10.0
"""Within which all processes have ended after a kill that nobody can handle, on a busy machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One kill."""

    language: str
    command: str
    signal: str
    moment: str
    number: int

    @property
    def name(self) -> str:
        """What the results call it."""
        return f"{self.language}/{self.command}/{self.signal}/{self.moment}/{self.number}"


def cases(repeats: int) -> Iterator[Case]:
    """Yield every kill, in an order in which any part of it is a fair sample."""
    drawn = [
        Case(language=language, command=command, signal=signal, moment=moment, number=number)
        for number in range(1, repeats + 1)
        for language in LANGUAGES
        for command in COMMANDS
        for signal in SIGNALS
        for moment in MOMENTS
    ]
    random.Random(1).shuffle(drawn)
    yield from sorted(drawn, key=lambda case: case.number)


def attempt(station: Station, case: Case) -> dict[str, object]:
    """Make one try and return what it showed."""
    draw = random.Random(case.name)
    longest_s = RENDERING_S if case.moment == "rendering" else LONGEST_DELAY_S
    delay_s = draw.uniform(0, longest_s)
    for part in SOONER:
        tried = Try(station=station, moment=case.moment)
        kept = tried.begin(draw)
        code = tried.kill(case.signal, part * delay_s)
        late = "killed" not in tried.recorded()
        if not late:
            break
    problems = (
        [] if late or code == CODES[case.signal] or code in ENDED else [f"exit code {code}: {tried.said}"]
    )
    problems += tried.leftovers(LEFT_S, handled=case.signal != "KILL")
    problems += [f"lost: {key}" for key in kept - tried.trials()]
    kept = tried.trials()
    again = tried.again()
    problems += [f"repeated: {key}" for key in kept & set(tried.recorded())]
    problems += [f"lost: {key}" for key in kept - tried.trials()]
    problems += [] if again in ENDED else [f"exit code {again} of the same command: {tried.said}"]
    problems += [*tried.wrong_answers(), *tried.leftovers(LEFT_S, handled=True), *tried.changes()]
    return {
        "case": case.name,
        "code": code,
        "late": late,
        "open": tried.open_answers(),
        "kept": len(kept),
        "problems": problems[:5],
    }


def main() -> int:
    """Make the tries that are missing, as far as the time allows; return 1 if one has a problem."""
    options = _options()
    results = json.loads(options.results.read_text()) if options.results.exists() else []
    known = {entry["case"] for entry in results}
    stations: dict[tuple[str, str], Station] = {}
    end = time.monotonic() + options.seconds
    for case in cases(options.repeats):
        if case.name in known or not any(fnmatchcase(case.name, pattern) for pattern in options.only):
            continue
        if time.monotonic() > end:
            break
        key = (case.language, case.command)
        if key not in stations:
            stations[key] = Station(folder=options.folder / case.language, command=case.command)
            stations[key].build()
        begun = time.monotonic()
        results.append(attempt(stations[key], case) | {"seconds": round(time.monotonic() - begun, 1)})
        options.results.write_text(json.dumps(results, indent=1))
        print(results[-1], flush=True)
    return _told(results)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "kill_matrix.json")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "kill_matrix")
    parser.add_argument("--only", nargs="+", default=["*"])
    parser.add_argument("--repeats", type=int, default=2)
    options = parser.parse_args()
    options.results.parent.mkdir(parents=True, exist_ok=True)
    return options


def _told(results: list[dict[str, object]]) -> int:
    bad = [entry for entry in results if entry["problems"]]
    for place in range(4):
        counts = Counter(str(entry["case"]).split("/")[place] for entry in results)
        print(", ".join(f"{name} {count}" for name, count in counts.most_common()))
    late = sum(bool(entry["late"]) for entry in results)
    print(f"{len(results)} kills, {len(bad)} with a problem, {late} came after the end of the command")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
