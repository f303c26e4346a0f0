"""The convolutions of a network in whole numbers of 8 bits, which processors add up several times as fast.

Start at `quantised`. Of the convolutions in the residual blocks, the inputs, which are never negative, and the outputs
become numbers from 0 to 255, and the weights of each output channel numbers from −63 to 63: products of pairs then fit
into 16 bits, in which processors without VNNI add them. The range of a layer is that of its values on sample
positions: clipping large ones gave worse leads. Everything else stays in single precision.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from tengen.extras import need
from tengen.nets.inputs import Floats

LEVELS = 255
WEIGHT_LEVELS = 63


def quantised(graph: bytes, samples: Iterable[tuple[Floats, Floats]]) -> bytes:
    """Return a graph with quantised blocks; `samples` are batches of planes and numbers, each of one board size."""
    onnx = need("onnx")
    model = onnx.load_from_string(graph)
    layers = _block_convolutions(model.graph)
    ranges = _ranges(model, [layer.input[0] for layer in layers] + [layer.output[0] for layer in layers], samples)
    made = _Quantiser(onnx, model.graph)
    for layer in layers:
        made.replace(layer, _factor(*ranges[layer.input[0]])[0], *_factor(*ranges[layer.output[0]]))
    made.remove_unused()
    written: bytes = model.SerializeToString()
    return written


def _block_convolutions(graph: Any) -> list[Any]:
    """Return the convolutions of 3×3 points whose inputs are not negative."""
    positive = {node.output[0] for node in graph.node if node.op_type == "Relu"}
    sides = {each.name: each.dims[2] if len(each.dims) == 4 else 0 for each in graph.initializer}
    sides |= {node.output[0]: sides.get(node.input[0], 0) for node in graph.node if node.op_type == "Cast"}
    convolutions = [node for node in graph.node if node.op_type == "Conv"]
    return [node for node in convolutions if node.input[0] in positive and sides[node.input[1]] == 3]


def _ranges(model: Any, names: list[str], samples: Iterable[tuple[Floats, Floats]]) -> dict[str, tuple[float, float]]:
    """Return the smallest and the largest value of inner results of a graph, 0 included."""
    onnx, runtime = need("onnx"), need("onnxruntime")
    names = list(dict.fromkeys(names))
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    single = onnx.TensorProto.FLOAT
    shown.graph.output.extend(onnx.helper.make_tensor_value_info(name, single, None) for name in names)
    session = runtime.InferenceSession(shown.SerializeToString(), providers=["CPUExecutionProvider"])
    found = dict.fromkeys(names, (0.0, 0.0))
    for planes, numbers in samples:
        for name, values in zip(names, session.run(names, {"planes": planes, "numbers": numbers}), strict=True):
            low, high = found[name]
            found[name] = min(low, float(values.min())), max(high, float(values.max()))
    return found


def _factor(low: float, high: float) -> tuple[np.float32, int]:
    """Return the factor of whole numbers from 0 to `LEVELS` for a range, and the number that stands for 0."""
    factor = np.float32(max(high - low, 1e-6) / LEVELS)
    return factor, round(-low / float(factor))


class _Quantiser:
    def __init__(self, onnx: Any, graph: Any) -> None:
        self.onnx, self.graph = onnx, graph
        self.constants = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
        self.constants |= {
            node.output[0]: self.constants[node.input[0]].astype(np.float32)
            for node in graph.node
            if node.op_type == "Cast" and node.input[0] in self.constants
        }

    def replace(self, layer: Any, factor: np.float32, factor_out: np.float32, zero_out: int) -> None:
        """Replace a convolution by one of whole numbers, in the form that onnxruntime recognises."""
        weights, bias = self.constants[layer.input[1]], self.constants[layer.input[2]]
        factors = (np.abs(weights).max((1, 2, 3)) / WEIGHT_LEVELS + 1e-9).astype(np.float32)
        whole = np.round(weights / factors[:, None, None, None]).astype(np.int8)
        name = layer.output[0]
        given = self._rounded(layer.input[0], f"{name}.in", factor, 0)
        kernel = self._constant(f"{name}.weight", whole, factors)
        offset = self._constant(f"{name}.bias", np.round(bias / (factors * factor)).astype(np.int32), factors * factor)
        nodes, place = self.graph.node, list(self.graph.node).index(layer)
        inner = self.onnx.helper.make_node(
            "Conv", [given[-1].output[0], kernel[0].output[0], offset[0].output[0]], [f"{name}.sum"]
        )
        inner.attribute.extend(layer.attribute)
        taken = self._rounded(f"{name}.sum", name, factor_out, zero_out)
        del nodes[place]
        for each in reversed([*given, *kernel, *offset, inner, *taken]):
            nodes.insert(place, each)

    def _rounded(self, value: str, name: str, factor: np.float32, zero: int) -> list[Any]:
        """Return nodes that make a value a whole number and give back what that stands for, by the name given."""
        terms = [self._add(f"{name}.factor", np.array(factor)), self._add(f"{name}.zero", np.array(zero, np.uint8))]
        make = self.onnx.helper.make_node
        whole = f"{name}.whole"
        return [make("QuantizeLinear", [value, *terms], [whole]), make("DequantizeLinear", [whole, *terms], [name])]

    def _constant(self, name: str, whole: npt.NDArray[Any], factors: Floats) -> list[Any]:
        terms = [self._add(f"{name}.whole", whole), self._add(f"{name}.factors", factors)]
        terms.append(self._add(f"{name}.zeros", np.zeros(len(factors), whole.dtype)))
        return [self.onnx.helper.make_node("DequantizeLinear", terms, [name], axis=0)]

    def _add(self, name: str, values: npt.NDArray[Any]) -> str:
        self.graph.initializer.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def remove_unused(self) -> None:
        """Remove the constants of the convolutions that were replaced."""
        nodes, constants = self.graph.node, self.graph.initializer
        read = {name for node in nodes for name in node.input} | {each.name for each in self.graph.output}
        for node in [each for each in nodes if not read & {*each.output}]:
            nodes.remove(node)
        read = {name for node in nodes for name in node.input}
        for each in [each for each in constants if each.name not in read]:
            constants.remove(each)
