"""House rules that a reader would otherwise have to police: sizes of functions and files."""

import ast
import io
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted(
    path for package in ("abs_audit", "injectors", "tracers") for path in (ROOT / package).rglob("*.py")
)
LARGEST_FUNCTION = 50
LARGEST_FILE = 300
MOST_PARAMETERS = 5


def logical_lines(text: str) -> set[int]:
    """Return the numbers of lines that hold code: no blanks, comments or docstrings."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    lines = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in skipped and token.string.strip()
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = logical_lines(text)
    assert len(lines) <= LARGEST_FILE
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = len(lines & set(range(node.lineno, (node.end_lineno or node.lineno) + 1)))
            assert size <= LARGEST_FUNCTION, f"{node.name}: {size} lines"
            parameters = [arg for arg in node.args.args if arg.arg not in {"self", "cls"}]
            # Options of a command line are named by their user, never counted by position.
            if "cli" not in path.parts:
                count = len(parameters) + len(node.args.kwonlyargs)
                assert count <= MOST_PARAMETERS, f"{node.name}: {count} parameters"
