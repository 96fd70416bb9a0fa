"""Drives pytest-benchmark and CodSpeed suites: pytest collects, fixtures are its own, the timing is ours."""

from __future__ import annotations

import functools
import inspect
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from _abs_audit_driver.ledger import OK, SKIPPED
from _abs_audit_driver.workload import PreparedWorkload, Workload
from pytest_benchmark.fixture import BenchmarkFixture, FixtureAlreadyUsed
from pytest_benchmark.stats import Metadata

# Of the fixture, and of the marker of a test that is measured as a whole.
NAMES = ("benchmark", "codspeed_benchmark")
# Plugins that time, reorder, repeat, distribute or trace tests, or that write into the tree.
PLUGINS_OFF = (
    *("codspeed", "xdist", "xdist.looponfail", "pytest_cov", "cacheprovider", "randomly", "random_order"),
    *("timeout", "rerunfailures", "repeat", "pytest-speed", "speed", "sugar"),
)
# Without these some suites skip what they have, as fastapi's does.
ASKING = ("--codspeed", "--benchmark-only", "--benchmark-enable")
PRIMITIVES = (str, int, float, bool, type(None))


def discover(plan, listing):
    """List the suite's benchmarks without running any."""
    plugin = Collector(listing)
    code = _pytest(plan, plugin, "--collect-only")
    if not plugin.finished:
        listing.problem = f"pytest ended with exit code {int(code)} before it had collected anything"


def execute(plan, visits):
    """Execute the plan's blocks inside a pytest session."""
    plugin = Measurer(visits)
    code = _pytest(plan, plugin)
    if not plugin.collector.finished:
        plugin.left = [(None, blocks) for _, blocks in visits.order]
    plugin.settle(code)


def _pytest(plan, plugin, *options):
    """Return pytest's exit code; begin it as one does who asks for these benchmarks.

    A suite may look at its own command line for that, as msgspec's does for the folder of those with options.
    """
    # One path that does not exist would make pytest refuse them all.
    paths = [path for path in plan["paths"] if Path(plan["root"], path).exists()]
    sys.argv[:] = ["pytest", *ASKING, *paths]
    options = [*_options(plan), *paths, "--continue-on-collection-errors", *options]
    return pytest.main(options, [plugin, Asked()])


def _options(plan):
    """Return pytest's command line: the project's own options only as far as the plan keeps them."""
    switched_off = [part for name in PLUGINS_OFF for part in ("-p", "no:" + name)]
    overridden = ["addopts=", "filterwarnings=", "required_plugins=", "xfail_strict=false"]
    overrides = [part for option in overridden for part in ("-o", option)]
    return [*switched_off, *overrides, "-q", "--rootdir", plan["root"], *plan["options"]]


def _is_benchmark(item):
    """Tell whether a test uses the fixture or, as CodSpeed has it, is marked as a whole."""
    return _uses_fixture(item) or any(item.get_closest_marker(name) for name in NAMES)


def _uses_fixture(item):
    return any(name in NAMES for name in getattr(item, "fixturenames", ()))


def _text(value):
    """Return a parameter as text: a function or class by its name, another object by its type."""
    if isinstance(value, PRIMITIVES):
        return str(value)
    named = inspect.isroutine(value) or isinstance(value, type)
    return value.__name__ if named else f"<{type(value).__name__}>"


class Asked:
    """Plugin: has CodSpeed's option set, whose own is off."""

    @staticmethod
    def pytest_addoption(parser):
        """Add the option, unless somebody has."""
        with suppress(ValueError):
            parser.addoption("--codspeed", action="store_true", default=True)


class Collector:
    """Plugin: what pytest collected, and what it could not."""

    def __init__(self, listing=None):
        self.listing = listing
        self.problems = {}
        self.finished = False

    def pytest_configure(self, config):
        """Accept both kinds of marker, and files named after benchmarks."""
        for name in NAMES:
            config.addinivalue_line("markers", name + "(*args, **kwargs): a benchmark")

    def pytest_collectreport(self, report):
        """Remember files that cannot be imported, or that skip themselves."""
        if report.outcome != "passed":
            self.problems[report.nodeid] = _reason(report)

    def pytest_collection_finish(self, session):
        """List what was found."""
        self.finished = True
        if self.listing is None:
            return
        for item in session.items:
            if _is_benchmark(item):
                params = item.callspec.params if hasattr(item, "callspec") else {}
                self.listing.benchmark(item.nodeid, {name: _text(value) for name, value in params.items()})
        for identifier, reason in self.problems.items():
            self.listing.broken(identifier, reason)

    @pytest.fixture
    def codspeed_benchmark(self, benchmark):
        """CodSpeed's name for the same fixture, whose own plugin is off."""
        return benchmark


def _reason(report):
    """Return the one line of a report that says what went wrong, and where."""
    detail = report.longrepr
    if isinstance(detail, tuple):
        return f"{detail[2]} ({detail[0]}:{detail[1]})"
    crash = getattr(detail, "reprcrash", None)
    if crash is not None:
        first_line = crash.message.partition("\n")[0]
        return f"{first_line} ({crash.path}:{crash.lineno})"
    errors = [line for line in str(detail).splitlines() if line.startswith("E ")]
    return errors[-1][1:].strip() if errors else str(detail).strip().split("\n")[-1]


