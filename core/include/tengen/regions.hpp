// Regions: maximal connected sets of points with equal values, numbered from 0 in reading order of their first points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tengen {

// Writes the region of every point of a grid of any size, row by row; returns the number of regions.
inline std::int32_t number_regions(const std::int8_t* values, std::size_t height, std::size_t width,
                                   std::int32_t* regions) {
    const std::size_t points = height * width;
    std::fill_n(regions, points, -1);
    std::vector<std::size_t> todo;
    std::int32_t count = 0;
    for (std::size_t start = 0; start < points; ++start) {
        if (regions[start] >= 0) continue;
        const auto take = [&](std::size_t point) {
            if (regions[point] >= 0 || values[point] != values[start]) return;
            regions[point] = count;
            todo.push_back(point);
        };
        take(start);
        while (!todo.empty()) {
            const std::size_t point = todo.back(), column = point % width;
            todo.pop_back();
            if (point >= width) take(point - width);
            if (column > 0) take(point - 1);
            if (column + 1 < width) take(point + 1);
            if (point + width < points) take(point + width);
        }
        ++count;
    }
    return count;
}

}  // namespace tengen
