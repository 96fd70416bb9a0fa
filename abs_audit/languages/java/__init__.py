"""Java: JMH suites of Maven and Gradle projects."""

from abs_audit.languages.language import Framework, Language


def language() -> Language:
    """Return the row of the table; imports the wing only when it is asked for."""
    from abs_audit.injectors.java.injector import JavaInjector
    from abs_audit.languages.java.lint import lint
    from abs_audit.languages.java.stubs.jmh_stubs import JmhStubs
    from abs_audit.languages.java.suites.jmh import JmhSuite
    from abs_audit.languages.java.suites.plan import plan_of
    from abs_audit.languages.java.toolchain.reactor import enclosing
    from abs_audit.tracers.java.tracer import JavaTracer

    return Language(
        name="java",
        suffixes=(".java", "pom.xml", "build.gradle", "build.gradle.kts"),
        injector=JavaInjector(),
        tracer=JavaTracer(),
        frameworks=(Framework(suite=JmhSuite(), stubs=JmhStubs()),),
        forks_a_block=False,
        forks_alike=False,
        warmup=1,
        fork_s=0.7,
        turns=10,
        delay_batch_ns=20_000.0,
        floor_ns=3.0,
        looks_s=(0.6, 0.6, 1.2),
        enclosing=enclosing,
        builds_long=True,
        may_call=lambda workspace, settings: plan_of(workspace, settings).may_call(),
        lint=lint,
    )
