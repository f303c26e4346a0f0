// Features of small windows of the board: exact templates, or the outputs of filters.
//
// Reading guide: PatchFeatures lists all windows of m×m points, for one or several m, and says which of them see a
// point. The patch in a window is coded as the sum of digit · 3^k over its points, row by row from the top left, where
// the digit is 0 for an empty point, 1 for an own and 2 for another stone; "own" is the colour whose view is taken.
// PatchCodes holds the codes of a position in both views and changes only those that see a changed point.
//
// Without a table every patch is a feature of its own (templates). A table h[patch, k] gives the features of a window
// instead, for example the hidden units of a convolutional restricted Boltzmann machine, which see one window each.
// Every window has its own features, or all windows of one size share theirs, which are then summed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "board.hpp"

namespace tengen {

// The product of a row of weights and a row of a table, in four independent sums.
inline double dot(const double* weights, const float* values, std::size_t count) {
    std::array<double, 4> sums{};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += weights[i + k] * static_cast<double>(values[i + k]);
    for (; i < count; ++i) sums[0] += weights[i] * static_cast<double>(values[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

class PatchFeatures {
public:
    static constexpr int MAX_WINDOW = 3;
    using Code = std::uint16_t;

    static constexpr std::size_t patch_count(int window) {
        std::size_t patches = 1;
        for (int i = 0; i < window * window; ++i) patches *= 3;
        return patches;
    }

    // A window that sees a point, and 3^k for the place k of the point in it.
    struct Sight {
        std::uint32_t window;
        Code power;
    };

    // The table is [patches, columns] and needs a single window size; no columns: templates.
    PatchFeatures(int width, int height, const std::vector<int>& sizes, bool shared, std::vector<float> table,
                  std::size_t columns)
        : width_(width), height_(height), table_(std::move(table)), columns_(columns) {
        std::vector<std::vector<Sight>> by_point(static_cast<std::size_t>(width * height));
        for (const int m : sizes) {
            const std::size_t here = columns == 0 ? patch_count(m) : columns;
            for (int r = 0; r + m <= height; ++r)
                for (int c = 0; c + m <= width; ++c) {
                    Code power = 1;
                    for (int k = 0; k < m * m; ++k, power = static_cast<Code>(3 * power))
                        by_point[static_cast<std::size_t>((r + k / m) * width + c + k % m)].push_back(
                            {static_cast<std::uint32_t>(first_.size()), power});
                    first_.push_back(size_);
                    if (!shared) size_ += here;
                }
            if (shared) size_ += here;
        }
        for (const std::vector<Sight>& each : by_point) {
            starts_.push_back(sights_.size());
            sights_.insert(sights_.end(), each.begin(), each.end());
        }
        starts_.push_back(sights_.size());
    }

    int width() const { return width_; }
    int height() const { return height_; }
    std::size_t windows() const { return first_.size(); }
    std::size_t size() const { return size_; }  // the number of features

    // The windows that see a point, row · width + column.
    std::span<const Sight> sights(std::size_t point) const {
        return {sights_.data() + starts_[point], starts_[point + 1] - starts_[point]};
    }

    // The part of a weighted sum of features that a window with a patch contributes.
    double score(const std::vector<double>& weights, std::size_t window, std::size_t code) const {
        const double* own = weights.data() + first_[window];
        return columns_ == 0 ? own[code] : dot(own, table_.data() + code * columns_, columns_);
    }

    // Calls visit(feature, value) for the features of a window with a patch.
    template <class Visit>
    void each_feature(std::size_t window, std::size_t code, Visit visit) const {
        if (columns_ == 0) return visit(first_[window] + code, 1.0f);
        const float* row = table_.data() + code * columns_;
        for (std::size_t k = 0; k < columns_; ++k) visit(first_[window] + k, row[k]);
    }

private:
    int width_, height_;
    std::vector<float> table_;
    std::size_t columns_, size_ = 0;
    std::vector<std::size_t> first_;   // the first feature of each window
    std::vector<std::size_t> starts_;  // where the sights of each point begin
    std::vector<Sight> sights_;
};

// The stones that a move at the empty point p would capture.
template <class Shape, class Visit>
void each_captured(const Board<Shape>& board, Point p, Colour mover, Visit visit) {
    std::array<Point, 4> seen{};
    for (std::size_t i = 0; i < 4; ++i) {
        const Point n = Shape::neighbours(p)[i], head = board.chain(n);
        if (board.colour(n) != opponent(mover) || board.liberty_count(head) != 1) continue;
        if (seen[0] == head || seen[1] == head || seen[2] == head) continue;
        seen[i] = head;
        Point stone = head;
        do visit(stone);
        while ((stone = board.next(stone)) != head);
    }
}

// The patches of a position in both views.
class PatchCodes {
public:
    using Code = PatchFeatures::Code;
    using Codes = std::vector<Code>;

    explicit PatchCodes(const PatchFeatures& features) : features_(&features) { clear(); }

    void clear() {
        for (Codes& codes : codes_) codes.assign(features_->windows(), 0);
    }

    // The codes in the view of a colour.
    const Codes& view(Colour own) const { return codes_[own == WHITE]; }

    static int digit(Colour stone, Colour own) { return stone == EMPTY ? 0 : stone == own ? 1 : 2; }

    // The point, row · width + column, changes its stone.
    void change(std::size_t point, Colour before, Colour after) {
        const int black = digit(after, BLACK) - digit(before, BLACK),
                  white = digit(after, WHITE) - digit(before, WHITE);
        for (const auto [window, power] : features_->sights(point)) {
            codes_[0][window] = static_cast<Code>(codes_[0][window] + black * power);
            codes_[1][window] = static_cast<Code>(codes_[1][window] + white * power);
        }
    }

    template <class Shape>
    std::size_t index(Point p) const {
        return static_cast<std::size_t>(Shape::row(p) * features_->width() + Shape::column(p));
    }

    template <class Shape>
    void read(const Board<Shape>& board) {
        clear();
        for (int r = 0; r < board.height(); ++r)
            for (int c = 0; c < board.width(); ++c)
                if (const Point p = Shape::point(r, c); board.colour(p) != EMPTY)
                    change(index<Shape>(p), EMPTY, board.colour(p));
    }

    // Follows a move that has not been played on the board yet and is no suicide.
    template <class Shape>
    void play(const Board<Shape>& board, Point p, Colour mover) {
        each_captured(board, p, mover, [&](Point stone) { change(index<Shape>(stone), opponent(mover), EMPTY); });
        change(index<Shape>(p), EMPTY, mover);
    }

private:
    const PatchFeatures* features_;
    std::array<Codes, 2> codes_;  // Black's and White's view
};

}  // namespace tengen
