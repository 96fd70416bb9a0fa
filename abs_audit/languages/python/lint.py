"""Known mistakes in Python benchmarks, as far as their source shows them."""

import ast
from collections.abc import Iterator, Sequence
from itertools import chain

from abs_audit.languages.python.toolchain.syntax import dotted, parsed
from abs_audit.model.lint import Lint, Rule

FIXTURE = "benchmark"
CLOCKS = {"time.time", "time.perf_counter", "time.monotonic", "time.process_time", "time.time_ns"}
DRAWING = "random randint choice choices shuffle sample uniform rand randn normal"
SEEDING = {"seed", "Random", "default_rng", "RandomState", "manual_seed", "PRNGKey"}
"""What sets a seed, or makes a generator of its own."""

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def lint(path: str, text: str) -> Iterator[Lint]:
    """Yield the mistakes in the pytest-benchmark, CodSpeed and asv benchmarks of a file."""
    looked_at = path.endswith(".py") and ("benchmark" in text or "bench" in path)
    module = parsed(text) if looked_at else None
    if module is None:
        return
    calls = (node for node in ast.walk(module) if isinstance(node, ast.Call))
    called = {dotted(node.func).rpartition(".")[2] for node in calls}
    functions = {node.name: node for node in ast.walk(module) if isinstance(node, Definition)}
    for function in functions.values():
        parameters = {argument.arg for argument in (*function.args.posonlyargs, *function.args.args)}
        if function.name.startswith("test_") and FIXTURE in parameters:
            yield from _fixture_misuse(path, function)
            timed = _handed_over(function, functions)
        elif "bench" in path and function.name.startswith(("time_", "timeraw_")):
            timed = [function.body]
        else:
            continue
        for node in chain.from_iterable(ast.walk(part) for body in timed for part in body):
            if (rule := _mistake(node)) is not None:
                yield Lint(rule=rule, path=path, line=getattr(node, "lineno", 1), benchmark=function.name)
        if not called & SEEDING:
            yield from _unseeded(path, function)


def _fixture_misuse(path: str, function: Definition) -> Iterator[Lint]:
    named = [node for node in ast.walk(function) if isinstance(node, ast.Name) and node.id == FIXTURE]
    if not named:
        yield Lint(rule=Rule.NOTHING_TIMED, path=path, line=function.lineno, benchmark=function.name)
    made_inside = {node.name for node in ast.walk(function) if isinstance(node, Definition)}
    for call in _fixture_calls(function):
        first = call.args[0] if call.args else None
        # A call of a function made here, or of partial(), returns what is to be timed.
        if isinstance(first, ast.Call) and not _makes_callable(first, made_inside):
            yield Lint(rule=Rule.CALLED_BEFORE_TIMING, path=path, line=call.lineno, benchmark=function.name)


def _makes_callable(call: ast.Call, made_inside: set[str]) -> bool:
    name = dotted(call.func).rpartition(".")[2]
    likely = ("partial", "make", "get", "create", "build", "compile", "wrap", "factory", "lambda", "caller")
    return name in made_inside or any(word in name.lower() for word in likely) or name[:1].isupper()


def _fixture_calls(function: Definition) -> Iterator[ast.Call]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == FIXTURE:
            yield node


def _handed_over(function: Definition, functions: dict[str, Definition]) -> list[Sequence[ast.AST]]:
    """Return the bodies of the functions of this module that a test hands to its fixture."""
    inside = {node.name: node for node in ast.walk(function) if isinstance(node, Definition)}
    bodies: list[Sequence[ast.AST]] = []
    for call in _fixture_calls(function):
        first = call.args[0] if call.args else None
        if isinstance(first, ast.Lambda):
            bodies.append([first.body])
        elif isinstance(first, ast.Name):
            target = inside.get(first.id) or functions.get(first.id)
            bodies += [target.body] if target is not None else []
    decorated = (node for node in inside.values() if FIXTURE in map(dotted, node.decorator_list))
    return [*bodies, *(node.body for node in decorated)]


def _mistake(node: ast.AST) -> Rule | None:
    # To ask whether a name or a constant is true costs nothing.
    if isinstance(node, ast.Assert) and not isinstance(node.test, (ast.Constant, ast.Name)):
        return Rule.ASSERTION_TIMED
    if not isinstance(node, ast.Call):
        return None
    name = dotted(node.func)
    if name in CLOCKS:
        return Rule.CLOCK_INSIDE
    # Handing over the processor is what event loops are benchmarked for.
    waits = node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value
    return Rule.SLEEP_TIMED if name in {"time.sleep", "asyncio.sleep"} and waits else None


def _unseeded(path: str, function: Definition) -> Iterator[Lint]:
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            owner, _, name = dotted(node.func).rpartition(".")
            if name in DRAWING.split() and owner in {"random", "np.random", "numpy.random"}:
                yield Lint(rule=Rule.UNSEEDED_RANDOM, path=path, line=node.lineno, benchmark=function.name)
