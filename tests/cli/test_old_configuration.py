"""The configurations of the tools of 2018 can be used as they are, and their traps are gone."""

from pathlib import Path

import pytest

from abs_audit.cli.old_configuration import found_again, methods_of
from abs_audit.errors import UsageError
from abs_audit.model.subject import ApiMethod

P = "github.com/gin-gonic/gin"
KNOWN = [
    ApiMethod(id=f"{P}.(*Context).Next", path="context.go", line=1),
    ApiMethod(id=f"{P}.(*Engine).Next", path="gin.go", line=1),
    ApiMethod(id=f"{P}.New", path="gin.go", line=1),
    ApiMethod(id=f"{P}/binding.New", path="binding/binding.go", line=1),
    ApiMethod(id=f"{P}.errorMsgs.Last", path="errors.go", line=1),
]


J = "io.example.Store"
STORE = "core/src/main/java/io/example/Store.java"
JAVA = [
    ApiMethod(id=f"{J}.put(java.lang.Object,int)", path=STORE, line=1),
    ApiMethod(id=f"{J}.put(java.lang.Object,byte[])", path=STORE, line=1),
    ApiMethod(id=f"{J}$Key.of(java.lang.String)", path=STORE, line=1),
    ApiMethod(id="io.example.Other.of(java.lang.String)", path="core/io/example/Other.java", line=1),
]


def ids(*functions: dict[str, str]) -> tuple[str, ...]:
    sought = methods_of({"dynamic": {"functions": list(functions)}})
    assert sought is not None
    return found_again(Path("old.json"), sought, KNOWN).ids


def java_ids(file: str, *methods: dict[str, object]) -> tuple[str, ...]:
    sought = methods_of({"project": "p", "files": [{"test_file": file, "methods": list(methods)}]})
    assert sought is not None
    return found_again(Path("old.json"), sought, JAVA).ids


def test_functions_are_found_by_file_receiver_and_name() -> None:
    assert (f"{P}.(*Context).Next", f"{P}.New") == ids(
        {"pkg": "gin", "file": "context.go", "name": "Next", "recv": "*Context"},
        {"pkg": "gin", "file": "gin.go", "name": "New", "recv": ""},
    )


def test_a_receiver_without_its_star_means_the_method_that_there_is() -> None:
    assert (f"{P}.(*Context).Next",) == ids({"file": "context.go", "name": "Next", "recv": "Context"})
    assert (f"{P}.errorMsgs.Last",) == ids({"file": "errors.go", "name": "Last", "recv": "*errorMsgs"})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            {"file": "context.go", "name": "Nxt", "recv": "*Context"},
            r"old\.json: dynamic\.functions\[0\]: expected one function Context\.Nxt in context\.go; name",
        ),
        ({"file": "other.go", "name": "New"}, rf"found {P}\.New, {P}/binding\.New"),
    ],
)
def test_a_function_that_is_not_there_or_not_alone_is_refused(function: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ids(function)


def test_methods_of_java_are_found_by_file_name_and_the_types_as_they_are_written() -> None:
    file = "src/main/java/io/example/Store.java"
    assert (f"{J}.put(java.lang.Object,int)", f"{J}.put(java.lang.Object,byte[])") == java_ids(
        file,
        {"name": "put", "params": ["Map<? super T>.V", "int"], "typeParams": {"V": "java.lang.Object"}},
        {"name": "put", "params": ["T", "byte..."], "typeParams": {"T": "java.lang.Object"}},
    )
    assert (f"{J}$Key.of(java.lang.String)",) == java_ids(file, {"name": "of", "params": ["T"]})


def test_a_method_of_java_that_is_not_there_or_not_alone_is_refused() -> None:
    with pytest.raises(UsageError, match=r"files\[0\]\.methods\[0\]: expected one function get\(int\) in S"):
        java_ids("Store.java", {"name": "get", "params": ["int"]})
    with pytest.raises(UsageError, match=r"put\(T, U\) in Store\.java; found io\.example\.Store\.put"):
        java_ids("Store.java", {"name": "put", "params": ["T", "U"]})


@pytest.mark.parametrize("document", [None, [], {"methods": []}, {"dynamic": {}}, {"files": ["a"]}])
def test_other_documents_are_left_to_the_reader_of_methods_files(document: object) -> None:
    assert None is methods_of(document)
