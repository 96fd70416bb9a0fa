"""Which rows of a Boolean matrix cover most of its columns, and which cover all of them at least cost?

Shapes: `cover` is (rows, columns), sparse or dense; `cost` (rows,), `weights` (columns,), none negative.
Greedy answers are quick; exact ones come from an integer program (HiGHS) with a time limit, together
with a bound that says how much better any answer could be.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack

from abs_audit.stats.arrays import Flags, Floats, Indices

SMALL_GAP = 0.005
"""Part of the cost of a full cover that is not searched for: proving the last of it can take for ever."""
PROVEN = 1e-6
"""A gap up to this is the solver's rounding."""
TOLERANCE = 1e-9
"""Relative: sums of durations are rounded, and .1 + .2 fits into .3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Chosen rows, and how good they are known to be."""

    rows: Indices
    """Ascending."""
    value: float
    """Covered weight, or cost of a full cover."""
    bound: float
    """No choice covers more weight (or covers all at less cost) than this."""


def covered(cover: csr_array, rows: Indices) -> Flags:
    """Tell for each column whether one of `rows` covers it."""
    return np.asarray(cover[rows].sum(axis=0) > 0).ravel()


def greedy(cover: csr_array, cost: Floats, weights: Floats, budget: float) -> Indices:
    """Return rows chosen one by one: always the affordable one with most new weight a unit of cost.

    The best single row wins where it covers more, which bounds the loss. Budget 0, no rows: nothing.
    """
    dense = np.asarray(cover.todense()) > 0
    left, spent, chosen = weights.astype(float), 0.0, list[int]()
    while True:
        gain = dense @ left
        usable = (gain > 0) & (spent + cost <= budget * (1 + TOLERANCE))
        if not usable.any():
            break
        rate = np.where(usable, gain / np.maximum(cost, np.finfo(float).tiny), -1.0)
        best = int(rate.argmax())
        chosen.append(best)
        spent += cost[best]
        left = np.where(dense[best], 0.0, left)
    picked = np.array(sorted(chosen), dtype=np.intp)
    single = _best_single(dense @ weights, cost, budget)
    return single if _weight(cover, single, weights) > _weight(cover, picked, weights) else picked


def most_weight(cover: csr_array, cost: Floats, weights: Floats, budget: float, limit_s: float) -> Solution:
    """Return the rows within the budget that cover most weight; greedy first, then exact.

    Maximise Σ w·y with y ≤ Σ cover·x, Σ cost·x ≤ budget, x in {0, 1}, 0 ≤ y ≤ 1. Rows that add nothing
    to the answer are left out of it. A time limit that runs out shows as value < bound.
    """
    rows = greedy(cover, cost, weights, budget)
    reachable = covered(cover, np.flatnonzero(cost <= budget * (1 + TOLERANCE)))
    bound = float(weights[reachable].sum())
    if _weight(cover, rows, weights) < bound:
        exact, bound = _solve_most(cover, cost, weights, budget, limit_s)
        rows = exact if _weight(cover, exact, weights) > _weight(cover, rows, weights) else rows
    rows = _prune(cover, cost, rows)
    value = _weight(cover, rows, weights)
    return Solution(rows=rows, value=value, bound=max(value, bound))


def full_cover(cover: csr_array, cost: Floats, limit_s: float) -> Solution:
    """Return the cheapest rows that cover every column that any row covers, the best known in time.

    Minimise Σ cost·x with cover'·x ≥ 1, up to a proven gap of `SMALL_GAP`. The bound is further below the
    value where the time limit came first.
    """
    coverable = covered(cover, np.arange(cover.shape[0]))
    if not coverable.any():
        return Solution(rows=np.array([], dtype=np.intp), value=0.0, bound=0.0)
    needed = csr_array(cover[:, np.flatnonzero(coverable)])
    rows = _prune(needed, cost, greedy(needed, cost, np.ones(needed.shape[1]), float(np.inf)))
    everything = scipy.optimize.LinearConstraint(needed.T, lb=1)
    scale = float(cost.max()) or 1.0
    result = _milp(cost / scale, [everything], np.ones(len(cost), dtype=int), limit_s, SMALL_GAP)
    if result.x is not None and (exact := _chosen(result.x)).size:
        exact = _prune(needed, cost, exact)
        rows = exact if cost[exact].sum() < cost[rows].sum() else rows
    value = float(cost[rows].sum())
    return Solution(rows=rows, value=value, bound=min(value, _bound(result, 0.0) * scale))


def _solve_most(
    cover: csr_array, cost: Floats, weights: Floats, budget: float, limit_s: float
) -> tuple[Indices, float]:
    """Return the exact solver's rows and its bound on the covered weight."""
    count, columns = cover.shape
    scale = float(weights.max()) or 1.0
    objective = np.concatenate([np.zeros(count), -weights / scale])
    watched = scipy.optimize.LinearConstraint(hstack([-cover.T, eye_array(columns)]), ub=0)
    price = np.concatenate([cost / max(budget, np.finfo(float).tiny), np.zeros(columns)])
    integral = np.concatenate([np.ones(count, dtype=int), np.zeros(columns, dtype=int)])
    # The solver may overdraw a constraint by 1e-6; a second try with less leaves the budget intact.
    result, rows = None, np.array([], dtype=np.intp)
    for ceiling in (1 + TOLERANCE, 1 - 2e-6):
        spend = scipy.optimize.LinearConstraint(price[np.newaxis, :], ub=ceiling)
        answer = _milp(objective, [watched, spend], integral, limit_s)
        result = answer if result is None else result
        rows = rows if answer.x is None else _chosen(answer.x[:count])
        if cost[rows].sum() <= budget * (1 + TOLERANCE):
            break
    total = float(weights.sum()) / scale
    return rows, -_bound(result, -total) * scale


def _milp(
    objective: Floats,
    constraints: "list[scipy.optimize.LinearConstraint]",
    integral: NDArray[np.int_],
    limit_s: float,
    gap: float = 0.0,
) -> "scipy.optimize.OptimizeResult":
    return scipy.optimize.milp(
        objective,
        integrality=integral,
        bounds=scipy.optimize.Bounds(0, 1),
        constraints=constraints,
        options={"time_limit": limit_s, "mip_rel_gap": gap},
    )


def _bound(result: "scipy.optimize.OptimizeResult | None", worst: float) -> float:
    """Return the solver's dual bound; `worst` where it ended before it had one."""
    bound = None if result is None else result.get("mip_dual_bound")
    return worst if bound is None or not np.isfinite(bound) else max(float(bound), worst)


def _prune(cover: csr_array, cost: Floats, rows: Indices) -> Indices:
    """Drop the dearest rows first whose columns the others cover as well."""
    counts = np.asarray(cover[rows].sum(axis=0)).ravel()
    kept = []
    for row in sorted(rows.tolist(), key=lambda row: -cost[row]):
        own = np.asarray(cover[[row]].todense()).ravel() > 0
        if (counts[own] > 1).all():
            counts[own] -= 1
        else:
            kept.append(row)
    return np.array(sorted(kept), dtype=np.intp)


def _best_single(gain: Floats, cost: Floats, budget: float) -> Indices:
    gain = np.where(cost <= budget * (1 + TOLERANCE), gain, 0.0)
    best = gain.argmax() if gain.size else 0
    return np.array([best] if gain.size and gain[best] > 0 else [], dtype=np.intp)


def _weight(cover: csr_array, rows: Indices, weights: Floats) -> float:
    return float(weights[covered(cover, rows)].sum())


def _chosen(x: Floats) -> Indices:
    return np.flatnonzero(x > 0.5)
