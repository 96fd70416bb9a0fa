"""Python: pytest-benchmark, CodSpeed, asv and pyperf suites."""

from abs_audit.languages.language import Framework, Language


def language() -> Language:
    """Return the row of the table; imports the wing only when it is asked for."""
    from abs_audit.injectors.python.injector import PythonInjector
    from abs_audit.languages.python.formatting import formatter
    from abs_audit.languages.python.lint import lint
    from abs_audit.languages.python.stubs.asv_stubs import AsvStubs
    from abs_audit.languages.python.stubs.pyperf_stubs import PyperfStubs
    from abs_audit.languages.python.stubs.pytest_benchmark_stubs import PytestBenchmarkStubs
    from abs_audit.languages.python.suites.asv import AsvSuite
    from abs_audit.languages.python.suites.pyperf import PyperfSuite
    from abs_audit.languages.python.suites.pytest_benchmark import PytestBenchmarkSuite
    from abs_audit.languages.python.toolchain.compiled import behind_compiled, compiled_remark
    from abs_audit.languages.python.toolchain.environment import enclosing
    from abs_audit.tracers.python.tracer import PythonTracer

    return Language(
        name="python",
        suffixes=(".py", ".pyi", ".toml", ".cfg"),
        injector=PythonInjector(),
        tracer=PythonTracer(),
        frameworks=(
            Framework(suite=AsvSuite(), stubs=AsvStubs()),
            Framework(suite=PytestBenchmarkSuite(), stubs=PytestBenchmarkStubs()),
            Framework(suite=PyperfSuite(), stubs=PyperfStubs()),
        ),
        enclosing=enclosing,
        forks_a_block=True,
        forks_alike=True,
        warmup=1,
        fork_s=0.0,
        times_together=True,
        clocked_call_s=1.3e-6,
        delay_batch_ns=20_000.0,
        floor_ns=20.0,
        lint=lint,
        formatter=formatter,
        records_callers=True,
        remark=compiled_remark,
        unseen=behind_compiled,
    )
