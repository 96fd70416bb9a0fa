"""Drives asv suites: asv_runner discovers and sets up, the timing is ours."""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import pickle
import pkgutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from _abs_audit_driver.fork import apart, one_line
from _abs_audit_driver.ledger import FAILED
from _abs_audit_driver.workload import SkippedError, Workload
from asv_runner import discovery
from asv_runner._aux import update_sys_path
from asv_runner.benchmarks.mark import SkipNotImplemented
from asv_runner.benchmarks.time import TimeBenchmark
from asv_runner.benchmarks.timeraw import TimerawBenchmark

CACHE = "cache.pickle"
DISCOVERY_LIMIT_S = 600
# What asv makes of a benchmark that does not say how many.
MOST_REPEATS = 10
UNTIMED = "asv does not time it: what it returns, be it a time, is not read here, so it can notice nothing"
RAW = "times code in processes of its own, where no probe can be switched on"


def discover(plan, listing):
    """List the timing benchmarks, a combination of parameters each; each configuration in a fork of its own.

    Their folders may have the same name, and so may their modules.
    """
    for root in plan["roots"]:
        listed, cause = apart(functools.partial(_list, root), DISCOVERY_LIMIT_S)
        for kind, *told in listed:
            getattr(listing, kind)(*told)
        if cause:
            listing.problem = cause[1]


def _list(root, write):
    os.environ.update(root["environment"])
    suite = Instances(root)
    suite.import_modules(())
    for identifier, (benchmark, index) in suite.found.items():
        parameters = dict(_named_parameters(benchmark, index))
        write(("benchmark", identifier, parameters, suite.imports_s[benchmark.name]))
    for identifier, reason in suite.broken:
        write(("broken", identifier, reason))


def execute(plan, visits):
    """Execute the plan's blocks, each with its own set-up in its own fork."""
    suite = Instances(plan)
    suite.import_modules(plan["modules"])
    visits.imported(lambda following: suite.import_modules(following["modules"]))
    with tempfile.TemporaryDirectory() as folder:
        caches = Caches(Path(folder))
        for identifier, blocks in visits.order:
            visits.watch.visit()
            if identifier in suite.found:
                _visit(visits, blocks, suite.found[identifier], caches)
            else:
                _explain(visits, blocks, suite.broken)


def _visit(visits, blocks, instance, caches):
    """Execute neighbouring blocks of one benchmark."""
    benchmark, index = instance
    folder, problem = caches.place(benchmark, max(block["limit_s"] for block in blocks))
    if problem:
        status, reason = problem
        visits.fail(blocks, "setup_cache: " + reason, status)
        return
    visits.execute(blocks, AsvWorkload(benchmark, index, folder), (SkipNotImplemented,))
    visits.ledger.commit()


def _explain(visits, blocks, broken):
    """Record why a benchmark was not found, where the reason is known; else it is missing."""
    for identifier, reason in broken:
        if blocks[0]["benchmark"].startswith(identifier):
            visits.fail(blocks, reason)


class Instances:
    """Benchmarks of a suite by their id, and what of it is broken; as far as their modules are imported.

    A process begins soon, as asv's own for a benchmark does: a module may make graphs for half a minute.
    """

    def __init__(self, root):
        self.found = {}
        self.imports_s = {}
        """Name of a benchmark → seconds that importing its module took."""
        self._prefix = root["prefix"]
        self._folder = root["benchmark_dir"]
        self._tried = set()
        self._broken, self._untimed = [], []
        update_sys_path(self._folder)
        self._guard()

    @property
    def broken(self):
        """Names and reasons of what is not found."""
        # Beside others it would be no news that something is not timed.
        broken = self._broken if self.found else self._broken + self._untimed
        return [(self._prefix + name, reason) for name, reason in broken]

    def import_modules(self, asked):
        """Import modules, all where none is named; tell whether there were new ones."""
        tried = len(self._tried)
        self._import(os.path.basename(self._folder), asked)  # noqa: PTH119 - as asv names the package
        return len(self._tried) > tried

    def _import(self, name, asked):
        """Import a module and those below it; asv itself would stop at the first that fails."""
        if name not in self._tried:
            self._tried.add(name)
            begun = perf_counter()
            try:
                module = importlib.import_module(name)
            except (Exception, SystemExit) as problem:
                self._broken.append((name.partition(".")[2] or name, one_line(problem)))
                return
            self._find(module, perf_counter() - begun)
        package = getattr(sys.modules.get(name), "__path__", ())
        for _, child, _ in pkgutil.iter_modules(package, name + "."):
            if _is_asked(child.partition(".")[2], asked):
                self._import(child, asked)

    def _find(self, module, import_s):
        """Add what a module holds."""
        discovery.disc_modules = lambda *_, **__: iter([module])
        for benchmark in discovery.disc_benchmarks(self._folder, ignore_import_errors=True):
            if isinstance(benchmark, TimerawBenchmark):
                self._broken.append((benchmark.name, RAW))
            elif isinstance(benchmark, TimeBenchmark):
                self._add(benchmark)
                self.imports_s[benchmark.name] = import_s
            else:
                self._untimed.append((benchmark.name, UNTIMED))

    def _add(self, benchmark):
        """Add one instance for each combination of parameters."""
        for index, combination in enumerate(itertools.product(*benchmark.params)):
            identifier = self._prefix + benchmark.name
            if benchmark.params:
                identifier += f"({', '.join(combination)})"
            self.found[identifier] = benchmark, index

    def _guard(self):
        """Let a class that cannot be instantiated be broken alone."""
        original = discovery._get_benchmark

        def guarded(attribute, module, owner, function):
            try:
                return original(attribute, module, owner, function)
            except Exception as problem:
                parts = [*module.__name__.split(".")[1:], getattr(owner, "__name__", None), attribute]
                self._broken.append((".".join(filter(None, parts)), one_line(problem)))
                return None

        discovery._get_benchmark = guarded


