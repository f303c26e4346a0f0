"""The double loop of Yuille on tables of two by two states: the slow, obvious twin of the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SIGNS = np.array([1.0, -1.0])
ROUNDING = 1e-12


@dataclass(frozen=True)
class DoubleLooped:
    """The result, and the Bethe free energy at the start and after each outer step."""

    means: np.ndarray
    edge_means: np.ndarray
    energies: list[float]


def double_loop(nodes, edges, fields, couplings, tolerance=1e-6, sweeps=20000):
    """Minimise the Bethe free energy; every edge has a table with a share of the field of each of its ends."""
    shares = {(e, end): 0.0 for e in range(len(edges)) for end in (0, 1)}
    ends = [[(e, end) for e, pair in enumerate(edges) for end in (0, 1) if pair[end] == i] for i in range(nodes)]
    slack = np.array([max(len(mine) - 1, 0) for mine in ends])
    totals, done = np.array(fields, float), 0
    energies = [bethe_free_energy(np.tanh(totals), edges, fields, couplings)]

    def table(e):
        """The logarithms of the weights of the states of an edge."""
        first, second = shares[e, 0] * SIGNS[:, None], shares[e, 1] * SIGNS
        return couplings[e] * np.outer(SIGNS, SIGNS) + first + second

    def pull(e, end):
        """Half the log-odds of the marginal of an end, without its own share."""
        odds = np.logaddexp.reduce(table(e), axis=1 - end)
        return (odds[0] - odds[1]) / 2 - shares[e, end]

    while done < sweeps:
        anchors, before, round_sweeps, fallen = totals.copy(), energies[-1], 2, False
        while not fallen and done < sweeps:
            for _ in range(min(round_sweeps, sweeps - done)):
                done, change = done + 1, 0.0
                for i in range(nodes):
                    pulls = [pull(e, end) for e, end in ends[i]]
                    total = (slack[i] * anchors[i] + fields[i] + sum(pulls)) / (slack[i] + 1)
                    change = max(change, (slack[i] + 1) * abs(total - totals[i]))
                    totals[i] = total
                    for key, own in zip(ends[i], pulls, strict=True):
                        shares[key] = total - own
            energy = bethe_free_energy(np.tanh(totals), edges, fields, couplings)
            distance = sum(w * divergence(t, a) for w, t, a in zip(slack, totals, anchors, strict=True))
            fallen = energy <= before - distance / 2 + ROUNDING * (1 + abs(before))
            round_sweeps *= 2
        energies.append(energy)
        if max(change, *slack * abs(totals - anchors)) <= tolerance:
            break
    means = np.tanh(totals)
    beliefs = [best_table(means[i], means[j], coupling) for (i, j), coupling in zip(edges, couplings, strict=True)]
    edge_means = np.array([(belief * np.outer(SIGNS, SIGNS)).sum() for belief in beliefs])
    return DoubleLooped(means, edge_means, energies)


def bethe_free_energy(means, edges, fields, couplings):
    """Return the smallest Bethe free energy of beliefs with the given means of nodes (Welling & Teh 2001)."""
    energy = -float(np.dot(fields, means))
    degrees = np.bincount(np.reshape(edges, -1), minlength=len(means))
    for mean, degree in zip(means, degrees, strict=True):
        energy += (degree - 1) * entropy(np.array([1 + mean, 1 - mean]) / 2)
    for (i, j), coupling in zip(edges, couplings, strict=True):
        belief = best_table(means[i], means[j], coupling)
        energy -= entropy(belief) + coupling * (belief * np.outer(SIGNS, SIGNS)).sum()
    return energy


def best_table(first, second, coupling):
    """Return the beliefs of an edge with given means: those whose odds ratio is e^{4J}.

    Turned over so that J ≥ 0, the rarest state is the positive root w of (p − w)(q − w) = R w (d + w).
    """
    if coupling < 0:
        return best_table(first, -second, -coupling)[:, ::-1]
    if second > first:
        return best_table(second, first, coupling).T
    ratio, p, q = np.exp(4 * coupling), (1 + second) / 2, (1 - first) / 2
    apart = (first - second) / 2
    linear = ratio * apart + p + q
    rare = 2 * p * q / (linear + np.sqrt(linear**2 + 4 * (ratio - 1) * p * q))
    return np.array([[p - rare, apart + rare], [rare, q - rare]])


def divergence(total, anchor):
    """Return KL(b, b°) of a node with means tanh t and tanh t°."""
    logs = [-np.logaddexp(0, -2 * t * SIGNS) for t in (total, anchor)]
    return float((np.exp(logs[0]) * (logs[0] - logs[1])).sum())


def entropy(shares):
    """Return −Σ p ln p."""
    positive = shares[shares > 0]
    return -float((positive * np.log(positive)).sum())
