"""What a probe changes in one definition, as a reader of a page sees it."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 2
LONGEST = 40
GAP = "  ⋯"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A text and what became of it."""

    old: Sequence[str]
    new: Sequence[str]
    changes: Sequence[tuple[range, range]]
    """Lines that go and lines that come in their place, from 0: what differs in more than its indentation."""

    def within(self, line: int, end: int) -> str:
        """Return the changes of a definition that begins at `line`, the next one at `end`; from 1.

        They have their surroundings, as a diff is written.
        """
        own = [
            (going, coming)
            for going, coming in self.changes
            if (line - 1 <= going.start < end - 1 if going else line <= going.start < end)
        ]
        nexts = [*(coming.start for _, coming in own[1:]), len(self.new)]
        text: list[str] = []
        told = 0
        for (going, coming), following in zip(own, nexts, strict=False):
            begin = max(told, coming.start - CONTEXT)
            text += [GAP] if text and begin > told else []
            told = min(coming.stop + CONTEXT, following)
            text += (f" {self.new[at]}" for at in range(begin, coming.start))
            text += (f"-{self.old[at]}" for at in going)
            text += (f"+{self.new[at]}" for at in coming)
            text += (f" {self.new[at]}" for at in range(coming.stop, told))
        return "\n".join([*text[:LONGEST], GAP] if len(text) > LONGEST else text).rstrip()


def changed(before: str, after: str) -> Changed:
    """Return what differs between two texts, in order; a body that is indented alone does not."""
    old, new = before.split("\n"), after.split("\n")
    matcher = SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in new])
    changes = [
        (range(old_start, old_end), range(new_start, new_end))
        for kind, old_start, old_end, new_start, new_end in matcher.get_opcodes()
        if kind != "equal"
    ]
    return Changed(old=old, new=new, changes=changes)