def _is_asked(module, asked):
    """Tell whether a module is one of those that are asked, or above one; of none all are."""
    return not asked or any((name + ".").startswith(module + ".") for name in asked)


def _named_parameters(benchmark, index):
    """Return pairs of a parameter's name and its text."""
    combination = next(itertools.islice(itertools.product(*benchmark.params), index, None))
    names = list(benchmark.param_names)
    names += [f"param{position + 1}" for position in range(len(names), len(combination))]
    return ((names[position], text) for position, text in enumerate(combination))


class Caches:
    """What `setup_cache` made, once a key: a working directory with the pickled value."""

    def __init__(self, folder):
        self._folder = folder
        self._made = {}

    def place(self, benchmark, limit_s):
        """Return the directory to run in, and status and reason where setup_cache failed."""
        key = getattr(benchmark, "setup_cache_key", None)
        if key not in self._made:
            folder = Path(tempfile.mkdtemp(dir=str(self._folder)))
            self._made[key] = folder, None if key is None else self._make(benchmark, folder, limit_s)
        return self._made[key]

    @staticmethod
    def _make(benchmark, folder, limit_s):
        def make(write):
            try:
                os.chdir(str(folder))
                value = benchmark.do_setup_cache()
                with Path(CACHE).open("wb") as stream:
                    pickle.dump(value, stream)
            except Exception as problem:
                write(one_line(problem))

        limit_s = benchmark.setup_cache_timeout or limit_s
        problems, cause = apart(make, limit_s)
        return (FAILED, problems[0]) if problems else cause


class AsvWorkload(Workload):
    """A timing benchmark as `timeit` runs it; with a `setup`, every call sees a fresh one."""

    def __init__(self, benchmark, index, folder):
        # `timeit` keeps the garbage collector off.
        super().__init__(benchmark.func, collect=False)
        self._benchmark = benchmark
        self._index = index
        self._folder = folder
        self._fresh = False
        self.clock = getattr(benchmark, "timer", self.clock)
        self.renews = bool(benchmark._setups)

    def enter(self):
        """Set up as asv does in a new process."""
        benchmark = self._benchmark
        os.chdir(str(self._folder))
        if benchmark.params:
            benchmark.set_param_idx(self._index)
        if Path(CACHE).exists():
            # Our own file of a moment ago.
            with Path(CACHE).open("rb") as stream:
                self._cache(pickle.load(stream))  # noqa: S301
        if benchmark.do_setup():
            raise SkippedError("its setup does not want these parameters, or raised NotImplementedError")
        self._fresh = True
        self.fewest = max(1, benchmark.number)
        if benchmark.number and benchmark.warmup_time == 0:
            repeat = benchmark.repeat or MOST_REPEATS
            most = repeat[1] if isinstance(repeat, (list, tuple)) else repeat
            self.from_first = benchmark.number * int(most)
        self._function = self._bound()

    def _cache(self, value):
        if hasattr(self._benchmark, "set_cache"):
            self._benchmark.set_cache(value)
        elif value is not None:
            self._benchmark.insert_param(value)

    def _bound(self):
        """Return the benchmark as asv calls it: bare, or closed over its parameters."""
        benchmark = self._benchmark
        build = getattr(benchmark, "_build_params", lambda: tuple(benchmark._current_params))
        parameters = build()
        if not parameters:
            return benchmark.func
        return lambda: benchmark.func(*parameters)

    def leave(self):
        """Tear down what `enter` set up."""
        self._benchmark.do_teardown()

    def seconds(self, invocations, arm):
        """Return the summed duration of the calls."""
        if not self.renews:
            return super().seconds(invocations, arm)
        total, clock = 0.0, self.clock
        for _ in range(invocations):
            function = self._renewed()
            arm.open()
            start = clock()
            function()
            total += clock() - start
            arm.close()
        return total

    def _renewed(self):
        """Return the benchmark's function after a set-up that no call has used."""
        if not self._fresh:
            self._benchmark.do_teardown()
            self._benchmark.do_setup()
        self._fresh = False
        return self._function
