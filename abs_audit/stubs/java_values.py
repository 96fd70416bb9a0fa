"""Values for the parameters of Java methods: usual ones of the JDK's types, instances of the library's."""

import re
from collections.abc import Callable, Iterator

from abs_audit.stubs.java_library import CONSTRUCTOR, JavaType, Library, Method

DEEPEST = 3
NAME = "\1{}\2"
"""Stands for a type until it is known which names the file imports."""
THROWS = "\3"
"""Marks an expression that may throw a checked exception."""
Visible = Callable[[JavaType], bool]
"""Whether a benchmark may name a type."""
NUMBER = re.compile(r"size|count|length|capacity|limit|max|number|turns|times", re.IGNORECASE)
PARSING = re.compile(r"(parse|read|decode|load|open|from|valueOf|get)", re.IGNORECASE)
WORDS = '"several", "words", "in", "a", "row"'


def named(canonical: str) -> str:
    """Return a mark that becomes the name of a type, as the file may write it."""
    bare = canonical.rstrip("[]")
    return NAME.format(bare) + canonical[len(bare) :] if "." in bare else canonical


def _jdk() -> Iterator[tuple[str, str]]:
    text = '"several words in a row"'
    yield from (("boolean", "true"), ("byte", "(byte) 3"), ("char", "'a'"), ("double", "2.5"))
    yield from (("float", "2.5f"), ("int", "3"), ("long", "3L"), ("short", "(short) 3"))
    yield from (("java.lang.Boolean", "true"), ("java.lang.Byte", "(byte) 3"), ("java.lang.Character", "'a'"))
    yield from (("java.lang.Double", "2.5"), ("java.lang.Float", "2.5f"), ("java.lang.Integer", "3"))
    yield from (("java.lang.Long", "3L"), ("java.lang.Short", "(short) 3"), ("java.lang.Number", "3"))
    yield from ((f"java.lang.{name}", text) for name in ("String", "CharSequence", "Object", "Comparable"))
    yield from ((f"java.lang.{name}", "() -> { }") for name in ("Runnable", "AutoCloseable"))
    for name in ("StringBuilder", "StringBuffer", "Appendable"):
        made = "StringBuilder" if name == "Appendable" else name
        yield f"java.lang.{name}", f"new {made}({text if made == name else ''})"
    yield "java.lang.Class", "String.class"
    yield "java.lang.ClassLoader", "Thread.currentThread().getContextClassLoader()"
    yield "java.lang.Throwable", "new IllegalStateException()"
    yield "java.lang.Exception", "new IllegalStateException()"
    listed = f"{named('java.util.Arrays')}.asList({WORDS})"
    array = f"new {named('java.util.ArrayList')}<>({listed})"
    yield "java.lang.Iterable", array
    yield from ((f"java.util.{name}", array) for name in ("List", "Collection", "ArrayList"))
    for name, kind in (("Set", "LinkedHashSet"), ("SortedSet", "TreeSet"), ("HashSet", "HashSet")):
        yield f"java.util.{name}", f"new {named(f'java.util.{kind}')}<>({listed})"
    yield "java.util.Iterator", f"{listed}.iterator()"
    for name, kind in (("Map", "HashMap"), ("HashMap", "HashMap"), ("SortedMap", "TreeMap")):
        key = f"{named('java.util.Collections')}.singletonMap({text}, {text})"
        yield f"java.util.{name}", f"new {named(f'java.util.{kind}')}<>({key})"
    yield from (("java.util.Locale", f"{named('java.util.Locale')}.ROOT"),)
    yield "java.util.Random", f"new {named('java.util.Random')}(1)"
    yield "java.util.Date", f"new {named('java.util.Date')}(0L)"
    yield "java.util.UUID", f"new {named('java.util.UUID')}(1L, 2L)"
    yield "java.util.Comparator", f"{named('java.util.Comparator')}.naturalOrder()"
    yield "java.util.Properties", f"new {named('java.util.Properties')}()"
    yield "java.util.concurrent.TimeUnit", f"{named('java.util.concurrent.TimeUnit')}.SECONDS"
    yield "java.math.BigInteger", f"{named('java.math.BigInteger')}.TEN"
    yield "java.math.BigDecimal", f"{named('java.math.BigDecimal')}.TEN"
    utf8 = f"{named('java.nio.charset.StandardCharsets')}.UTF_8"
    yield "java.nio.charset.Charset", utf8
    yield "java.nio.ByteBuffer", f"{named('java.nio.ByteBuffer')}.allocate(1024)"
    raw = f"{text}.getBytes({utf8})"
    for name in ("InputStream", "ByteArrayInputStream"):
        yield f"java.io.{name}", f"new {named('java.io.ByteArrayInputStream')}({raw})"
    for name in ("OutputStream", "ByteArrayOutputStream"):
        yield f"java.io.{name}", f"new {named('java.io.ByteArrayOutputStream')}()"
    for name in ("Reader", "StringReader"):
        yield f"java.io.{name}", f"new {named('java.io.StringReader')}({text})"
    for name in ("Writer", "StringWriter"):
        yield f"java.io.{name}", f"new {named('java.io.StringWriter')}()"
    functional = {"Function": "one -> one", "UnaryOperator": "one -> one", "Supplier": f"() -> {text}"}
    functional |= {"Predicate": "one -> true", "Consumer": "one -> { }", "BiConsumer": "(one, other) -> { }"}
    functional |= {"BiFunction": "(one, other) -> one", "BinaryOperator": "(one, other) -> one"}
    yield from ((f"java.util.function.{name}", made) for name, made in functional.items())
    yield "java.util.concurrent.Callable", f"() -> {text}"
    yield "byte[]", raw
    yield "char[]", f"{text}.toCharArray()"


