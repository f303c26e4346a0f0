// Benson's unconditional life: chains that no sequence of enemy moves can capture, even if their owner always passes.
//
// Reading guide: alive() is the fixpoint of Benson (1976). A region is a maximal connected set of points that hold no
// stone of the colour; it is vital to a chain if every empty point of the region is a liberty of that chain. A chain
// remains while it has two vital regions, a region while all chains around it remain. The vital regions that remain at
// the end are the colour's safe territory: enemy stones in them are dead.
#pragma once

#include <algorithm>
#include <vector>

#include "board.hpp"

namespace tengen {

// For every padded point: whether it is part of an unconditionally alive chain, or of its safe territory.
struct SafeArea {
    std::vector<bool> alive, territory;
};

template <class Shape>
class Benson {
public:
    Benson(const Board<Shape>& board, Colour colour) : board_(board), colour_(colour) {
        find_regions();
        while (drop_weak_chains()) drop_open_regions();
    }

    SafeArea area() const {
        SafeArea result{std::vector<bool>(Shape::area), std::vector<bool>(Shape::area)};
        for (Point p = 0; p < Shape::area; ++p)
            if (board_.colour(p) == colour_) result.alive[p] = !dropped_[board_.chain(p)];
        for (const Enclosure& region : regions_)
            if (region.stays && !region.vital.empty())
                for (Point p : region.points) result.territory[p] = true;
        return result;
    }

private:
    struct Enclosure {
        std::vector<Point> points, border, vital;  // border and vital: heads of chains
        bool stays = true;
    };

    const Board<Shape>& board_;
    const Colour colour_;
    std::vector<Enclosure> regions_;
    std::vector<bool> dropped_ = std::vector<bool>(Shape::area);

    void find_regions() {
        std::vector<bool> seen(Shape::area);
        for (Point p = 0; p < Shape::area; ++p)
            if (board_.colour(p) != colour_ && board_.colour(p) != OFF && !seen[p]) regions_.push_back(flood(p, seen));
    }

    Enclosure flood(Point start, std::vector<bool>& seen) const {
        Enclosure region;
        region.points.push_back(start);
        seen[start] = true;
        for (std::size_t i = 0; i < region.points.size(); ++i)
            for (Point n : Shape::neighbours(region.points[i])) {
                if (board_.colour(n) == OFF) continue;
                if (board_.colour(n) == colour_) {
                    add(region.border, board_.chain(n));
                } else if (!seen[n]) {
                    seen[n] = true;
                    region.points.push_back(n);
                }
            }
        for (Point head : region.border)
            if (is_vital(region, head)) region.vital.push_back(head);
        return region;
    }

    static void add(std::vector<Point>& heads, Point head) {
        if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
    }

    bool is_vital(const Enclosure& region, Point head) const {
        return std::all_of(region.points.begin(), region.points.end(),
                           [&](Point p) { return board_.colour(p) != EMPTY || board_.is_liberty(head, p); });
    }

    bool drop_weak_chains() {
        std::vector<int> vital_regions(Shape::area);
        for (const Enclosure& region : regions_)
            if (region.stays)
                for (Point head : region.vital) ++vital_regions[head];
        bool changed = false;
        for (Point p = 0; p < Shape::area; ++p)
            if (board_.colour(p) == colour_ && board_.chain(p) == p && !dropped_[p] && vital_regions[p] < 2)
                dropped_[p] = changed = true;
        return changed;
    }

    void drop_open_regions() {
        for (Enclosure& region : regions_)
            region.stays = region.stays && std::none_of(region.border.begin(), region.border.end(),
                                                        [&](Point head) { return dropped_[head]; });
    }
};

}  // namespace tengen
