"""Drives pyperf scripts: each runs as the main program, and its Runner hands over what it would time."""

from __future__ import annotations

import asyncio
import functools
import runpy
import sys
from itertools import groupby, repeat
from pathlib import Path
from time import perf_counter

import pyperf
from _abs_audit_driver.fork import apart, one_line
from _abs_audit_driver.workload import Workload
from pyperf._timeit import Timer

DISCOVERY_LIMIT_S = 120
COMMAND = "times a command in a process of its own, where no probe can be switched on"


class EnoughError(BaseException):
    """Everything wanted of a script was measured; not an Exception, so that no script catches it."""


def discover(plan, listing):
    """List what each script benchmarks; every script runs in a fork, up to its set-up."""
    for path in plan["paths"]:
        _take_over(None)
        names, cause = apart(functools.partial(_list, plan, path), DISCOVERY_LIMIT_S)
        for kind, identifier, told in names:
            getattr(listing, kind)(identifier, told)
        if cause:
            listing.broken(path, cause[1])


def _list(plan, path, write):
    def tell(name, workload, reason):
        kind, told = ("broken", reason) if workload is None else ("benchmark", {})
        write((kind, f"{path}::{name}", told))

    _take_over(tell)
    try:
        _run(plan, path)
    except (Exception, SystemExit) as problem:
        write(("broken", path, one_line(problem)))


def execute(plan, visits):
    """Run the scripts as often as the order of the blocks asks for."""
    for path, portion in portions(visits.order):
        if not Path(plan["root"], path).is_file():
            continue
        script = Script(visits, path, portion)
        visits.watch.visit()
        _take_over(script.found)
        try:
            _run(plan, path)
        except EnoughError:
            pass
        except (Exception, SystemExit) as problem:
            for blocks in script.wanted.values():
                visits.fail(blocks, one_line(problem))


def portions(order):
    """Yield a script and its visits, so that no benchmark comes up twice in one run of the script."""
    for path, neighbours in groupby(order, lambda visit: visit[0].split("::")[0]):
        portion = {}
        for identifier, blocks in neighbours:
            if identifier in portion:
                yield path, portion
                portion = {}
            portion[identifier] = blocks
        yield path, portion


class Script:
    """One run of a script, up to the last benchmark that is wanted of it."""

    def __init__(self, visits, path, wanted):
        self.visits = visits
        self.path = path
        self.wanted = wanted

    def found(self, name, workload, reason):
        """Execute the blocks of a benchmark, if any are wanted, where the script would have timed it."""
        blocks = self.wanted.pop(f"{self.path}::{name}", None)
        if blocks is None:
            return
        if workload is None:
            self.visits.fail(blocks, reason)
        else:
            self.visits.execute(blocks, workload)
            self.visits.ledger.commit()
        if not self.wanted:
            raise EnoughError


def _run(plan, path):
    """Run a script as `python path` would."""
    script = Path(plan["root"], path)
    arguments, search = sys.argv, list(sys.path)
    sys.argv = [str(script)]
    sys.path.insert(0, str(script.parent))
    # pyperf allows one Runner a process.
    pyperf.Runner._created = set()
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        # `sys.exit(main())` is how a script ends well, too.
        if end.code:
            raise
    finally:
        sys.argv, sys.path[:] = arguments, search


def _take_over(tell):
    """Let every Runner call `tell(name, workload, reason)` instead of timing."""

    def take(self, name, workload):
        options = self.parse_args()
        if options.warmups == 0:
            # Each of pyperf's processes is a new one.
            workload.from_first = options.values * max(1, options.loops)
            workload.from_first_s = 0.0 if options.loops else options.values * options.min_time
        tell(name, workload, "")

    def bench_func(self, name, func, *args, **options):
        take(self, name, Workload(functools.partial(func, *args) if args else func))

    def bench_time_func(self, name, time_func, *args, **options):
        take(self, name, SelfTimedWorkload(lambda loops: time_func(loops, *args)))

    def bench_async_func(self, name, func, *args, **options):
        factory = options.get("loop_factory") or asyncio.new_event_loop
        take(self, name, AsyncWorkload(functools.partial(func, *args) if args else func, factory))

    def timeit(self, name, stmt=None, setup="pass", teardown="pass", **options):
        lines = [_lines(part) for part in (name if stmt is None else stmt, setup, teardown)]
        take(self, name, StatementWorkload(Timer(*lines, globals=options.get("globals"))))

    def bench_command(self, name, command):
        tell(name, None, COMMAND)

    for replacement in (bench_func, bench_time_func, bench_async_func, timeit, bench_command):
        setattr(pyperf.Runner, replacement.__name__, replacement)


def _lines(statements):
    """Return statements, given as pyperf takes them, as one text."""
    return statements if isinstance(statements, str) else "\n".join(statements)


class SelfTimedWorkload(Workload):
    """A function that takes the number of loops and returns their duration."""

    def seconds(self, invocations, arm):
        """Return what the function measured; its own set-up cannot be told from its loops."""
        arm.open()
        duration = self._function(invocations)
        arm.close()
        return duration


class StatementWorkload(Workload):
    """Statements in a loop of pyperf's own; its two looks at the clock bound the region."""

    def seconds(self, invocations, arm):
        """Return the duration between the two looks."""

        def first():
            arm.open()
            return perf_counter()

        def second():
            now = perf_counter()
            arm.close()
            return now

        looks = iter((first, second))
        return self._function.make_inner()(repeat(None, invocations), lambda: next(looks)())  # noqa: PLW0108


class AsyncWorkload(Workload):
    """Awaits a coroutine function in a loop, inside one event loop."""

    def __init__(self, function, loop_factory):
        super().__init__(function)
        self._loop_factory = loop_factory

    def seconds(self, invocations, arm):
        """Return the duration of that many awaits, one after another."""
        function = self._function

        async def region():
            arm.open()
            start = perf_counter()
            for _ in repeat(None, invocations):
                await function()
            duration = perf_counter() - start
            arm.close()
            return duration

        loop = self._loop_factory()
        asyncio.set_event_loop(loop)
        try:
            return loop.run_until_complete(region())
        finally:
            asyncio.set_event_loop(None)
            loop.close()
