"""Planar graphs the long way: perfect matchings of the expanded dual (Schraudolph & Kamenetsky 2008), and drawn faces.

The twins of `kac_ward` and `board_faces` in tengen.benchmarks.planar.
"""

from itertools import pairwise

import networkx
import numpy as np

from tengen.benchmarks.planar import Faces, PlanarGraph, ZeroField


def faces_of(graph):
    """Return the faces on both sides of each edge, as the graph is drawn."""
    face_of = {dart: number for number, face in enumerate(_face_darts(graph.embedding)) for dart in face}
    sides = [(face_of[u, v], face_of[v, u]) for u, v in graph.edges.tolist()]
    return Faces(graph.nodes, graph.edges, np.arange(len(sides)), np.array(sides, np.int64).reshape(-1, 2))


def pfaffian(graph, couplings):
    """Return ln Z and E[s_i s_j] by Kasteleyn's matrix of the expanded dual.

    Every edge is two darts, every triangle joins three. Edges without a coupling make the graph a triangulation; it is
    oriented so that every node has an odd number of incoming edges. With E = 2J, ln Z of the
    cuts is ½ ln det K − Σ E, and P(cut) = 1 − K_ab (K⁻¹)_ba.
    """
    costs = 2 * np.asarray(couplings, float)
    padded = max(graph.nodes, 4)
    full = _triangulated(padded, graph)
    cost_of = {frozenset(pair): float(cost) for pair, cost in zip(graph.edges.tolist(), costs, strict=True)}
    number = {dart: i for i, dart in enumerate(full.edges)}
    matrix = np.zeros((len(number), len(number)))
    for tail, head in _odd_orientation(full):
        a, b = number[tail, head], number[head, tail]
        matrix[a, b] = np.exp(cost_of.get(frozenset((tail, head)), 0.0))
        matrix[b, a] = -matrix[a, b]
    for face in _face_darts(full):
        for dart, following in pairwise([*face, face[0]]):
            matrix[number[dart], number[following]], matrix[number[following], number[dart]] = 1, -1
    _, log_det = np.linalg.slogdet(matrix)
    log_z = log_det / 2 - costs.sum() / 2 + (1 + graph.nodes - padded) * np.log(2)
    along = [number[u, v] for u, v in graph.edges.tolist()]
    back = [number[v, u] for u, v in graph.edges.tolist()]
    uncut = matrix[along, back] * np.linalg.inv(matrix)[back, along]
    return ZeroField(float(log_z), 2 * uncut - 1)


def _triangulated(nodes, graph):
    embedding = PlanarGraph(nodes, graph.edges).embedding
    return networkx.algorithms.planar_drawing.triangulate_embedding(embedding, fully_triangulate=True)[0]


def _face_darts(embedding):
    """Return the darts round each face."""
    seen = set()
    faces = []
    for dart in embedding.edges:
        if dart not in seen:
            border = embedding.traverse_face(*dart, seen)
            faces.append(list(pairwise([*border, border[0]])))
    return faces


def _odd_orientation(embedding):
    """Return every edge once as (tail, head), with an odd number of heads at each node: a tree is turned last."""
    order = []
    parent = {0: 0}
    todo = [0]
    while todo:
        node = todo.pop()
        order.append(node)
        for near in embedding.neighbors(node):
            if near not in parent:
                parent[near] = node
                todo.append(near)
    arcs = [(u, v) for u, v in embedding.edges if u < v and parent[u] != v and parent[v] != u]
    incoming = np.bincount([v for _, v in arcs], minlength=len(embedding))
    for node in reversed(order[1:]):
        arc = (node, parent[node]) if incoming[node] % 2 else (parent[node], node)
        arcs.append(arc)
        incoming[arc[1]] += 1
    return arcs
