"""Counts calls of the audited library's functions; loaded by every interpreter that the tests start.

Runs inside the downstream project's own interpreter: standard library only. Counts are kept by code
object and split by who calls: the downstream (direct), the library itself (internal) or anybody else.
What stands between two projects without an own will (standard library, generated code, the test
framework, decorators) is looked through. Each process leaves a file when it ends, by os._exit too.
"""

import atexit
import json
import os
import signal
import sys
import sysconfig
import threading
import time

FOLDER = os.environ.get("ABS_AUDIT_RECORD")
LIBRARY = tuple(filter(None, os.environ.get("ABS_AUDIT_LIBRARY", "").split(os.pathsep)))
DOWNSTREAM = tuple(filter(None, os.environ.get("ABS_AUDIT_DOWNSTREAM", "").split(os.pathsep)))
# Of the first interpreter alone: what the tests start themselves ends with them.
LIMIT_S = float(os.environ.pop("ABS_AUDIT_TESTS_S", 0))
REPORT = os.environ.pop("ABS_AUDIT_REPORT", "")
# File systems tell times by a clock that is some milliseconds late.
BEGUN = time.time() - 1.0
GRACE_S = 30
OUT_OF_TIME = "out-of-time"
OWN_FOLDER = os.path.dirname(os.path.abspath(__file__))

DIRECT, INTERNAL, OTHER = range(3)
LOOKED_THROUGH = 3
RESUMABLE = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator
SAMPLES = 5
ATTEMPTS = 200
LONGEST = 500
TEST_FRAMEWORKS = tuple(os.sep + name + os.sep for name in ("_pytest", "pluggy", "pytest_asyncio"))
STANDARD, FOREIGN = (
    tuple(path + os.sep for path in set(map(sysconfig.get_path, names)) if path)
    for names in (("stdlib", "platstdlib"), ("purelib", "platlib"))
)

counts = {}  # code object → [direct, internal, other]
samples = {}  # code object → {text: times seen}
attempts = {}  # code object → direct calls looked at
kinds = {}  # code object → DIRECT, INTERNAL, OTHER or LOOKED_THROUGH, as a caller
decorating = {}  # a caller's code and a called one → whether the one decorates the other
sampling = threading.local()


def kind_of(code):
    """Return what a frame of this code is as a caller."""
    name = code.co_filename
    if name.startswith(LIBRARY):
        return INTERNAL
    if name.startswith("<") or name.startswith(OWN_FOLDER):
        return LOOKED_THROUGH
    if any(part in name for part in TEST_FRAMEWORKS):
        return LOOKED_THROUGH
    if name.startswith(DOWNSTREAM):
        return DIRECT
    if name.startswith(STANDARD) and not name.startswith(FOREIGN):
        return LOOKED_THROUGH
    return OTHER


def caller_kind(frame, called):
    """Return who called a function's code, looking through what has no will of its own."""
    while frame is not None:
        code = frame.f_code
        kind = kinds.get(code)
        if kind is None:
            kind = kinds[code] = kind_of(code)
        if kind != LOOKED_THROUGH and not (code.co_freevars and decorates(frame, called)):
            return kind
        frame, called = frame.f_back, code
    return OTHER


def decorates(frame, called):
    """Tell whether a frame is what a decorator puts around a function: it closes over what it calls."""
    pair = frame.f_code, called
    if pair not in decorating:
        closed = [frame.f_locals.get(name) for name in frame.f_code.co_freevars]
        decorating[pair] = any(
            type(value) is type(decorates) and value.__code__ is called for value in closed
        )
    return decorating[pair]


def count(frame):
    """Count one entry into a function of the library."""
    code = frame.f_code
    kind = caller_kind(frame.f_back, code)
    entry = counts.get(code)
    if entry is None:
        entry = counts[code] = [0, 0, 0]
    entry[kind] += 1
    if kind == DIRECT and attempts.get(code, 0) < ATTEMPTS and not getattr(sampling, "busy", False):
        attempts[code] = attempts.get(code, 0) + 1
        sampling.busy = True
        try:
            sample(frame, code)
        except Exception:  # a subject's repr may do anything; a sample is optional
            pass
        finally:
            sampling.busy = False