class Measurer:
    """Plugin: takes pytest to the benchmarks of the plan and measures where it would have timed."""

    def __init__(self, visits):
        self.visits = visits
        self.collector = Collector()
        self.left = []
        self._blocks = []
        self._reports = []
        self._measured = False

    def pytest_configure(self, config):
        """Put our measurement into the place of the fixture's own."""
        config.pluginmanager.register(self.collector)
        _take_over(self)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """Leave the benchmarks of the plan, in its order; one may come up several times."""
        self.visits.imported()
        by_name = {item.nodeid: item for item in items if _is_benchmark(item)}
        self.left = [(by_name[name], blocks) for name, blocks in self.visits.order if name in by_name]
        items[:] = [item for item, _ in self.left]
        for name, blocks in self.visits.order:
            problem = self.collector.problems.get(name.split("::")[0])
            if name not in by_name and problem:
                self.visits.fail(blocks, problem)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        """Begin a visit, before any fixture is set up."""
        expected, self._blocks = self.left.pop(0)
        assert expected is item
        self._reports, self._measured = [], False
        self.visits.watch.visit()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        """Keep how set-up, call and teardown went."""
        outcome = yield
        self._reports.append(outcome.get_result())

    def pytest_runtest_logfinish(self, nodeid):
        """End a visit: a success stands only if the whole test passes."""
        bad = [
            report for report in self._reports if report.outcome != "passed" or hasattr(report, "wasxfail")
        ]
        skipped = bool(bad) and bad[0].outcome == "skipped"
        if self._measured:
            failed = [report for report in bad if report.outcome == "failed"]
            self.visits.ledger.commit("the test fails: " + _reason(failed[0]) if failed else None)
        elif bad:
            self.visits.fail(self._blocks, _reason(bad[0]), SKIPPED if skipped else "failed")
        self.visits.fail(self._blocks, "the test never called its benchmark fixture")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus):
        """Leave before others clear up after a session that goes on where this was forked."""
        self.settle(exitstatus)
        self.visits.leave()

    def settle(self, code):
        """Account for the benchmarks that pytest did not come to."""
        for _, blocks in self.left:
            self.visits.fail(blocks, f"pytest ended with exit code {int(code)} before this benchmark's turn")
        self.left = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        """Measure a test that is marked as a whole, its assertions with it: pytest need not call it again."""
        if _uses_fixture(pyfuncitem):
            return None
        function = pyfuncitem.obj
        if inspect.iscoroutinefunction(function):
            pytest.fail("an async test cannot be measured as a whole; use the benchmark fixture inside it")
        # CodSpeed measures with the garbage collector off.
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        self.measure(Workload(function, kwargs=arguments, collect=False))
        return True

    def measure(self, workload):
        """Execute this visit's blocks and return a successful record.

        Skip the rest of the test where there is none: the call that failed or hung in a fork
        would fail or hang here again.
        """
        self._measured = True
        records = self.visits.execute(self._blocks, workload, (pytest.skip.Exception,))
        if any(record["status"] != OK for record in records):
            pytest.skip("not measured")
        return next((record for record in records if record["status"] == OK), None)


def _take_over(measurer):
    """Replace what the `benchmark` fixture does when it is called; everything else stays its own."""

    def once(fixture, mode):
        if fixture._mode:
            fixture.has_error = True
            raise FixtureAlreadyUsed(
                f"Fixture can only be used once. Previously it was used in {fixture._mode}."
            )
        fixture._mode = mode

    def measured(fixture, workload):
        workload.clock = fixture._timer
        record = measurer.measure(workload)
        fixture.stats = Metadata(fixture, iterations=record["invocations"], options={})
        for value in record["values"]:
            fixture.stats.stats.update(value)

    def call(self, function_to_benchmark, *args, **kwargs):
        once(self, "benchmark(...)")
        measured(self, Workload(function_to_benchmark, args, kwargs, collect=not self._disable_gc))
        return function_to_benchmark(*args, **kwargs)

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, **rounds):  # noqa: PLR0913, PLR0917 - as the fixture has it
        once(self, "benchmark.pedantic(...)")
        prepare = functools.partial(_arguments, args, kwargs or {}, setup)
        clear = teardown or (lambda *args, **kwargs: None)
        if setup is None and teardown is None:
            workload = Workload(target, args, kwargs, collect=not self._disable_gc)
        else:
            workload = PreparedWorkload(target, prepare, clear, collect=not self._disable_gc)
        if not rounds.get("warmup_rounds"):
            workload.from_first = rounds.get("rounds", 1) * rounds.get("iterations", 1)
        measured(self, workload)
        args, kwargs = prepare()
        result = target(*args, **kwargs)
        clear(*args, **kwargs)
        return result

    BenchmarkFixture.__call__ = call
    BenchmarkFixture.pedantic = pedantic


def _arguments(args, kwargs, setup):
    """Return the arguments of a call, as `pedantic` documents them."""
    made = setup() if setup else None
    if made and (args or kwargs):
        raise TypeError("Can't use `args` or `kwargs` if `setup` returns the arguments.")
    return made or (args, kwargs)
