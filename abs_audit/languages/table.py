"""The one table of languages. Nothing else names one."""

from functools import cache
from pathlib import Path

from abs_audit.errors import UsageError
from abs_audit.languages import go, java, python
from abs_audit.languages.language import Framework, Language

WINGS = (python, go, java)


@cache
def languages() -> tuple[Language, ...]:
    """Return the rows, in the order in which suites are looked for."""
    return tuple(wing.language() for wing in WINGS)


def detect(root: Path, wanted: str | None) -> list[tuple[Language, Framework]]:
    """Return the suites that a checkout holds, or the one that is wanted by its framework's name."""
    suites = [(language, framework) for language in languages() for framework in language.frameworks]
    names = ", ".join(framework.suite.name for _, framework in suites)
    if wanted is not None:
        matching = [(language, framework) for language, framework in suites if framework.suite.name == wanted]
        if not matching:
            raise UsageError(f"--suite {wanted}: no such framework; expected one of {names}")
        return matching
    matching = [(language, framework) for language, framework in suites if framework.suite.detect(root)]
    if not matching:
        raise UsageError(
            f"{root}: no benchmark suite found; looked for {names}. "
            "Name one with --suite, or write a first benchmark for one of them: what there is, is audited"
        )
    return matching
