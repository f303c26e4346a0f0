// Plain C arrays as numpy arrays that own their memory.
#pragma once

#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>

#include "bindings.hpp"

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// An uninitialised numpy array; `data` is where to write.
template <class T, std::size_t Rank>
Array<T> new_array(const std::size_t (&shape)[Rank], T*& data) {
    std::size_t size = 1;
    for (std::size_t side : shape) size *= side;
    auto owned = std::make_unique<T[]>(size);
    data = owned.get();
    nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
    owned.release();
    return Array<T>(data, Rank, shape, owner);
}
