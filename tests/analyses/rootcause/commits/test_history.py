"""The commit graph: candidates, ancestors and weights, against networkx and against git itself."""

import random
import subprocess
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abs_audit.analyses.rootcause.commits.history import ancestor_counts, restricted, weights
from tests.support.repositories import imported


@st.composite
def histories(draw: st.DrawFn) -> dict[int, list[int]]:
    size = draw(st.integers(0, 40))
    return {
        commit: sorted(draw(st.sets(st.integers(0, commit - 1), max_size=3))) if commit else []
        for commit in range(size)
    }


def as_graph(history: dict[int, list[int]]) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(history)
    graph.add_edges_from((parent, commit) for commit, own in history.items() for parent in own)
    return graph


@settings(max_examples=40)
@given(histories())
def test_ancestor_counts_equal_networkx(history: dict[int, list[int]]) -> None:
    graph = as_graph(history)

    assert {commit: len(nx.ancestors(graph, commit)) for commit in graph} == ancestor_counts(history)


def random_history(size: int, seed: int) -> dict[int, list[int]]:
    """Return a history with branches and merges in the proportions of git's own: a quarter are merges."""
    draw = random.Random(seed)
    history: dict[int, list[int]] = {0: []}
    for commit in range(1, size):
        near = max(0, commit - 6)
        many = draw.choices((1, 2, 3), (0.75, 0.23, 0.02))[0]
        history[commit] = sorted(set(draw.choices(range(near, commit), k=many)))
    return history


@pytest.mark.parametrize("size", [5, 50, 400])
def test_weights_equal_a_search_from_every_commit(size: int) -> None:
    history = random_history(size, seed=size)
    graph = as_graph(history)
    reached = {commit: len(nx.ancestors(graph, commit)) + 1 for commit in graph}

    assert {commit: min(own, size - own) for commit, own in reached.items()} == weights(history)


def test_weights_equal_the_distances_that_git_prints(tmp_path: Path) -> None:
    parents = list(random_history(300, seed=3).values())
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
    history = {commit: [commits[p] for p in own] for commit, own in zip(commits, parents, strict=True)}
    removed = nx.ancestors(graph, commits[0]) | {commits[0]}
    kept = nx.ancestors(graph, commits[-1]) | {commits[-1]}
    members = [commit for commit in history if commit in kept - removed]

    assert distances == weights(restricted(history, members))
    assert 100 < len(distances)


def test_parents_outside_of_the_history_are_left_out() -> None:
    history = {"root": ["before"], "child": ["root"], "grandchild": ["root", "child"]}

    assert {**history, "root": []} == restricted(history, history)


def test_one_candidate_has_weight_0_and_none_gives_none() -> None:
    assert ({"a": 0}, {}) == (weights({"a": []}), weights({}))