def literal(value, depth=0):
    """Return source text of a plain value, or None."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        text = repr(value)
        return text if len(text) <= LONGEST and text not in ("inf", "-inf", "nan") else None
    if depth > 3 or type(value) not in (list, tuple, set, dict) or len(value) > 50:
        return None
    items = value.items() if type(value) is dict else value
    parts = [entry(item, type(value) is dict, depth + 1) for item in items]
    if None in parts or (type(value) is set and not parts):
        return None
    if type(value) is tuple:
        return "(" + "".join(part + ", " for part in parts).rstrip() + ")"
    opening, closing = ("[", "]") if type(value) is list else ("{", "}")
    return opening + ", ".join(parts) + closing


def entry(item, is_pair, depth):
    """Return source text of an element of a collection, a key with its value in a dictionary, or None."""
    if not is_pair:
        return literal(item, depth)
    parts = [literal(part, depth) for part in item]
    return None if None in parts else ": ".join(parts)


def sample(frame, code):
    """Remember one call if it can be written down as source text."""
    positional = list(code.co_varnames[: code.co_argcount])
    keywords = list(code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount])
    index = code.co_argcount + code.co_kwonlyargcount
    receiver = None
    if positional and positional[0] in ("self", "cls") and "." in getattr(code, "co_qualname", "."):
        owner = positional.pop(0)
        if owner == "self" and code.co_name not in ("__init__", "__new__"):
            receiver = receiver_text(frame.f_locals["self"])
    parts = [literal(frame.f_locals[name]) for name in positional]
    if code.co_flags & 0x04:
        parts += [literal(value) for value in frame.f_locals[code.co_varnames[index]]]
        index += 1
    named = [(name, frame.f_locals[name]) for name in keywords]
    if code.co_flags & 0x08:
        named += frame.f_locals[code.co_varnames[index]].items()
    for name, value in named:
        text = literal(value)
        parts.append(None if text is None else "%s=%s" % (name, text))
    if None in parts or sum(map(len, parts)) > LONGEST:
        return
    seen = samples.setdefault(code, {})
    key = json.dumps({"receiver": receiver, "args": ", ".join(parts)})
    if key in seen or len(seen) < SAMPLES:
        seen[key] = seen.get(key, 0) + 1


def receiver_text(value):
    """Return how the receiver says that it is made, if that reads like a call of its own class."""
    text = repr(value).strip("<>")
    name = type(value).__name__
    return text if text.startswith(name + "(") and text.endswith(")") and len(text) <= LONGEST else None


def dump():
    """Write what this process counted; a process that counted nothing leaves nothing."""
    if not counts:
        return
    records = [
        {
            "file": code.co_filename,
            "name": code.co_name,
            "qualname": getattr(code, "co_qualname", None),
            "line": code.co_firstlineno,
            "counts": entry,
            "samples": samples.get(code, {}),
        }
        for code, entry in list(counts.items())
    ]
    path = os.path.join(FOLDER, "calls-%d-%d.json" % (os.getpid(), id(counts)))
    try:
        with open(path + ".part", "w", encoding="utf-8") as stream:
            json.dump(records, stream)
        os.replace(path + ".part", path)
    except OSError as error:
        sys.stderr.write("abs-audit: the recorder cannot write %s: %s\n" % (path, error))


def in_a_new_process():
    """Begin anew in a forked child: what the parent counted, the parent writes."""
    counts.clear()
    samples.clear()


def leave(status, _exit=os._exit):
    """Write the counts before the process ends without its exit handlers."""
    dump()
    _exit(status)


def reported():
    """Tell whether the tests' report is written."""
    try:
        return os.stat(REPORT).st_mtime >= BEGUN
    except OSError:
        return False


def end_in_time():
    """Interrupt the tests as a person would, so that what they did by then is reported; then leave."""
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        if reported():
            # A process or thread that a failed test left running would be waited for.
            time.sleep(GRACE_S)
            leave(0)
        time.sleep(1)
    with open(os.path.join(FOLDER, OUT_OF_TIME), "w", encoding="utf-8"):
        pass
    # A signal, unlike an exception that is only set, ends what the main thread waits for, too.
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
    time.sleep(GRACE_S)
    leave(int(signal.SIGINT))


def watch_by_profile():
    """Use the profiling hook, below Python 3.12."""

    def hook(frame, event, _argument):
        if event != "call":
            return
        code = frame.f_code
        if not code.co_filename.startswith(LIBRARY) or code.co_name.startswith("<"):
            return
        # A generator's frame is entered again at every resume; only its creation is a call.
        if code.co_flags & RESUMABLE and frame.f_lasti > FIRST_INSTRUCTION:
            return
        count(frame)

    sys.setprofile(hook)
    threading.setprofile(hook)


FIRST_INSTRUCTION = 8


def watch_by_monitoring():
    """Use sys.monitoring: code outside the library costs nothing after its first entry."""
    monitoring = sys.monitoring
    tool = next(number for number in (4, 3, 5, 2, 1, 0) if monitoring.get_tool(number) is None)
    monitoring.use_tool_id(tool, "abs-audit")

    def started(code, _offset):
        if not code.co_filename.startswith(LIBRARY) or code.co_name.startswith("<"):
            return monitoring.DISABLE
        count(sys._getframe(1))
        return None

    monitoring.register_callback(tool, monitoring.events.PY_START, started)
    monitoring.set_events(tool, monitoring.events.PY_START)


def chain():
    """Import the sitecustomize that ours stands before, if there is one."""
    import importlib.machinery
    import importlib.util

    others = [path for path in sys.path if os.path.abspath(path or ".") != OWN_FOLDER]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


chain()
if FOLDER and LIBRARY:
    atexit.register(dump)
    os._exit = leave
    # A shell has what it starts in the background ignore interrupts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if LIMIT_S:
        threading.Thread(target=end_in_time, daemon=True).start()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=in_a_new_process)
    if hasattr(sys, "monitoring"):
        watch_by_monitoring()
    else:
        watch_by_profile()
