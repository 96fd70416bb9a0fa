"""Known mistakes in JMH benchmarks, as far as their source shows them."""

import re
from collections.abc import Iterator, Mapping

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from abs_audit.grouping import grouped, reached
from abs_audit.languages.syntax import ancestors, children, in_field, lint_of, listed, nodes, text_in, text_of
from abs_audit.model.lint import Lint, Rule

_PARSER = Parser(Language(tree_sitter_java.language()))
BENCHMARK = re.compile(r"@Benchmark\b")
SETUP = re.compile(r"@Setup\(\s*(\w+\.)*Level\.Invocation\s*\)")
LOOPS = ("for_statement", "enhanced_for_statement", "while_statement", "do_statement")
CLASS = re.compile(r"[A-Z]\w*[a-z]\w*")
CONSTANT = {"decimal_integer_literal", "decimal_floating_point_literal", "string_literal", "true", "false"}


def lint(path: str, text: str) -> Iterator[Lint]:
    """Yield the mistakes in the JMH benchmarks of a file."""
    if not path.endswith(".java") or "openjdk.jmh" not in text:
        return
    root = _PARSER.parse(text.encode()).root_node
    for annotation in nodes(root, "annotation"):
        if (rule := _annotation(text_of(annotation))) is not None:
            # The method or class that it stands at.
            owner = next(filter(None, (text_in(around, "name") for around in ancestors(annotation))), "")
            yield lint_of(path, owner, rule, annotation)
    classes = {text_in(node, "name"): node for node in nodes(root, "class_declaration")}
    for name, declared in classes.items():
        constants = _constants(declared)
        for method in _methods(declared, BENCHMARK):
            yield from _method(path, method, constants)
        for setup in _methods(declared, SETUP) if _prepares_one_call(name, classes) else ():
            yield lint_of(path, text_in(setup, "name"), Rule.SETUP_EACH_INVOCATION, setup)


def _annotation(text: str) -> Rule | None:
    squeezed = re.sub(r"\s+", "", text)
    if re.match(r"@Fork\((value=)?0[,)]", squeezed):
        return Rule.NO_FORK
    return Rule.NO_WARMUP if re.match(r"@Warmup\(.*\biterations=0[,)]", squeezed) else None


def _methods(declared: Node, annotated: re.Pattern[str]) -> Iterator[Node]:
    methods = children(in_field(declared, "body"), "method_declaration")
    return (method for method in methods if annotated.search(_modifiers(method)))


def _prepares_one_call(state: str, classes: Mapping[str, Node]) -> bool:
    """Tell whether a state belongs to a benchmark that is no loop: many operations drown in no clock.

    It belongs to the benchmarks of its class and of those that extend it, and to all that are given one.
    """
    heirs = grouped((base, name) for name, node in classes.items() for base in _words(node, "superclass"))
    states = set(reached([state], lambda name: heirs.get(name, ())))
    return any(
        (name in states or states & _words(method, "parameters"))
        and "@OperationsPerInvocation" not in _modifiers(method) + _modifiers(declared)
        and next(nodes(method, *LOOPS), None) is None
        for name, declared in classes.items()
        for method in _methods(declared, BENCHMARK)
    )


def _words(node: Node, field: str) -> set[str]:
    return set(re.findall(r"\w+", text_in(node, field)))


def _modifiers(declared: Node) -> str:
    return text_of(next(children(declared, "modifiers"), None))


def _constants(declared: Node) -> set[str]:
    """Return the final fields of a class that hold a literal."""
    fields = children(in_field(declared, "body"), "field_declaration")
    final = (field for field in fields if "final" in _modifiers(field).split())
    variables = (variable for field in final for variable in nodes(field, "variable_declarator"))
    values = ((text_in(variable, "name"), in_field(variable, "value")) for variable in variables)
    return {name for name, value in values if value is not None and value.type in CONSTANT}


def _method(path: str, method: Node, constants: set[str]) -> Iterator[Lint]:
    name, body = text_in(method, "name"), in_field(method, "body")
    if body is None:
        return
    consumes = "Blackhole" in text_in(method, "parameters") or "consume(" in text_of(body)
    if text_in(method, "type") == "void" and not consumes:
        unused = next(_unused(body), None)
        if unused is not None:
            yield lint_of(path, name, Rule.RESULT_UNUSED, unused)
    for call in nodes(body, "method_invocation", "object_creation_expression"):
        if _computes_constants(call, constants):
            yield lint_of(path, name, Rule.CONSTANT_INPUT, call)


def _computes_constants(call: Node, constants: set[str]) -> bool:
    """Tell whether a call gets nothing but constants; what an object does with them depends on the object."""
    given, receiver = listed(call, "arguments"), text_in(call, "object")
    if receiver and not CLASS.fullmatch(receiver):
        return False
    return bool(given) and all(node.type == "identifier" and text_of(node) in constants for node in given)


def _unused(body: Node) -> Iterator[Node]:
    """Yield the local variables of a body that get a value and are named nowhere else."""
    for variable in nodes(body, "variable_declarator"):
        name = text_in(variable, "name")
        value = in_field(variable, "value")
        named = [node for node in nodes(body, "identifier") if text_of(node) == name]
        if value is not None and next(nodes(value, "method_invocation"), None) and len(named) == 1:
            yield variable
