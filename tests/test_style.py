"""House rules that a reader would otherwise have to police: sizes of functions and files, and parameters."""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parent.parent
LARGEST_FUNCTION = 50
LARGEST_FILE = 300
MOST_PARAMETERS = 5
VAGUE = {"one", "found", "how", "what", "those", "known", "place"}
"""Names that do not say what they hold."""


@dataclass
class Source:
    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [
            node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]

    @cached_property
    def names(self) -> list[tuple[int, str]]:
        """Lines and names of all parameters and variables; fields of classes are what documents call them."""
        fields = [
            member for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef) for member in node.body
        ]
        own = {id(member.target) for member in fields if isinstance(member, ast.AnnAssign)}
        stored = (node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and id(node) not in own)
        variables = [(node.lineno, node.id) for node in stored if isinstance(node.ctx, ast.Store)]
        parameters = (node for node in ast.walk(self.tree) if isinstance(node, ast.arg))
        return variables + [(node.lineno, node.arg) for node in parameters]

    @cached_property
    def code(self) -> set[int]:
        """Numbers of the lines that hold code: no blanks, comments or docstrings."""
        skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
        lines = {
            token.start[0]
            for token in tokenize.generate_tokens(io.StringIO(self.text).readline)
            if token.type not in skipped and token.string.strip()
        }
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                lines -= extent(node)
        return lines


def extent(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


SOURCES = [
    Source(path)
    for package in ("abs_audit", "injectors", "tracers")
    for path in sorted((ROOT / package).rglob("*.py"))
]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    named = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return [parameter for parameter in named if parameter.arg not in {"self", "cls"}]


def mixed(annotation: ast.expr | None) -> bool:
    """Tell whether an annotation is a tuple of several kinds of things: a concept that has no name yet."""
    if not (isinstance(annotation, ast.Subscript) and ast.unparse(annotation.value) == "tuple"):
        return False
    kinds = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    return len({ast.unparse(kind) for kind in kinds} - {"..."}) > 1


def too_many() -> Iterator[str]:
    for source in SOURCES:
        # Options of a command line are named by their user, never counted by position.
        if "cli" in source.path.parts:
            continue
        for function in source.functions:
            if len(parameters(function)) > MOST_PARAMETERS:
                yield f"{source.name}:{function.lineno} {function.name}"


def test_files_stay_small() -> None:
    assert [] == [source.name for source in SOURCES if len(source.code) > LARGEST_FILE]


def test_functions_stay_small() -> None:
    assert [] == [
        f"{source.name}:{function.lineno} {function.name}"
        for source in SOURCES
        for function in source.functions
        if len(source.code & extent(function)) > LARGEST_FUNCTION
    ]


def test_functions_take_few_parameters() -> None:
    assert [] == list(too_many())


def test_no_parameter_is_a_tuple_of_mixed_things() -> None:
    assert [] == [
        f"{source.name}:{function.lineno} {function.name}({parameter.arg})"
        for source in SOURCES
        for function in source.functions
        for parameter in parameters(function)
        if mixed(parameter.annotation)
    ]


def test_what_is_local_is_named_after_what_it_holds() -> None:
    assert [] == [
        f"{source.name}:{line} {name}" for source in SOURCES for line, name in source.names if name in VAGUE
    ]
