"""Makes every resume of a generator or coroutine tick, and leaves the probe while it is suspended."""
# ruff: noqa: N802, N815, D102 - hooks: libcst calls them, and calls them after its nodes

from enum import IntEnum
from typing import TypeVar

import libcst as cst
from libcst.helpers import parse_template_expression

from abs_audit.injectors.python.bodies import holds_suspension, indented, is_yielded_in
from abs_audit.injectors.python.names import ProbeNames

_Comprehension = TypeVar("_Comprehension", cst.ListComp, cst.SetComp, cst.GeneratorExp, cst.DictComp)
_Attempt = TypeVar("_Attempt", cst.Try, cst.TryStar)
_Part = TypeVar("_Part", cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally)
Wait = IntEnum("Wait", "FOR SILENTLY EACH WITHIN", start=0)
_Small = cst.BaseSmallStatement | cst.FlattenSentinel[cst.BaseSmallStatement]


class SuspensionRewriter(cst.CSTTransformer):
    """Rewrites what one function executes itself; nested functions and lazy expressions stay as they are.

    Inside a comprehension no name of the function can be bound, so that an `await` there does not tick.
    """

    def __init__(self, names: ProbeNames) -> None:
        super().__init__()
        self._names = names
        self._comprehensions = 0

    def visit_FunctionDef(self, node: cst.CSTNode) -> bool:
        return False

    visit_ClassDef = visit_Lambda = visit_GeneratorExp = visit_FunctionDef

    def visit_ListComp(self, node: cst.CSTNode) -> None:
        self._comprehensions += 1

    visit_SetComp = visit_DictComp = visit_ListComp

    def leave_ListComp(self, original_node: cst.CSTNode, updated_node: _Comprehension) -> _Comprehension:
        """Leave the probe in the outermost `async for`, whose iterable the function itself works out."""
        self._comprehensions -= 1
        if updated_node.for_in.asynchronous is None or holds_suspension(updated_node.for_in.iter):
            return updated_node
        iterable = self._only_if_left(Wait.EACH, updated_node.for_in.iter, updated_node.for_in.iter)
        return updated_node.with_deep_changes(updated_node.for_in, iter=iterable)

    leave_SetComp = leave_DictComp = leave_ListComp

    def leave_Yield(self, original_node: cst.Yield, updated_node: cst.Yield) -> cst.BaseExpression:
        if isinstance(original_node.value, cst.From):
            return self._delegating(original_node, updated_node)
        value = self._left_with(original_node.value, updated_node.value)
        parenthesised = updated_node.with_changes(value=value, **_in_parentheses(), **_spaced(updated_node))
        return parse_template_expression(f"({{value}}, ({self._resumed()}))[0]", value=parenthesised)

    def leave_Await(self, original_node: cst.Await, updated_node: cst.Await) -> cst.BaseExpression:
        way = Wait.SILENTLY if self._comprehensions else Wait.FOR
        waited = self._only_if_left(way, original_node.expression, updated_node.expression)
        parenthesised = updated_node.with_changes(expression=waited, **_in_parentheses())
        text = "{value}" if self._comprehensions else f"({{value}}, ({self._awaited()}))[0]"
        return parse_template_expression(text, value=parenthesised)

    def leave_Expr(self, original_node: cst.Expr, updated_node: cst.Expr) -> _Small:
        """Drop the value that nobody uses: the resume becomes a statement of its own."""
        value = original_node.value
        waits = isinstance(value, cst.Await)
        if not waits and not (isinstance(value, cst.Yield) and not isinstance(value.value, cst.From)):
            return updated_node
        pair = cst.ensure_type(cst.ensure_type(updated_node.value, cst.Subscript).value, cst.Tuple)
        text = self._awaited() if waits else self._resumed()
        resumed = cst.Expr(value=cst.parse_expression(f"({text})"), semicolon=updated_node.semicolon)
        first = updated_node.with_changes(
            value=pair.elements[0].value, semicolon=cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))
        )
        return cst.FlattenSentinel([first, resumed])

    def leave_For(self, original_node: cst.For, updated_node: cst.For) -> cst.For:
        if original_node.asynchronous is None:
            return updated_node
        return updated_node.with_changes(
            iter=self._only_if_left(Wait.EACH, original_node.iter, updated_node.iter),
            whitespace_after_in=cst.SimpleWhitespace(" "),
        )

    def leave_With(
        self, original_node: cst.With, updated_node: cst.With
    ) -> cst.With | cst.FlattenSentinel[cst.BaseStatement]:
        if original_node.asynchronous is not None:
            updated_node = self._left_within(original_node, updated_node)
        if not is_yielded_in(original_node.body):
            return updated_node
        # It may have swallowed what was thrown.
        return cst.FlattenSentinel([updated_node, cst.parse_statement(self._if_thrown_into())])

    def _left_within(self, original_node: cst.With, updated_node: cst.With) -> cst.With:
        pairs = zip(original_node.items, updated_node.items, strict=True)
        items = [
            updated.with_changes(item=self._only_if_left(Wait.WITHIN, original.item, updated.item))
            for original, updated in pairs
        ]
        return updated_node.with_changes(items=items, whitespace_after_with=cst.SimpleWhitespace(" "))

    def leave_Try(self, original_node: _Attempt, updated_node: _Attempt) -> _Attempt:
        """Enter the probe again where an error goes on that was thrown into a `yield`, as by closing."""
        if not is_yielded_in(original_node):
            return updated_node
        handlers = [self._entered(handler) for handler in updated_node.handlers]
        final = updated_node.finalbody and self._entered(updated_node.finalbody)
        return updated_node.with_changes(handlers=handlers, finalbody=final)

    leave_TryStar = leave_Try

    def _entered(self, part: _Part) -> _Part:
        block: cst.IndentedBlock = indented(part.body)
        entering = cst.parse_statement(self._if_thrown_into())
        return part.with_changes(body=block.with_changes(body=[entering, *block.body]))

    def _if_thrown_into(self) -> str:
        name = self._names.leaving
        return f"if {name} == 0: {name} = {self._names.head()}"

    def _resumed(self) -> str:
        return f"{self._names.leaving} := {self._names.head()}"

    def _awaited(self) -> str:
        # Where the probe was left for the suspension it has been entered again, and has ticked.
        return f"{self._names.leaving} := {self._names.leaving} or (({self._names.head()}))"

    def _left_with(
        self, original: cst.BaseExpression | None, updated: cst.BaseExpression | cst.From | None
    ) -> cst.BaseExpression:
        """Return what is yielded, with the probe left after it has been worked out: 0 says so."""
        name = self._names.leaving
        left = f"({name} := {name} and {name}() or 0)"
        if original is None or not isinstance(updated, cst.BaseExpression):
            return cst.parse_expression(f"({left} or None)")
        if isinstance(original, cst.Name | cst.Integer | cst.SimpleString):
            return parse_template_expression(f"({left} or {{value}})", value=updated)
        return parse_template_expression(f"({{value}}, {left})[0]", value=_parenthesised(updated))

    def _delegating(self, original: cst.Yield, updated: cst.Yield) -> cst.Yield:
        source = cst.ensure_type(original.value, cst.From)
        delegate = cst.ensure_type(updated.value, cst.From)
        names = self._names
        text = f"{names.site}.drive({{value}}, {names.leaving})"
        if not holds_suspension(source.item):
            text = f"({text} if {names.tick} else {{value}})"
        item = parse_template_expression(text, value=_parenthesised(delegate.item))
        spaced = delegate.with_changes(item=item, whitespace_after_from=cst.SimpleWhitespace(" "))
        return updated.with_changes(value=spaced, **_spaced(updated))

    def _only_if_left(
        self, way: Wait, original: cst.BaseExpression, updated: cst.BaseExpression
    ) -> cst.BaseExpression:
        """Return what waits, made only where the probe must be left to be suspended."""
        names = self._names
        text = f"{names.site}.wait({{value}}, {names.leaving}, {way:d})"
        if not holds_suspension(original):  # what suspends must not stand in the text twice: it doubles
            text = f"({text} if {names.leaving} else {{value}})"
        return parse_template_expression(text, value=_parenthesised(updated))


def _spaced(node: cst.Yield) -> dict[str, cst.BaseParenthesizableWhitespace]:
    return {"whitespace_after_yield": cst.SimpleWhitespace(" ")}


def _parenthesised(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return a tuple or other open expression in parentheses, so that it may stand in a call."""
    open_ended = isinstance(
        node, cst.Tuple | cst.NamedExpr | cst.IfExp | cst.Lambda | cst.Yield | cst.GeneratorExp
    )
    if open_ended and not node.lpar:
        return node.with_changes(**_in_parentheses())
    return node


def _in_parentheses() -> dict[str, list[cst.LeftParen] | list[cst.RightParen]]:
    return {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
