"""What the site needs beyond mkdocs: decisions, notebooks, and files outside of docs that pages link to."""

import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:]+)\)")
ROOT = Path(__file__).parent.parent


def on_config(config: Any) -> Any:
    """Add the decisions to the explanations of the navigation: a new one needs no line there."""
    decisions = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    (explanations,) = (section["Explanation"] for section in config.nav if "Explanation" in section)
    explanations.append({"Decisions": [f"decisions/{path.name}" for path in decisions]})
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add notebooks as pages, and every file of the repository that a page links to."""
    for notebook in sorted((ROOT / "docs").rglob("*.ipynb")):
        name = notebook.relative_to(ROOT / "docs").with_suffix(".md").as_posix()
        files.append(File.generated(config, name, content=page_of(notebook.read_text(encoding="utf-8"))))
    for page in list(files.documentation_pages()):
        for _, target in LINK.findall(page.content_string):
            path = outside(page.src_uri, target)
            if path and (ROOT / path).is_file() and path not in files.src_uris:
                files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Lead links to what `on_files` added; a link to a folder becomes plain text."""

    def led(match: re.Match[str]) -> str:
        text, target = match.groups()
        path = outside(page.file.src_uri, target)
        if path is None:
            return match[0].replace(".ipynb)", ".md)")
        if not (ROOT / path).is_file():
            return text
        return f"[{text}]({posixpath.relpath(path, posixpath.dirname(page.file.src_uri) or '.')})"

    return LINK.sub(led, markdown)


def outside(source: str, target: str) -> str | None:
    """Return a target's path in the repository if it lies outside of docs, else None."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(source), target))
    return None if path.startswith("docs/") else path


def page_of(notebook: str) -> str:
    """Return a notebook as Markdown: its texts, its code, and what the code showed."""
    return "\n\n".join(part for cell in json.loads(notebook)["cells"] for part in _parts(cell)) + "\n"


def _parts(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    yield source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```"
    for output in cell.get("outputs", ()):
        shown = output.get("data", {"text/plain": output.get("text", [])})
        if "text/html" in shown:
            # Without blank lines, which would end the block of HTML for Markdown.
            lines = "".join(shown["text/html"]).splitlines()
            yield "\n".join(["<div markdown='0'>", *filter(str.strip, lines), "</div>"])
        else:
            yield f"```text\n{''.join(shown['text/plain']).rstrip()}\n```"
