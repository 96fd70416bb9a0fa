"""What a probe changes in one definition, as a reader of a page sees it."""

from collections.abc import Iterator
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
    added: tuple[str, ...]
    before: tuple[str, ...]
    """Lines of the new text that lead to it."""
    after: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """Yield the change with its surroundings, as a diff is written."""
        yield from (f" {line}" for line in self.before)
        yield from (f"-{line}" for line in self.removed)
        yield from (f"+{line}" for line in self.added)
        yield from (f" {line}" for line in self.after)


def changes(before: str, after: str) -> list[Change]:
    """Return what differs between two texts, in order; a body that is indented alone does not."""
    old, new = before.split("\n"), after.split("\n")
    matcher = SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in new])
    return [
        Change(
            at=old_start,
            removed=tuple(old[old_start:old_end]),
            added=tuple(new[new_start:new_end]),
            before=tuple(new[max(0, new_start - CONTEXT) : new_start]),
            after=tuple(new[new_end : new_end + CONTEXT]),
        )
        for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if kind != "equal"
    ]


def within(changed: list[Change], line: int, end: int) -> str:
    """Return the changes of a definition that begins at `line`, the next one at `end`; from 1."""
    own = [
        change
        for change in changed
        if (line - 1 <= change.at < end - 1 if change.removed else line <= change.at < end)
    ]
    text = f"\n{GAP}\n".join("\n".join(change.lines()) for change in own).split("\n")
    return "\n".join([*text[:LONGEST], GAP] if len(text) > LONGEST else text)
