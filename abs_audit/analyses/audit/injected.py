"""What a probe changes in one definition, as a reader of a page sees it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 2
LONGEST = 40
GAP = "  ⋯"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Lines that differ in more than their indentation."""

    at: int
    """The first line of the old text that goes, or before which others come; from 0."""
    removed: tuple[str, ...]
    start: int
    """The lines of the new text from here to `end` are added; from 0."""
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A text after what became of it."""

    lines: Sequence[str]
    changes: tuple[Change, ...]

    def within(self, line: int, end: int) -> str:
        """Return the changes of a definition that begins at `line`, the next one at `end`; from 1."""
        own = [
            change
            for change in self.changes
            if (line - 1 <= change.at < end - 1 if change.removed else line <= change.at < end)
        ]
        text = list(self._shown(own))
        return "\n".join([*text[:LONGEST], GAP] if len(text) > LONGEST else text).rstrip()

    def _shown(self, own: Sequence[Change]) -> Iterator[str]:
        """Yield changes with their surroundings, as a diff is written."""
        for before, change in zip([None, *own], own, strict=False):
            begin = change.start - CONTEXT
            if before is not None and begin > before.end + CONTEXT:
                yield from self._kept(before.end, before.end + CONTEXT)
                yield GAP
            elif before is not None:
                begin = before.end
            yield from self._kept(max(begin, 0), change.start)
            yield from (f"-{line}" for line in change.removed)
            yield from (f"+{line}" for line in self.lines[change.start : change.end])
        if own:
            yield from self._kept(own[-1].end, own[-1].end + CONTEXT)

    def _kept(self, start: int, end: int) -> Iterator[str]:
        return (f" {line}" for line in self.lines[start:end])


def changed(before: str, after: str) -> Changed:
    """Return what differs between two texts, in order; a body that is indented alone does not."""
    old, new = before.split("\n"), after.split("\n")
    matcher = SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in new])
    return Changed(
        lines=new,
        changes=tuple(
            Change(at=old_start, removed=tuple(old[old_start:old_end]), start=new_start, end=new_end)
            for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes()
            if kind != "equal"
        ),
    )
