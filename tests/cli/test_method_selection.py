"""Which methods a pattern means."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from abs_audit.cli import method_selection
from abs_audit.cli.method_selection import each_body_once, methods_of
from abs_audit.cli.options import MethodChoice
from abs_audit.config import Settings
from abs_audit.injectors.go.injector import GoInjector
from abs_audit.model.subject import ApiListing, ApiMethod

TREE = {
    "go.mod": "module example.org/lib\n\ngo 1.21\n",
    "a.go": "package lib\ntype Document struct{ *Selection }\ntype Page struct{ *Selection }\n"
    "type Selection struct{}\nfunc (s *Selection) Attr() {}\nfunc Parse() {}\n",
}
LISTED = {method.id: method for method in GoInjector().api_methods(TREE).methods}
DOCUMENT, PAGE, SELECTION = (f"example.org/lib.(*{name}).Attr" for name in ("Document", "Page", "Selection"))
PARSE = "example.org/lib.Parse"


@pytest.mark.parametrize(
    ("matched", "kept"),
    [
        ([DOCUMENT, PAGE, SELECTION, PARSE], [SELECTION, PARSE]),
        ([DOCUMENT, PAGE], [DOCUMENT]),
        ([PARSE, PARSE], [PARSE]),
    ],
)
def test_of_several_ids_of_one_body_a_pattern_means_the_one_it_is_written_under(
    matched: list[str], kept: list[str]
) -> None:
    """Of goquery 169 of 349 ids were of a body that another id has, too."""
    assert kept == each_body_once(matched, LISTED)


@pytest.mark.parametrize(
    ("patterns", "looked_up"),
    [((), ["lib.a", "lib.b"]), (("lib.b",), ["lib.b"]), (("lib.c",), []), (("lib.?",), ["lib.a", "lib.b"])],
)
def test_what_a_pattern_has_matched_in_the_sources_is_not_looked_up_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, patterns: tuple[str, ...], looked_up: list[str]
) -> None:
    (tmp_path / "methods.txt").write_text("lib.a\nlib.b\n")
    asked: list[str] = []
    monkeypatch.setattr(
        method_selection, "unknown_methods", lambda _, methods, __: asked.extend(methods) or []
    )
    listed = ApiListing(methods=(ApiMethod(id="lib.c", path="lib.py", line=1),), skipped=())
    project = Mock(
        settings=Settings(method=patterns), language=Mock(injector=Mock(api_methods=lambda _: listed))
    )

    methods_of(project, Mock(), MethodChoice(methods=tmp_path / "methods.txt"))

    assert looked_up == asked
