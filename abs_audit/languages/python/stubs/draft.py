"""A benchmark before it takes the form of a framework: what is made ready, and what is timed."""

import ast
import builtins
import keyword
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from abs_audit.languages.python.stubs.call import PythonCall
from abs_audit.languages.python.stubs.operators import SIGNS, imports_of, operation
from abs_audit.languages.python.stubs.repeatability import ON_INSTANCE, Definition, Kind, positional
from abs_audit.languages.python.stubs.snippet import Import, Snippet
from abs_audit.languages.python.toolchain.syntax import dotted
from abs_audit.languages.syntax import snake

LONGEST_INLINE = 30
"""Characters of a literal that may stand in the timed call itself."""
POOL = 100
"""Fresh receivers made ready for one timed region."""
TURNS_QUICK = 100
TURNS_SHORT = 10
RESERVED = frozenset(
    {"benchmark", "runner", "pyperf", "setup", "loops", "start", "self", "calls"}
    | {"collections", "operator", "copy", "asyncio", *keyword.kwlist, *dir(builtins)}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """A name for something that is made ready outside the timed region."""

    name: str
    value: ast.expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One benchmark, framework left open."""

    imports: frozenset[Import]
    definitions: tuple[ast.stmt, ...]
    bindings: tuple[Binding, ...]
    pool: Binding | None
    """What each single call needs anew: the name of one, and how it is made."""
    call: ast.Call | None
    """What is timed where it is a plain call, so that a harness can make it itself."""
    statement: ast.stmt
    """What is timed, as a statement."""
    is_async: bool
    turns: int
    """Calls in one timed region, so that the harness does not hide the method."""
    clear: ast.expr | None
    """What has to be called before each call, because results are remembered."""

    @property
    def is_direct(self) -> bool:
        """Tell whether a harness can make the timed call itself."""
        return self.call is not None and self.pool is None and self.turns < TURNS_QUICK and not self.is_async


def draft(definition: Definition, python_call: PythonCall, callee: Snippet, *, anew: bool) -> Draft:
    """Put the parts of a call together around its method.

    `anew`: whether each call needs a receiver of its own, whatever its body shows.
    """
    names = _Names(python_call, callee)
    needs_fresh = definition.kind in ON_INSTANCE and (anew or _needs_fresh(definition))
    receiver = names.receiver(definition, python_call, callee, inline=not needs_fresh)
    arguments = names.arguments(definition, python_call)
    call = _call(definition, receiver, arguments)
    statement, direct = _statement(definition, receiver, arguments, call)
    own = getattr(receiver, "id", "") if needs_fresh else ""
    pool = [binding for binding in names.bindings if binding.name == own]
    extra = frozenset(Import(module=module, name="") for module in imports_of(ast.unparse(statement)))
    parts = [*python_call.parts, callee] if python_call.receiver is None else python_call.parts
    definitions = {ast.dump(definition): definition for part in parts for definition in part.definitions}
    return Draft(
        imports=extra.union(*(part.imports for part in parts)),
        definitions=tuple(definitions.values()),
        bindings=tuple(binding for binding in names.bindings if binding not in pool),
        pool=pool[0] if pool else None,
        call=call if direct else None,
        statement=statement,
        is_async=_is_async(statement),
        # Starting and ending a loop of events costs as much as hundreds of awaits.
        turns=_turns(definition, direct) * (TURNS_SHORT if _is_async(statement) else 1),
        clear=_clear(definition, receiver if definition.kind is not Kind.FUNCTION else call.func),
    )


def qualified(draft: Draft, whole: Set[str]) -> Draft:
    """Return a draft that writes `module.name` for what comes from modules that are imported whole."""
    given = {binding.name for binding in (*draft.bindings, draft.pool) if binding}
    values = [binding.value for binding in draft.bindings]
    inner = (node for part in (*draft.definitions, *values, draft.statement) for node in ast.walk(part))
    parameters = {node.arg for node in inner if isinstance(node, ast.arg)}
    lines = [line for line in draft.imports if line.name and line.module in whole - given - parameters]
    if not lines or parameters & {line.bound for line in lines}:
        return draft
    names = _Qualifying({line.bound: f"{line.module}.{line.name}" for line in lines})
    return replace(
        draft,
        imports=draft.imports.difference(lines) | {Import(module=line.module, name="") for line in lines},
        definitions=tuple(map(names.visit, draft.definitions)),
        bindings=tuple(replace(binding, value=names.visit(binding.value)) for binding in draft.bindings),
        pool=draft.pool and replace(draft.pool, value=names.visit(draft.pool.value)),
        call=draft.call and names.visit(draft.call),
        statement=names.visit(draft.statement),
        clear=draft.clear and names.visit(draft.clear),
    )


class _Qualifying(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write a name with its module."""
        name = self._names.get(node.id, node.id)
        return ast.parse(name, mode="eval").body if isinstance(node.ctx, ast.Load) else node


class _Names:
    """Gives names to what is made ready; none of them hides another one."""

    def __init__(self, call: PythonCall, callee: Snippet) -> None:
        self.bindings: list[Binding] = []
        parts = [*call.parts, callee]
        self._taken = {line.bound for part in parts for line in part.imports}.union(RESERVED)
        self._taken |= {getattr(definition, "name", "") for part in parts for definition in part.definitions}

    def bind(self, wanted: str, value: ast.expr) -> ast.Name:
        """Name a value, and return the name."""
        name = wanted
        while name in self._taken:
            name = f"{name}_"
        self._taken.add(name)
        self.bindings.append(Binding(name=name, value=value))
        return ast.Name(id=name, ctx=ast.Load())

    def receiver(
        self, definition: Definition, call: PythonCall, callee: Snippet, *, inline: bool
    ) -> ast.expr:
        """Return what stands before the dot, or the function itself."""
        node = (call.receiver or callee).node
        if isinstance(node, ast.Name | ast.Attribute) and inline:
            return node
        made_by = dotted(node).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        own = definition.symbol.name.rpartition(".")[2]
        return self.bind(_variable(made_by if made_by[:1].isupper() else own), node)

    def arguments(self, definition: Definition, call: PythonCall) -> ast.Call:
        """Return a call of nothing with short arguments in place and long ones by name."""
        parameters = [parameter.arg for parameter in positional(definition.parameters)]
        named = zip([*parameters, *(["argument"] * len(call.args))], call.args, strict=False)
        return ast.Call(
            func=ast.Name(id="_", ctx=ast.Load()),
            args=[self._argument(name, value.node) for name, value in named],
            keywords=[
                ast.keyword(arg=name, value=self._argument(name, value.node)) for name, value in call.keywords
            ],
        )

    def _argument(self, name: str, value: ast.expr) -> ast.expr:
        if isinstance(value, ast.Starred):
            return ast.Starred(value=self._argument(name, value.value), ctx=ast.Load())
        return value if _is_inline(value) else self.bind(_variable(name.strip("_")) or "argument", value)


def _is_inline(value: ast.expr) -> bool:
    """Tell whether evaluating an argument in the timed call costs nothing to speak of."""
    text = ast.unparse(value)
    if isinstance(value, ast.UnaryOp):
        return isinstance(value.operand, ast.Constant)
    folded = isinstance(value, ast.Tuple) and all(isinstance(element, ast.Constant) for element in value.elts)
    return (folded or isinstance(value, ast.Constant | ast.Name)) and len(text) <= LONGEST_INLINE


def _call(definition: Definition, receiver: ast.expr, arguments: ast.Call) -> ast.Call:
    plain = definition.kind in {Kind.FUNCTION, Kind.CONSTRUCTOR} or definition.name == "__call__"
    function = receiver if plain else ast.Attribute(value=receiver, attr=definition.name, ctx=ast.Load())
    return ast.Call(func=function, args=arguments.args, keywords=arguments.keywords)


def _statement(
    definition: Definition, receiver: ast.expr, arguments: ast.Call, call: ast.Call
) -> tuple[ast.stmt, bool]:
    """Return what is timed, and whether it is a plain call."""
    left = ast.unparse(receiver)
    args = [ast.unparse(argument) for argument in arguments.args]
    special = _access(definition, left, args)
    if special is None and definition.kind in {Kind.METHOD, Kind.CLASS_METHOD}:
        special = operation(definition.name, left, args)
    if definition.is_generator and not definition.is_asynchronous:
        special = f"collections.deque({special or ast.unparse(call)}, maxlen=0)"
    if special is None:
        special = _driven(definition, ast.unparse(call))
    statement = _parsed(special or ast.unparse(call))
    idle = ast.Attribute | ast.BinOp | ast.Compare | ast.Subscript | ast.UnaryOp
    if isinstance(statement, ast.Expr) and isinstance(statement.value, idle):
        # Linters refuse an expression that nothing is done with.
        statement = _parsed(f"_ = {ast.unparse(statement)}")
    return statement, special is None


def _access(definition: Definition, receiver: str, args: Sequence[str]) -> str | None:
    """Return the use of a property; None for anything else."""
    used = f"{receiver}.{definition.name}"
    uses = {Kind.PROPERTY: used, Kind.DELETER: f"del {used}", Kind.SETTER: f"{used} = {''.join(args[:1])}"}
    return uses.get(definition.kind)


def _driven(definition: Definition, call: str) -> str | None:
    """Return what makes a call do its work that does nothing by itself; None where it just works."""
    if definition.is_context_manager:
        return f"{'async ' * definition.is_asynchronous}with {call}:\n    pass"
    if definition.is_generator:
        return f"async for _ in {call}:\n    pass"
    return f"await {call}" if definition.is_coroutine else None


def _parsed(text: str) -> ast.stmt:
    """Parse a statement that may be one of coroutines only."""
    indented = "\n".join(f"    {line}" for line in text.splitlines())
    function = ast.parse(f"async def f():\n{indented}").body[0]
    assert isinstance(function, ast.AsyncFunctionDef)
    return function.body[0]


def _is_async(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith) for node in ast.walk(statement))


def _needs_fresh(definition: Definition) -> bool:
    """Tell whether a second call on the same receiver would not do the same work."""
    remembered = bool(definition.cache) and not definition.is_clearable
    # As `__iadd__` does.
    in_place = definition.name.startswith("__i") and f"__{definition.name.removeprefix('__i')}" in SIGNS
    return definition.consumes or remembered or in_place


def _turns(definition: Definition, direct: bool) -> int:
    if definition.is_clearable:
        return 1
    if definition.is_quick:
        return TURNS_QUICK
    return 1 if direct else TURNS_SHORT


def _clear(definition: Definition, holder: ast.expr) -> ast.expr | None:
    """Return what empties the method's cache."""
    if not definition.is_clearable:
        return None
    if definition.kind is not Kind.FUNCTION:
        holder = ast.Attribute(value=holder, attr=definition.name, ctx=ast.Load())
    return ast.Attribute(value=holder, attr="cache_clear", ctx=ast.Load())


def _variable(name: str) -> str:
    """Return a name as variables are written; empty for one that says nothing."""
    return snake(name).strip("_") or "value"
