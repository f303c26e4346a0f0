"""The small network as an ONNX graph, made from its trained weights.

Start at `onnx_graph`. Weights are stored in half precision and cast when a session starts, so a file has half the size
and runs in single precision.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.extras import need

OPSET = 17
Weights = dict[str, npt.NDArray[np.float32]]


def onnx_graph(weights: Weights, numbers_scale: tuple[float, ...] = (1 / 20, 1, 1)) -> bytes:
    """Return the graph: `planes` and `numbers` in; `owner`, `moves` and `result` out (see tengen.nets.training)."""
    graph = _Graph(weights)
    scaled = graph.add("Mul", "numbers", graph.constant(np.array(numbers_scale, np.float32)))
    x = graph.add("Add", graph.convolution("planes", "stem"), graph.spread(graph.linear(scaled, "facts")))
    for i in range(sum(name.endswith(".first.weight") for name in weights)):
        x = graph.block(x, f"blocks.{i}")
    x = graph.add("Relu", x)
    pooled = graph.pool(x)
    graph.add("Squeeze", graph.convolution(x, "owner"), graph.constant(np.array([1])), to="owner")
    moves = graph.add("Add", graph.convolution(x, "move"), graph.spread(graph.linear(pooled, "move_whole")))
    moves = graph.convolution(graph.add("Relu", moves), "moves")
    whole = graph.add("Concat", pooled, scaled, axis=1)
    whole = graph.add("Relu", graph.linear(whole, "whole"))
    points = graph.add("Reshape", moves, graph.constant(np.array([0, 2, -1])))
    passing = graph.add("Unsqueeze", graph.linear(whole, "passing"), graph.constant(np.array([2])))
    graph.add("Concat", points, passing, axis=2, to="moves")
    graph.linear(whole, "result", to="result")
    return graph.written(planes=weights["stem.weight"].shape[1], numbers=len(numbers_scale))


class _Graph:
    def __init__(self, weights: Weights) -> None:
        self.onnx: Any = need("onnx")
        self.weights, self.nodes, self.initializers = weights, list[Any](), list[Any]()

    def add(self, kind: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        name = to or f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: npt.NDArray[Any]) -> str:
        name = f"c{len(self.initializers)}"
        self.initializers.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def weight(self, name: str, *, transposed: bool = False) -> str:
        values = self.weights[name].astype(np.float16)
        return self.single(self.constant(values.T if transposed else values))

    def single(self, value: str) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node("Cast", [value], [name], to=self.onnx.TensorProto.FLOAT))
        return name

    def convolution(self, x: str, name: str) -> str:
        side = self.weights[f"{name}.weight"].shape[2]
        pads = [side // 2] * 4
        return self.add("Conv", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), pads=pads)

    def linear(self, x: str, name: str, to: str = "") -> str:
        product = self.add("MatMul", x, self.weight(f"{name}.weight", transposed=True))
        return self.add("Add", product, self.weight(f"{name}.bias"), to=to)

    def spread(self, values: str) -> str:
        return self.add("Unsqueeze", values, self.constant(np.array([2, 3])))

    def pool(self, x: str) -> str:
        mean = self.add("ReduceMean", x, axes=[2, 3], keepdims=0)
        most = self.add("ReduceMax", x, axes=[2, 3], keepdims=0)
        shape = self.add("Slice", self.add("Shape", x), *(self.constant(np.array([i])) for i in (2, 4)))
        points = self.single(self.add("ReduceProd", shape, keepdims=0))
        side = self.add("Sub", self.add("Sqrt", points), self.constant(np.array(14, np.float32)))
        scaled = self.add("Mul", mean, self.add("Mul", side, self.constant(np.array(0.1, np.float32))))
        return self.add("Concat", mean, scaled, most, axis=1)

    def block(self, x: str, name: str) -> str:
        inner = self.convolution(self.add("Relu", x), f"{name}.first")
        if f"{name}.whole.weight" in self.weights:
            whole = self.linear(self.pool(self.add("Relu", inner)), f"{name}.whole")
            inner = self.add("Add", inner, self.spread(whole))
        return self.add("Add", x, self.convolution(self.add("Relu", inner), f"{name}.second"))

    def written(self, planes: int, numbers: int) -> bytes:
        helper, single = self.onnx.helper, self.onnx.TensorProto.FLOAT
        value = helper.make_tensor_value_info
        graph = helper.make_graph(
            self.nodes,
            "net",
            [value("planes", single, ["n", planes, "h", "w"]), value("numbers", single, ["n", numbers])],
            [
                value("owner", single, ["n", "h", "w"]),
                value("moves", single, ["n", 2, "p"]),
                value("result", single, ["n", 4]),
            ],
            self.initializers,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        written: bytes = model.SerializeToString()
        return written
