"""Twin of core/include/tengen/crbm.hpp: sums over locations, cells and colours as the formulas have them."""

from __future__ import annotations

import numpy as np

MASK = 2**64 - 1


def scatter(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def random_numbers(seed, stream):
    """The generator of core/include/tengen/random.hpp."""
    state = (scatter((seed + 0x632BE59BD9B4E019) & MASK) + scatter(~stream & MASK)) & MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        yield scatter(state)


class NaiveCrbm:
    """A machine with weights [row, filter]; `turned` [orientation, row] as in the core."""

    def __init__(self, side, filters, turned, real, parameters):
        self.side, self.filters, self.turned, self.real = side, filters, np.asarray(turned, int), real
        self.set(parameters)

    def set(self, parameters):
        self.parameters = np.array(parameters, float)
        rows = self.turned.shape[1]
        self.weights = self.parameters[: rows * self.filters].reshape(rows, self.filters)
        self.biases = self.parameters[rows * self.filters : -3]
        self.colours = self.parameters[-3:]

    def visible(self, stones, planes):
        """What the board shows [channel, row, column]: 1 or 0."""
        shown = np.zeros((self.turned.shape[1] // self.side**2, *stones.shape))
        for (r, c), stone in np.ndenumerate(stones):
            shown[{0: 0, 1: 1, -1: 2}[int(stone)], r, c] = 1
            for plane in planes:
                if plane[r, c] >= 0:
                    shown[plane[r, c], r, c] = 1
        return shown

    def locations(self, shown):
        m = self.side
        for r in range(shown.shape[1] - m + 1):
            for c in range(shown.shape[2] - m + 1):
                yield r, c, shown[:, r : r + m, c : c + m].ravel()

    def inputs(self, window):
        """a [orientation, filter]."""
        return np.array([self.biases + window @ self.weights[turned] for turned in self.turned])

    def hidden(self, shown):
        """P(h | v) [location, orientation, filter]."""
        found = []
        for _, _, window in self.locations(shown):
            a = np.exp(self.inputs(window))
            found.append(a / (1 + a.sum(0)))
        return np.array(found)

    def free_energy(self, shown):
        energy = -(self.colours[:, None, None] * shown[:3]).sum()
        for _, _, window in self.locations(shown):
            energy -= np.log1p(np.exp(self.inputs(window)).sum(0)).sum()
        return energy + (0.5 * shown[0].size if self.real else 0)

    def down(self, hidden, shown, numbers):
        """A sample of the hidden units, then P(v | h) or real values [colour, row, column]."""
        m = self.side
        given = np.repeat(self.colours, shown[0].size).reshape(3, *shown.shape[1:])
        for (r, c, _), p in zip(self.locations(shown), hidden, strict=True):
            for k in range(self.filters):
                if k % 2 == 0:
                    bits = next(numbers)
                chance = (bits >> 40 if k % 2 == 0 else (bits & 0xFFFFFFFF) >> 8) / 2**24
                on = [o for o in range(len(p)) if chance < p[: o + 1, k].sum()]
                if on:
                    given[:, r : r + m, c : c + m] += self.weights[self.turned[on[0]], k].reshape(-1, m, m)[:3]
        if self.real:
            return given
        given = np.exp(given)
        return given / given.sum(0)

    def draw_colours(self, chances, numbers):
        shown = np.zeros_like(chances)
        for r, c in np.ndindex(chances.shape[1:]):
            chance = (next(numbers) >> 40) / 2**24
            colour = 0 if chance < chances[0, r, c] else 1 if chance < chances[:2, r, c].sum() else 2
            shown[colour, r, c] = 1
        return shown

    def step(self, boards, planes, velocities, *, rate, momentum, decay, sparsity, target, seed, first, chains=None):
        """One batch of contrastive divergence; returns cost, share of correct colours and activity."""
        slopes, by_biases, by_colours = np.zeros_like(self.weights), np.zeros(self.filters), np.zeros(3)
        on, cost, correct = np.zeros(self.filters), [], []
        for i, stones in enumerate(boards):
            numbers = random_numbers(seed, first + i)
            shown = self.visible(stones, planes[i])
            before = self.hidden(shown)
            chances = self.down(before, shown, numbers)
            cost.append(self.cost(chances, shown[:3]))
            correct.append(
                (np.take_along_axis(chances, shown[:3].argmax(0)[None], 0)[0] >= chances.max(0) - 1e-7).mean()
            )
            if chains is not None:
                chain = self.visible(chains[i], [])
                chances = self.down(self.hidden(chain), chain, numbers)
            other = chances if self.real else self.draw_colours(chances, numbers)
            if chains is not None:
                chains[i] = np.array([0, 1, -1])[other.argmax(0)]
            other = np.concatenate([other, shown[3:]])
            after = self.hidden(other)
            for sign, seen, p in ((1, shown, before), (-1, other, after)):
                for (_, _, window), each in zip(self.locations(seen), p, strict=True):
                    for o, turned in enumerate(self.turned):
                        np.add.at(slopes, turned, sign * np.outer(window, each[o]))
                    by_biases += sign * each.sum(0)
                for turned in self.turned:
                    colours = turned[np.arange(3) * self.side**2] // self.side**2
                    np.add.at(by_colours, colours, sign * seen[:3].sum((1, 2)) / len(self.turned))
            on += before.sum((0, 1))
        count = len(boards) * len(before)
        gradient = np.concatenate([
            (slopes / count - decay * self.weights).ravel(),
            by_biases / count,
            by_colours / (len(boards) * boards[0].size),
        ])  # fmt: skip
        velocities *= momentum
        velocities += rate * gradient
        velocities[-3 - self.filters : -3] += sparsity * (target - on / count)
        self.set(self.parameters + velocities)
        return float(np.mean(cost)), float(np.mean(correct)), float(on.mean() / count)

    def cost(self, chances, shown):
        if self.real:
            return ((chances - shown) ** 2).sum(0).mean()
        return -np.log((chances * shown).sum(0)).mean()
