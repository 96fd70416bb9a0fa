"""Proposed benchmarks get the format of gofmt, also where a toolchain comes without it."""

from dataclasses import replace
from pathlib import Path

from abs_audit.analyses.stubs.formatting import PROPOSAL
from abs_audit.execution.local import LocalExecutor
from abs_audit.languages.go.formatting import gofmt
from tests.support.go_subjects import settings, workspace


def test_sources_come_back_as_gofmt_has_them(tmp_path: Path) -> None:
    opened = workspace(tmp_path)
    for folder in (opened.results, opened.home):
        folder.mkdir()
    proposal = opened.results / PROPOSAL
    proposal.write_text("package p\nfunc  A( ) { return }\n")
    command = gofmt(opened, settings()).printing
    argv = (*command.argv, "p/a_test.go", str(proposal))
    assert "package p\n\nfunc A() { return }\n" == LocalExecutor().execute(replace(command, argv=argv)).output
