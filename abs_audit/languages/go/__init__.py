"""Go: suites of the testing package."""

from abs_audit.languages.language import Framework, Language


def language() -> Language:
    """Return the row of the table; imports the wing only when it is asked for."""
    from abs_audit.injectors.go.injector import GoInjector
    from abs_audit.languages.go.formatting import gofmt
    from abs_audit.languages.go.lint import lint
    from abs_audit.languages.go.stubs.bench_stubs import GoBenchStubs
    from abs_audit.languages.go.suites.bench import GoBenchSuite
    from abs_audit.languages.go.toolchain.constraints import with_flags
    from abs_audit.languages.go.toolchain.modules import enclosing, without_pages
    from abs_audit.tracers.go.tracer import GoTracer

    return Language(
        name="go",
        suffixes=(".go", "go.mod", "go.work", "Godeps.json", "vendor.json", "glide.yaml", "README.md"),
        injector=GoInjector(),
        tracer=GoTracer(),
        frameworks=(Framework(suite=GoBenchSuite(), stubs=GoBenchStubs()),),
        forks_a_block=True,
        forks_alike=True,
        # The testing package itself makes a first run of one invocation in every process.
        warmup=0,
        fork_s=0.0,
        delay_batch_ns=50_000.0,
        floor_ns=2.0,
        spread=16,
        looks_s=(0.4, 0.4, 0.8),
        iteration_part=0.5,
        # `go test -bench` ends with the invocation that fills a second.
        single_s=1.5,
        lint=lint,
        as_built=lambda tree, environment: with_flags(without_pages(tree), environment),
        enclosing=enclosing,
        formatter=gofmt,
    )
