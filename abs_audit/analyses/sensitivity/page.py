"""The section of the page on sensitivity: how slow each method must become."""

from markupsafe import Markup

from abs_audit.analyses.sensitivity.model import MethodSensitivity, Sensitivity
from abs_audit.analyses.sensitivity.text import answer, when
from abs_audit.report.html import frame
from abs_audit.report.html.dot_rows import DotRows, Line, dot_rows, plot_axis
from abs_audit.report.html.geometry import Tick, slowdown_ticks
from abs_audit.report.names import brief_method
from abs_audit.wording import slower


def section(result: Sensitivity, injected: float | None) -> Markup:
    """Return the section; `injected` is the slowdown of the score, where there is one."""
    return frame.part(
        "sensitivity/section.html.j2",
        result=result,
        answer=answer(result),
        needed=needed_slowdowns(result, injected),
    )


def needed_slowdowns(result: Sensitivity, injected: float | None) -> DotRows | None:
    """Return how slow each method must become, on a logarithmic axis; the worst watched first."""
    noticed = [method.smallest_noticed for method in result.methods if method.smallest_noticed is not None]
    least = min([0.05, *(needed for needed in noticed if needed > 0)])
    axis = plot_axis(least, 1.15 * max([1.0, *noticed]), logarithmic=True)
    ranked = sorted(result.methods, key=lambda method: -(method.smallest_noticed or float("inf")))
    reference = None if injected is None else Tick(at=axis.at(injected), label=slower(injected))
    lines = [_line(method, axis.low, axis.high) for method in ranked]
    return dot_rows(lines, axis, slowdown_ticks(axis), reference)


def _line(method: MethodSensitivity, low: float, high: float) -> Line:
    needed = method.smallest_noticed
    kind = "never" if needed is None else "confirmed" if method.confirmed else "predicted"
    end = high if needed is None else needed
    return Line(
        name=method.method,
        label=brief_method(method.method),
        dots={kind: end},
        span=(low, end),
        kind=kind,
        note="never noticed" if method.never else when(method),
    )
