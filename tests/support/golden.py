"""Golden files: what the program is expected to say, kept beside the tests."""

from pathlib import Path


def check(path: Path, actual: str, *, accept: bool) -> None:
    """Fail unless the file holds exactly this text; leave the actual text beside it on failure."""
    beside = path.with_name(f"{path.name}.actual")
    if accept:
        path.parent.mkdir(exist_ok=True)
        path.write_text(actual, encoding="utf-8")
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    if expected != actual:
        beside.write_text(actual, encoding="utf-8")
    else:
        beside.unlink(missing_ok=True)
    assert expected == actual, f"{path.name} differs; if the new text is right: pytest --accept-golden"
