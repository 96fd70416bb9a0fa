"""Reads what one Java file declares."""

import re
from collections.abc import Iterator

import tree_sitter_java
from tree_sitter import Language, Node, Parser

from abs_audit.languages.java.toolchain.declarations import (
    CONSTRUCTOR,
    Body,
    Import,
    MethodDeclaration,
    SourceFile,
    TypeDeclaration,
    TypeReference,
    TypeVariable,
)
from abs_audit.languages.syntax import children, in_field, listed, text_of

_LANGUAGE = Language(tree_sitter_java.language())
_TYPE_DECLARATION = re.compile(r"(class|interface|enum|record|annotation)_(type_)?declaration")
_METHODS = frozenset({"method_declaration", "constructor_declaration", "compact_constructor_declaration"})
_SUPERTYPES = frozenset({"superclass", "super_interfaces", "extends_interfaces"})
_ANNOTATIONS = frozenset({"annotation", "marker_annotation"})
_TRANSLATED = re.compile(r"(?<!\\)(?:\\\\)*\\u+00(?:0[ad]|2[27af]|5c|7[bd])", re.IGNORECASE)
"""Escapes that stand for quotes, braces, comment signs and line ends: javac reads another text than we do."""

_BEFORE_ELLIPSIS = re.compile(rb"(?:@[\w.]+(?:\([^()]*\))?\s*)+(?=\.\.\.)")
"""Annotations that Java allows there and the grammar does not."""


def outline(path: str, text: str) -> SourceFile:
    """Read one file; of a file that is not Java, only where the error is."""
    data = text.encode("utf-8", "surrogatepass")
    root = Parser(_LANGUAGE).parse(data).root_node
    if root.has_error:
        blank = _BEFORE_ELLIPSIS.sub(lambda match: re.sub(rb"[^\n]", b" ", match[0]), data)
        root = Parser(_LANGUAGE).parse(blank).root_node if blank != data else root
    error_line = _error_line(root) if root.has_error else _translated_line(text)
    packages = list(children(root, "package_declaration"))
    return SourceFile(
        path=path,
        package=_dotted(packages[0].named_children[-1]) if packages else "",
        imports=tuple(map(_import, children(root, "import_declaration"))),
        types=() if error_line else tuple(_types(root)),
        error_line=error_line,
        root=root,
    )


def _error_line(node: Node) -> int:
    for child in node.children:
        if child.is_error or child.is_missing:
            return child.start_point[0] + 1
        if child.has_error:
            return _error_line(child)
    return node.start_point[0] + 1


def _translated_line(text: str) -> int | None:
    match = _TRANSLATED.search(text)
    return text.count("\n", 0, match.start()) + 1 if match else None


def _dotted(node: Node) -> str:
    return re.sub(r"\s|/\*.*?\*/|//.*", "", text_of(node))


def _import(node: Node) -> Import:
    (name,) = children(node, "identifier", "scoped_identifier")
    kinds = {child.type for child in node.children}
    return Import(name=_dotted(name), is_static="static" in kinds, on_demand="asterisk" in kinds)


def _types(node: Node) -> Iterator[TypeDeclaration]:
    for child in node.named_children:
        if _TYPE_DECLARATION.fullmatch(child.type):
            yield _type(child)


def _type(node: Node) -> TypeDeclaration:
    name, body = in_field(node, "name"), in_field(node, "body")
    assert name is not None
    assert body is not None
    parts = [body, *children(body, "enum_body_declarations")]
    return TypeDeclaration(
        name=text_of(name),
        kind=node.type.partition("_")[0],
        modifiers=_modifiers(node),
        variables=_variables(node),
        supertypes=tuple(_supertypes(node)),
        methods=tuple(_method(child, node) for part in parts for child in children(part, *_METHODS)),
        members=tuple(member for part in parts for member in _types(part)),
        node=node,
    )


def _modifiers(node: Node) -> frozenset[str]:
    return frozenset(
        token.type
        for modifiers in children(node, "modifiers")
        for token in modifiers.children
        if token.type not in _ANNOTATIONS
    )


def _supertypes(node: Node) -> Iterator[TypeReference]:
    for clause in children(node, *_SUPERTYPES):
        for part in clause.named_children:
            for written in part.named_children if part.type == "type_list" else (part,):
                if written.type not in {"line_comment", "block_comment"}:
                    yield _reference(written)


def _variables(node: Node) -> tuple[TypeVariable, ...]:
    lists = children(node, "type_parameters")
    return tuple(
        _variable(parameter) for listing in lists for parameter in children(listing, "type_parameter")
    )


def _variable(node: Node) -> TypeVariable:
    (name,) = children(node, "type_identifier", "identifier")
    parts = (part for bound in children(node, "type_bound") for part in bound.named_children)
    bounds = [part for part in parts if not part.type.endswith("comment")]
    return TypeVariable(name=text_of(name), bound=_reference(bounds[0]) if bounds else None)


def _reference(node: Node) -> TypeReference:
    """Return the type that a node writes, without its arguments and annotations."""
    if node.type == "array_type":
        element = in_field(node, "element")
        assert element is not None
        return _reference(element).array(_dimensions(node))
    parts = [part for part in node.named_children if part.type.endswith(("_type", "type_identifier"))]
    if node.type == "scoped_type_identifier":
        return TypeReference(name=".".join(_reference(part).name for part in parts), dimensions=0)
    if node.type in {"generic_type", "annotated_type"}:
        return _reference(parts[0])
    return TypeReference(name=text_of(node), dimensions=0)


def _dimensions(node: Node) -> int:
    dimensions = in_field(node, "dimensions")
    return sum(child.type == "[" for child in dimensions.children) if dimensions else 0


def components(node: Node) -> Iterator[tuple[TypeReference, str]]:
    """Yield type and name of the parameters of a method, or of the components of a record."""
    for child in listed(node, "parameters"):
        if child.type == "formal_parameter":
            name, written = in_field(child, "name"), in_field(child, "type")
            assert written is not None
            if name is not None and text_of(name) == "this":
                continue  # an annotated receiver: the grammar takes it for a parameter
            yield _reference(written).array(_dimensions(child)), text_of(name)
        elif child.type == "spread_parameter":
            (written, *_) = (
                part for part in child.named_children if part.type.endswith(("_type", "type_identifier"))
            )
            yield _reference(written).array(1), text_of(in_field(child.named_children[-1], "name"))


def _method(node: Node, owner: Node) -> MethodDeclaration:
    name, body = in_field(node, "name"), in_field(node, "body")
    assert name is not None
    is_method = node.type == "method_declaration"
    explicit = next(children(body, "explicit_constructor_invocation"), None)
    called = in_field(explicit, "constructor")
    result = in_field(node, "type")
    # A compact constructor has the components of its record.
    parameters = list(components(owner if node.type.startswith("compact") else node))
    return MethodDeclaration(
        name=text_of(name) if is_method else CONSTRUCTOR,
        variables=_variables(node),
        parameters=tuple(written for written, _ in parameters),
        names=tuple(name for _, name in parameters),
        result=_reference(result) if result is not None else None,
        modifiers=_modifiers(node),
        throws=any(child.type == "throws" for child in node.children),
        line=name.start_point[0] + 1,
        body=Body(start=explicit.end_byte if explicit else body.start_byte + 1, end=body.end_byte - 1)
        if body is not None
        else None,
        delegates=called is not None and called.type == "this",
        node=node,
    )
