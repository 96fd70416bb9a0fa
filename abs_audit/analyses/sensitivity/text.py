"""How slow each method must become to be noticed, for terminals."""

from rich.console import Group

from abs_audit.advising import advised
from abs_audit.analyses.sensitivity.model import MethodSensitivity, Sensitivity
from abs_audit.report.text import facts, headline, largest_first, named, page, table, warnings
from abs_audit.wording import count, percent, slower


def answer(result: Sensitivity) -> str:
    """Return the smallest and the largest slowdown that is needed, and how many are never noticed."""
    needed = [method.smallest_noticed for method in result.methods if method.smallest_noticed is not None]
    never = sum(1 for method in result.methods if method.never)
    unknown = len(result.methods) - len(needed) - never
    open_ = f"; of {unknown} nothing is known yet" if unknown else ""
    if not needed and not never:
        return f"Nothing is known yet of {count(result.methods, 'method')}."
    if not needed:
        some = never if unknown else "any"
        return f"No slowdown of {some} of {count(result.methods, 'method')} would ever be noticed{open_}."
    text = f"The best watched method is noticed when it becomes {slower(min(needed))}"
    if len(needed) > 1:
        text += f"; the worst watched must become {slower(max(needed))}"
    if never:
        text += f"; {never} can become arbitrarily slow unnoticed"
    return f"{text}{open_}."


def when(method: MethodSensitivity) -> str:
    """Return how slow a method must become to be noticed."""
    if method.smallest_noticed is None:
        return "never" if method.known else "not known"
    return slower(method.smallest_noticed)


def summary(result: Sensitivity) -> Group:
    """Return how slow each method must become, worst watched first."""
    rows = (
        (
            when(method),
            "yes" if method.confirmed else "no",
            named(method.method, ("by", method.benchmark), ("why", method.reason)),
        )
        for method in sorted(result.methods, key=lambda method: largest_first(method.smallest_noticed))
    )
    missing = any(method.never for method in result.methods)
    return page(
        headline(answer(result)),
        table(("left", "noticed when", "confirmed"), ("fold", "method"), rows=rows),
        facts(
            ("threshold", f"a benchmark notices when it becomes {percent(result.threshold)} slower"),
            ("next", advised("stubs" if missing else "redundancy")),
        ),
        warnings(result.warnings),
    )
