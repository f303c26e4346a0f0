// Conversion of arrays: results as numpy arrays that own their memory, arguments checked for their exact type.
#pragma once

#include <nanobind/ndarray.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings.hpp"

template <class T>
using Array = nb::ndarray<nb::numpy, T>;

// An uninitialised numpy array; `data` is where to write.
template <class T, std::size_t Rank>
Array<T> new_array(const std::size_t (&shape)[Rank], T*& data) {
    std::size_t size = 1;
    for (std::size_t side : shape) size *= side;
    auto owned = std::make_unique_for_overwrite<T[]>(size);
    data = owned.get();
    nb::capsule owner(data, [](void* memory) noexcept { delete[] static_cast<T*>(memory); });
    owned.release();
    return Array<T>(data, Rank, shape, owner);
}

// An array that takes the memory of a vector, without a copy.
template <class T, std::size_t Rank>
Array<T> array_of(std::vector<T>& values, const std::size_t (&shape)[Rank]) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    nb::capsule owner(owned.get(), [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
    owned.release();
    return Array<T>(data, Rank, shape, owner);
}

// An argument: T is const unless the array is written to.
template <class T, int Rank>
using Given = nb::ndarray<T, nb::ndim<Rank>, nb::c_contig, nb::device::cpu>;

template <class T>
constexpr const char* type_name() {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, std::int8_t>) return "int8";
    else if constexpr (std::is_same_v<Plain, std::int16_t>) return "int16";
    else if constexpr (std::is_same_v<Plain, std::uint16_t>) return "uint16";
    else if constexpr (std::is_same_v<Plain, std::int32_t>) return "int32";
    else if constexpr (std::is_same_v<Plain, std::uint32_t>) return "uint32";
    else if constexpr (std::is_same_v<Plain, std::int64_t>) return "int64";
    else if constexpr (std::is_same_v<Plain, std::uint64_t>) return "uint64";
    else if constexpr (std::is_same_v<Plain, float>) return "float32";
    else {
        static_assert(std::is_same_v<Plain, double>);
        return "float64";
    }
}

// A short description of an argument, for error messages.
inline std::string described(nb::handle given) {
    const auto text_of = [](nb::handle thing) { return std::string(nb::str(thing).c_str()); };
    if (!nb::hasattr(given, "dtype") || !nb::hasattr(given, "shape")) return nb::type_name(given.type()).c_str();
    const nb::object dtype = given.attr("dtype"), shape = given.attr("shape");
    std::string text = text_of(dtype) + " of shape " + text_of(shape);
    if (!nb::hasattr(given, "flags")) return text;
    const nb::object flags = given.attr("flags");
    if (!nb::cast<bool>(flags.attr("c_contiguous"))) text += ", not contiguous";
    if (!nb::cast<bool>(flags.attr("writeable"))) text += ", read-only";
    return text;
}

// An array of exactly this type, because conversions could silently change values (256 to 0, or NaN to any number). An
// array with another layout is copied, unless it is an output, as results written to a copy would be lost.
template <class T, int Rank>
Given<T, Rank> given_array(nb::handle given, const char* name) {
    Given<T, Rank> array;
    if (nb::try_cast(given, array, false)) return array;
    if constexpr (std::is_const_v<T>) {
        nb::ndarray<T, nb::ndim<Rank>, nb::device::cpu> strided;
        if (nb::try_cast(given, strided, false) && nb::try_cast(given, array, true)) return array;
    }
    const std::string needed = std::string(name) + ": " + (std::is_const_v<T> ? "an" : "a contiguous, writable") +
                               " array of " + type_name<T>() + " with " + std::to_string(Rank) +
                               (Rank == 1 ? " dimension" : " dimensions") + " is needed, not " + described(given);
    throw nb::type_error(needed.c_str());
}

// The numbers of an array of this shape; floating-point numbers must be finite and at most 1e9.
template <class T, int Rank>
std::vector<T> copied(nb::handle given, const char* name, std::initializer_list<std::size_t> shape) {
    const auto array = given_array<const T, Rank>(given, name);
    std::size_t axis = 0;
    for (const std::size_t side : shape)
        if (array.shape(axis++) != side) throw nb::value_error((std::string(name) + " has another shape").c_str());
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t i = 0; i < array.size(); ++i)
            if (!(std::abs(array.data()[i]) <= 1e9))
                throw nb::value_error((std::string(name) + ": a number is not finite, or above 1e9").c_str());
    return {array.data(), array.data() + array.size()};
}

// Boards: 1 (Black), −1 (White) and 0.
template <int Rank>
Given<const std::int8_t, Rank> given_stones(nb::handle given) {
    const auto stones = given_array<const std::int8_t, Rank>(given, "stones");
    for (std::size_t i = 0; i < stones.size(); ++i)
        if (stones.data()[i] < -1 || stones.data()[i] > 1) throw nb::value_error("stones are 1, -1 or 0");
    return stones;
}

// Numbers must be finite.
inline double given_number(double value, const char* name) {
    if (!std::isfinite(value)) throw nb::value_error((std::string(name) + " must be a finite number").c_str());
    return value;
}
