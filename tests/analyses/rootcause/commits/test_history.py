"""The commit graph: candidates, ancestors and weights, against networkx and against git itself."""

import random
import subprocess
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_audit.analyses.rootcause.commits.history import ancestor_counts, history, restricted, weights
from tests.support.repositories import imported


@st.composite
def parent_lists(draw: st.DrawFn) -> list[list[int]]:
    size = draw(st.integers(0, 40))
    return [
        sorted(draw(st.sets(st.integers(0, commit - 1), max_size=3))) if commit else []
        for commit in range(size)
    ]


def as_graph(parents: list[list[int]]) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(parents)))
    graph.add_edges_from((parent, commit) for commit, own in enumerate(parents) for parent in own)
    return graph


@settings(max_examples=40)
@given(parent_lists())
def test_ancestor_counts_equal_networkx(parents: list[list[int]]) -> None:
    graph = as_graph(parents)

    assert [len(nx.ancestors(graph, commit)) for commit in graph] == ancestor_counts(parents).tolist()


def random_parents(size: int, seed: int) -> list[list[int]]:
    """Return a history with branches and merges in the proportions of git's own: a quarter are merges."""
    draw = random.Random(seed)
    parents: list[list[int]] = [[]]
    for commit in range(1, size):
        near = max(0, commit - 6)
        many = draw.choices((1, 2, 3), (0.75, 0.23, 0.02))[0]
        parents.append(sorted(set(draw.choices(range(near, commit), k=many))))
    return parents


@pytest.mark.parametrize("size", [5, 50, 400])
def test_weights_equal_a_search_from_every_commit(size: int) -> None:
    parents = random_parents(size, seed=size)
    graph = as_graph(parents)
    reached = [len(nx.ancestors(graph, commit)) + 1 for commit in graph]

    assert [min(own, size - own) for own in reached] == weights(parents).tolist()


def test_weights_equal_the_distances_that_git_prints(tmp_path: Path) -> None:
    parents = random_parents(300, seed=3)
    commits = imported(tmp_path, parents)
    listed = subprocess.run(
        ["git", "rev-list", "--bisect-all", commits[-1], f"^{commits[0]}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    distances = {line.split()[0]: int(line.split("dist=")[1].rstrip(")")) for line in listed}
    graph = nx.DiGraph()
    graph.add_nodes_from(commits)
    graph.add_edges_from((commits[p], commits[c]) for c, own in enumerate(parents) for p in own)
    found = history({commit: [commits[p] for p in own] for commit, own in zip(commits, parents, strict=True)})
    removed = nx.ancestors(graph, commits[0]) | {commits[0]}
    kept = nx.ancestors(graph, commits[-1]) | {commits[-1]}
    members = [place for place, commit in enumerate(found.commits) if commit in kept - removed]
    weighed = weights(restricted(found.parents, members)).tolist()

    assert distances == {found.commits[m]: w for m, w in zip(members, weighed, strict=True)}
    assert 100 < len(distances)


def test_parents_outside_of_the_history_are_left_out() -> None:
    found = history({"root": ["before"], "child": ["root"], "grandchild": ["root", "child"]})

    assert (("root", "child", "grandchild"), ((), (0,), (0, 1))) == (found.commits, found.parents)


def test_one_candidate_has_weight_0_and_none_gives_none() -> None:
    assert ([0], []) == (weights([[]]).tolist(), weights([]).tolist())
