// Distances in the common fate graph: steps along the lines with each chain counted as one point (Graepel et al.).
#pragma once

#include "board.hpp"

namespace tengen {

// Distances of all points from one point, or from the chain there; at most Far, and Far everywhere from NO_POINT.
template <class Shape, std::uint8_t Far>
class FateDistances {
public:
    static constexpr std::uint8_t FAR = Far;

    FateDistances(const Board<Shape>& board, Point start) {
        distance_.fill(FAR);
        if (start == NO_POINT) return;
        std::array<Point, static_cast<std::size_t>(Shape::points)> queue;
        int size = 0;
        auto reach = [&](Point p, int distance) {
            if (board.colour(p) == OFF || distance_[p] <= distance) return;
            Point stone = p;
            do {
                distance_[stone] = static_cast<std::uint8_t>(distance);
                queue[static_cast<std::size_t>(size++)] = stone;
            } while (board.chain(p) != NO_POINT && (stone = board.next(stone)) != p);
        };
        reach(start, 0);
        for (int i = 0; i < size; ++i) {
            const Point p = queue[static_cast<std::size_t>(i)];
            if (distance_[p] + 1 < FAR)
                for (Point n : Shape::neighbours(p)) reach(n, distance_[p] + 1);
        }
    }

    std::uint8_t operator[](Point p) const { return distance_[p]; }

private:
    std::array<std::uint8_t, static_cast<std::size_t>(Shape::area)> distance_;
};

}  // namespace tengen
