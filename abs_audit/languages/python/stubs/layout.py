"""Puts the parts of a benchmark file together; black lays them out."""

import ast
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Sequence, Set

from abs_audit.grouping import grouped
from abs_audit.languages.python.stubs.draft import Binding
from abs_audit.languages.python.stubs.proposal import Proposal
from abs_audit.languages.python.stubs.snippet import Import
from abs_audit.languages.python.stubs.style import Habits
from abs_audit.templates import templates

WIDTH = 88


def file(
    proposal: Proposal, style: Habits, needed: Iterable[Import], template: str, **context: object
) -> str:
    """Return a file: what it watches, what it imports, what its values need, and the benchmark's own code.

    The last is what a template makes of the draft, or says that a person has to write.
    """
    draft = proposal.draft
    environment = templates("languages/python/stubs/templates", source=ast.unparse, bound=_bound, repr=repr)
    written = environment.get_template(template).render(
        draft=draft,
        task=f"call {proposal.method} with typical arguments",
        reason=proposal.reason,
        returns=" -> None" if style.annotated else "",
        **context,
    )
    lines = {*needed, *(draft.imports if draft else ())}
    if style.future:
        lines.add(Import(module="__future__", name="annotations"))
    definitions = [ast.unparse(definition) for definition in draft.definitions] if draft else []
    origin = textwrap.fill(proposal.origin, WIDTH, break_long_words=False, break_on_hyphens=False)
    told = f"Measures `{'.'.join(proposal.words)}`." + f"\n\n{origin}\n" * bool(origin)
    docstring = f'"""{told}"""'
    parts = [docstring, _imports(lines, proposal.checkout.library.families), *definitions, written]
    return proposal.notice + _black(_of_lines(_black("\n\n".join(filter(None, parts)))))


def _black(text: str) -> str:
    # Every command knows who writes proposals, few need one, and this takes longer than the rest of it.
    import black

    return black.format_str(text, mode=black.Mode(line_length=WIDTH))


def _bound(binding: Binding) -> str:
    """Return what gives a value its name: a lambda that has one is a function."""
    if not isinstance(binding.value, ast.Lambda):
        return f"{binding.name} = {ast.unparse(binding.value)}"
    body = ast.unparse(binding.value.body)
    return f"def {binding.name}({ast.unparse(binding.value.args)}):\n    return {body}\n"


def _of_lines(text: str) -> str:
    """Return a source whose texts of several lines are written as such, where that needs no escapes."""
    lines = text.splitlines(keepends=True)
    for token in reversed([*tokenize.generate_tokens(iter(lines).__next__)]):
        if token.type == tokenize.STRING and token.string[0] in "'\"" and token.string.count("\\n") > 1:
            value = ast.literal_eval(token.string)
            plain = value.replace("\n", "").isprintable() and '"""' not in value
            if plain and "\\" not in value and not value.endswith('"'):
                (row, start), (_, end) = token.start, token.end
                line = lines[row - 1]
                lines[row - 1] = f'{line[:start]}"""{value}"""{line[end:]}'
    return "".join(lines)


def _imports(lines: Iterable[Import], own: Set[str]) -> str:
    """Return import statements in the groups and order of isort; `own`: the library's top packages."""
    groups = grouped((_group(line.module, own), line) for line in lines)
    return "\n\n".join(_block(group) for _, group in sorted(groups.items()))


def _group(module: str, own: Set[str]) -> int:
    top = module.partition(".")[0]
    if top == "__future__":
        return 0
    if top in sys.stdlib_module_names:
        return 1
    return 3 if top in own else 2


def _block(group: Sequence[Import]) -> str:
    text = [f"import {line.module}{_alias(line)}" for line in sorted(group) if not line.name]
    named = grouped((line.module, line) for line in sorted(group, key=_order) if line.name)
    for module, lines in sorted(named.items()):
        text.append(f"from {module} import {', '.join(line.name + _alias(line) for line in lines)}")
    return "\n".join(text)


def _alias(line: Import) -> str:
    return f" as {line.alias}" if line.alias else ""


def _order(line: Import) -> tuple[int, str]:
    """Return where isort puts a name: constants, then classes, then the rest."""
    name = line.name
    return (0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2), name
