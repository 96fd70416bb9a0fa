"""Runs fixture subjects through a Python suite door, in this interpreter, with a probe that only tells."""

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from abs_audit.interfaces import BuildSettings, Suite
from abs_audit.model.experiment import UNPROBED, Arm, Block, Mode, Step, Workspace
from abs_audit.model.measurement import Trial
from abs_audit.model.subject import Discovery
from tests.support import executions

SUBJECTS = Path(__file__).parents[2] / "fixtures" / "subjects"
# Each workspace compiles what its frameworks import; here that is done once for all of them.
COMPILED = tempfile.TemporaryDirectory(prefix="abs-audit-compiled-")
SETTINGS = BuildSettings(
    interpreter=sys.executable, requirements=(), paths=(), environment={"PYTHONPYCACHEPREFIX": COMPILED.name}
)

# Counts by wrapping the functions of `wordbook` whenever it is armed; says in `log` what it was told.
FAKE_PROBE = """
import builtins, functools, itertools
BUILD_ID = "fake"
_calls, _armed, _active = {}, [], [False]
def _site(name, function):
    @functools.wraps(function)
    def probed(*args, **kwargs):
        if _active[0] and name in _calls:
            _calls[name] += 1
        return function(*args, **kwargs)
    return probed
def arm(mode, methods, slowed=None, delay_ns=0.0, batch=1):
    _active[0] = False
    _calls.clear()
    _calls.update(dict.fromkeys(methods, 0))
    _armed[:] = [mode, slowed, delay_ns, batch]
def told(settings):
    methods, slowed = settings["ABS_PROBE_METHODS"].split("\\n"), settings.get("ABS_PROBE_SLOWED")
    return (settings["ABS_PROBE_MODE"], methods, slowed,
        float(settings.get("ABS_PROBE_DELAY_NS", 0)), int(settings["ABS_PROBE_BATCH"]))
def watch(path):
    return lambda is_open: None
def start():
    _active[0] = True
def stop():
    _active[0] = False
def forget_carried():
    pass
def counter():
    return list(_calls), lambda: list(_calls.values())
def tally():
    delay_ns = _armed[2] if _armed else 0
    return {"build_id": BUILD_ID, "methods": {
        name: {"calls": calls, "batches": calls // _armed[3], "injected_ns": delay_ns * calls, "timed_ns": 0,
               "probe_ns": 3 * calls}
        for name, calls in _calls.items()}}
"""
PROBED_BOOK = """
import _abs_audit_probe
checksum = _abs_audit_probe._site("wordbook.book.checksum", checksum)
for _name in ("load", "index", "title", "render", "export"):
    setattr(Book, _name, _abs_audit_probe._site("wordbook.book.Book." + _name, getattr(Book, _name)))
"""


def workspace(folder: Path, subject: str, *, probed: bool = False) -> Workspace:
    """Copy a fixture subject; give it the fake probe where wanted."""
    made = Workspace(root=folder)
    shutil.copytree(SUBJECTS / subject, made.tree)
    if probed:
        (root,) = [path.parent.parent for path in made.tree.rglob("wordbook/book.py")]
        (root / "_abs_audit_probe.py").write_text(FAKE_PROBE)
        book = root / "wordbook" / "book.py"
        book.write_text(book.read_text() + PROBED_BOOK)
    return made


def listed(suite: Suite, place: Workspace) -> Discovery:
    """Discover as the harness does."""
    return executions.listed(suite, place, SETTINGS)


def executed(suite: Suite, place: Workspace, blocks: Sequence[Block]) -> list[Trial]:
    """Execute blocks as the harness does, reading the records while they come."""
    return executions.executed(suite, place, SETTINGS, blocks)


def values(suite: Suite, place: Workspace, names: Sequence[str]) -> list[tuple[float, ...]]:
    """Return what each benchmark takes in a lone iteration of two invocations."""
    once = step(invocations=2, iterations=1, warmup=0)
    return [trial.values for trial in executed(suite, place, [block(name, name, once) for name in names])]


def step(arm: Arm = UNPROBED, *, invocations: int | None = 2, iterations: int = 2, warmup: int = 1) -> Step:
    """Make a step that is over at once."""
    return Step(arm=arm, invocations=invocations, target_s=0.001, iterations=iterations, warmup=warmup)


def arm(mode: Mode, *methods: str, slowed: str | None = None) -> Arm:
    """Make an arm."""
    delay_ns = 1000.0 if slowed else 0.0
    return Arm(mode=mode, methods=methods, slowed=slowed, delay_ns=delay_ns, batch=2, label=mode.value)


def block(name: str, benchmark: str, *steps: Step, limit_s: float = 20.0) -> Block:
    """Make a block."""
    return Block(id=name, benchmark=benchmark, steps=steps or (step(),), limit_s=limit_s)
