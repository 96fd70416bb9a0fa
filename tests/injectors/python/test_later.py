"""A function that returns what is awaited or consumed later carries no probe: others do its work."""

import pytest

from abs_audit.injectors.python.later import REASON
from abs_audit.injectors.python.outline import outline

LATER = """
    class Session:
        async def _execute(self): return 1
        async def execute_async(self): return await self._execute()
        def _rows(self): yield 1
        @decorated
        async def _decorated(self): return 1
        def m(self, loop): pass

    class Other:
        def _iterator(self): yield 1

    async def fetch(): return 1
    def counted(): return 1
"""


def reasons(body: str) -> dict[str, str]:
    text = LATER.replace("\n    ", "\n").replace("pass", body)
    return {definition.name: definition.reason for definition in outline(text).definitions}


@pytest.mark.parametrize(
    "body",
    [
        "return self._execute()",
        "return self._rows()",
        "return fetch()",
        "return Session._execute(self)",
        "return asyncio.gather(fetch(), fetch())",
        "return loop.create_task(fetch())",
        "\n            if not loop: raise ValueError\n            return self._execute()",
    ],
)
def test_what_is_awaited_or_consumed_later_is_not_timed(body: str) -> None:
    assert reasons(body)["Session.m"] == REASON


@pytest.mark.parametrize(
    "body",
    [
        "return counted()",
        "return list(self._rows())",
        "return self.counted()",
        "return self._iterator()",
        "return self._decorated()",
        "return loop.run_until_complete(fetch())",
        "yield self._execute()",
        "return 1",
    ],
)
def test_what_executes_its_work_is_timed(body: str) -> None:
    assert reasons(body)["Session.m"] == ""


def test_a_coroutine_is_timed_where_it_is_awaited() -> None:
    known = reasons("return self._execute()")
    assert known["Session._execute"] == known["Session.execute_async"] == ""