VALUES = dict(_jdk())
VALUES["java.lang.AutoCloseable"] = VALUES["java.lang.Runnable"]


class Values:
    """Makes expressions for types, of public members of types that a benchmark sees."""

    def __init__(self, library: Library, sees: Visible) -> None:
        self._library, self._sees = library, sees

    def value(self, canonical: str, name: str, depth: int = 0) -> str | None:
        """Return an expression for a type, None where nothing shows how to make one."""
        if canonical in {"int", "long"} and NUMBER.search(name):
            return "100" if canonical == "int" else "100L"
        if canonical in VALUES:
            return VALUES[canonical]
        if canonical.endswith("[]"):
            element = self.value(canonical[:-2], name, depth)
            return f"new {named(canonical)} {{{element}, {element}, {element}}}" if element else None
        found = self._library.canonical.get(canonical)
        return self.instance(found, depth) if found is not None else None

    def instance(self, holder: JavaType, depth: int = 0, without: Method | None = None) -> str | None:
        """Return an instance of a type of the library: a constant, or what the easiest maker returns.

        Heirs that override the method `without` are left out: a call of it would not reach it.
        """
        if depth > DEEPEST or not self._sees(holder) or holder.is_inner or _overrides(holder, without):
            return None
        if holder.constants:
            return f"{named(holder.canonical)}.{holder.constants[0]}"
        for one in _makers(holder, self._library):
            given = self._given(one, holder, depth)
            if given is not None:
                return (THROWS if one.throws else "") + _made(one, holder, given)
        heirs = (self.instance(one, depth + 1, without) for one in self._library.subtypes(holder))
        return next((one for one in heirs if one is not None), None)

    def _given(self, maker: Method, holder: JavaType, depth: int) -> str | None:
        """Return the arguments of a constructor or factory."""
        values = []
        for written, name in maker.parameters:
            value = self.value(self.parameter(written, maker, holder), name, depth + 1)
            if value is None:
                return None
            values.append(value)
        return ", ".join(values)

    def parameter(self, written: str, one: Method, holder: JavaType) -> str:
        """Return the canonical name of a parameter's type; of a type variable, that of its bound."""
        bare = written.rstrip("[]")
        variables = {**holder.variables, **one.variables}
        written = variables.get(bare, bare) + written[len(bare) :]
        return self._library.resolve(written, holder)


def _overrides(holder: JavaType, method: Method | None) -> bool:
    """Tell whether a type has a method of its own in the place of another's."""
    if method is None or any(one is method for one in holder.methods):
        return False
    key = (method.name, len(method.parameters))
    return any((one.name, len(one.parameters)) == key for one in holder.methods)


def _made(maker: Method, holder: JavaType, given: str) -> str:
    """Return the call of a constructor or factory."""
    if maker.name == CONSTRUCTOR:
        return f"new {named(holder.canonical)}{'<>' if holder.variables else ''}({given})"
    return f"{named(holder.canonical)}.{maker.name}({given})"


def _makers(holder: JavaType, library: Library) -> list[Method]:
    """Return what makes instances: factories that fill them, constructors, factories that read something."""
    found: list[tuple[int, int, Method]] = []
    for one in holder.methods:
        factory = "static" in one.modifiers and library.resolve(one.result, holder) == holder.canonical
        if not holder.public(one) or not (factory or one.name == CONSTRUCTOR):
            continue
        if one.name == CONSTRUCTOR and (holder.kind == "interface" or "abstract" in holder.modifiers):
            continue
        numbers = any(NUMBER.search(name) and written == "int" for written, name in one.parameters)
        reads = factory and not numbers and PARSING.match(one.name)
        found.append((2 if reads else 0 if factory and numbers else 1, len(one.parameters), one))
    declared = any(one.name == CONSTRUCTOR for one in holder.methods)
    if holder.kind == "class" and not declared and "abstract" not in holder.modifiers:
        plain = frozenset({"public"})
        default = Method(
            name=CONSTRUCTOR, parameters=(), result="", modifiers=plain, variables={}, throws="", body=None
        )
        found.append((1, 0, default))
    return [one for *_, one in sorted(found, key=lambda each: each[:2])]
