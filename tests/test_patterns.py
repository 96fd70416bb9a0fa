"""Names are chosen by globs and expressions; what matches nothing is answered with close names."""

import pytest

from abs_audit.patterns import matching, nearest

NAMES = [
    "b/test_a.py::test_render",
    "b/test_a.py::test_sum[10]",
    "b/test_a.py::test_sum[200]",
    "gin.BenchmarkX/sub",
]


@pytest.mark.parametrize(
    ("pattern", "matched"),
    [
        ("*", NAMES),
        ("b/test_a.py::test_render", NAMES[:1]),
        ("*render*", NAMES[:1]),
        ("render", []),
        ("*test_sum[10]", NAMES[1:2]),
        ("*test_sum*", NAMES[1:3]),
        ("*_sum[[]*", NAMES[1:3]),
        ("/render|Bench/", [NAMES[0], NAMES[3]]),
        ("/^gin/", NAMES[3:]),
        ("*RENDER*", []),
    ],
)
def test_a_pattern_chooses(pattern: str, matched: list[str]) -> None:
    assert matched == matching(pattern, NAMES)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("render", "did you mean '*render*'? It matches b/test_a.py::test_render"),
        ("test_rendr", "close names: b/test_a.py::test_render"),
        ("/rendr/", "close names: b/test_a.py::test_render"),
        ("zzzz", "there are 4, such as b/test_a.py::test_render"),
    ],
)
def test_a_pattern_that_chooses_nothing_is_answered_with_what_is_near(pattern: str, said: str) -> None:
    assert said in nearest(pattern, NAMES)


def test_where_there_is_nothing_that_is_said() -> None:
    assert "there is none" == nearest("x", [])
