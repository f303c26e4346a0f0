from typing import Literal

import numpy as np
from numpy.typing import NDArray

def plain_playouts(side: int, n: int, seed: int) -> tuple[int, int]: ...
def count_legal_positions(side: int) -> int: ...
def local_patterns() -> tuple[list[str], NDArray[np.bool_]]: ...
def eliminate(
    nodes: int,
    edges: NDArray[np.int32],
    fields: NDArray[np.float64],
    couplings: NDArray[np.float64],
    arithmetic: Literal["single", "double", "log"],
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
