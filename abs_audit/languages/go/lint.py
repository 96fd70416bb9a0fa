"""Known mistakes in Go benchmarks, as far as their source shows them."""

import re
from collections.abc import Iterator, Sequence
from functools import partial

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from abs_audit.languages.syntax import children, in_field, lint_of, listed, nodes, text_in, text_of
from abs_audit.model.lint import Lint, Rule

_PARSER = Parser(Language(tree_sitter_go.language()))
HARMLESS = {"len", "cap", "append", "copy"}
SIGNATURE = re.compile(r"\(\s*(\w+)\s+\*testing\.B\s*\)")


def lint(path: str, text: str) -> Iterator[Lint]:
    """Yield the mistakes in the benchmarks of a file."""
    if path.endswith("_test.go") and "testing.B" in text:
        for function in children(_PARSER.parse(text.encode()).root_node, "function_declaration"):
            if text_in(function, "name").startswith("Benchmark"):
                yield from _mistakes(path, function)


def _mistakes(path: str, function: Node) -> Iterator[Lint]:
    signature = SIGNATURE.search(text_in(function, "parameters"))
    body = in_field(function, "body")
    if signature is None or body is None:
        return
    b, name = signature[1], text_in(function, "name")
    lint_at = partial(lint_of, path, name)
    if _ignores_iterations(body, b):
        yield lint_at(Rule.ITERATIONS_IGNORED, function)
    loops = [loop for loop in nodes(body, "for_statement") if _is_timed(loop, b)]
    for call in nodes(body, "call_expression"):
        sizes = text_in(call, "arguments")
        of_all = _called(call) == "make" and re.search(rf"\b{b}\.N\b", sizes) and "chan " not in sizes
        if of_all and _is_given_whole(call, loops or [body]):
            yield lint_at(Rule.ITERATIONS_AS_INPUT, call)
    for loop in loops:
        stops = [call for call in nodes(loop, "call_expression") if _called(call) == f"{b}.StopTimer"]
        if stops and not _counts_several(loop, b):
            yield lint_at(Rule.TIMER_IN_LOOP, stops[-1])
    if loops and _is_at_top(loops[0], body) and _has_untimed_work(loops[0], b):
        yield lint_at(Rule.SETUP_TIMED, loops[0])


def _called(call: Node) -> str:
    return text_in(call, "function")


def _is_given_whole(made: Node, timed: Sequence[Node]) -> bool:
    """Tell whether what was made is handed to a timed call whole: an input for each iteration is not."""
    owner = made.parent.parent if made.parent is not None else None
    if owner is None or owner.type not in {"short_var_declaration", "var_spec", "assignment_statement"}:
        return owner is not None and owner.type == "call_expression"
    name = text_of(owner.named_children[0])
    own = [part for part in timed if part.start_byte < owner.start_byte or name not in _declared(part)]
    given = [part for loop in own for call in nodes(loop, "argument_list") for part in call.named_children]
    return any(
        text_of(part) == name and part.parent and _called(part.parent.parent or part) not in HARMLESS
        for part in given
    )


def _declared(part: Node) -> set[str]:
    """Return the names that a part of a function declares for itself."""
    return {text_of(name) for line in nodes(part, "short_var_declaration") for name in listed(line, "left")}


def _ignores_iterations(body: Node, b: str) -> bool:
    """Tell whether nothing in a benchmark repeats: no b.N, no loop of the framework, b handed to none."""
    text = text_of(body)
    if re.search(rf"\b{b}\.(N|Loop|RunParallel|Run|Skip|Skipf|SkipNow|Fatal|Fatalf)\b", text):
        return False
    return re.search(rf"[(,]\s*{b}\s*[,)]", text) is None


def _is_timed(loop: Node, b: str) -> bool:
    body = in_field(loop, "body")
    head = text_of(loop)[: body.start_byte - loop.start_byte] if body is not None else text_of(loop)
    return bool(re.search(rf"\b{b}\.(N|Loop)\b", head))


def _counts_several(loop: Node, b: str) -> bool:
    """Tell whether a loop within counts iterations, too: the outer one prepares what many of them need."""
    inner = (node for node in nodes(loop, "for_statement") if node != loop)
    return any(re.search(rf"\b{b}\.N\b", text_of(node)) for node in inner)


def _is_at_top(loop: Node, body: Node) -> bool:
    """Tell whether a loop is a statement of the function itself, if within a list of them."""
    parent = loop.parent
    return parent is not None and (
        parent == body or (parent.type == "statement_list" and parent.parent == body)
    )


def _has_untimed_work(loop: Node, b: str) -> bool:
    """Tell whether a loop comes before the timed one while the timer runs, and nothing resets it then."""
    siblings = loop.parent.named_children if loop.parent is not None else []
    before = [node for node in siblings if node.end_byte <= loop.start_byte]
    if f"{b}.Loop" in text_of(loop).split("{")[0]:
        # b.Loop resets the timer itself.
        return False
    running, worked = True, False
    for node in before:
        worked |= running and next(nodes(node, "for_statement"), None) is not None
        for called in re.findall(rf"\b{b}\.(ResetTimer|StopTimer|StartTimer)\b", text_of(node)):
            running = called == "StartTimer" or (running and called != "StopTimer")
            worked &= called != "ResetTimer"
    return worked
