"""The configuration of the Go tool of 2018 can be used as it is, and its traps are gone."""

from pathlib import Path

import pytest

from abs_audit.cli.old_configuration import found_again, functions_of
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


def ids(*functions: dict[str, str]) -> tuple[str, ...]:
    return found_again(Path("old.json"), functions, KNOWN).ids


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


@pytest.mark.parametrize("document", [None, [], {"methods": []}, {"dynamic": {}}, {"dynamic": []}])
def test_other_documents_are_left_to_the_reader_of_methods_files(document: object) -> None:
    assert None is functions_of(document)
