// Evaluators as guides of the search.
//
// Each thread asks about the node it expands while the other threads continue.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "rows.hpp"

namespace tengen {

// A query for a node of the tree: its position as arrays, or the positions after each of its moves.
struct Question {
    std::vector<int> moves;  // of the node: row·width + column, width·height for the pass
    std::size_t rows;        // 1, or the number of moves
    std::function<void(const PositionRows&)> write;
    std::function<bool()> too_late;  // whether an answer is no longer needed; empty: never
};

// The answer of a guide. Values that are empty or NaN are not given. Winrates are Black's.
struct Guidance {
    std::vector<double> policy;  // the probability of every point, and of the pass
    std::vector<double> values;  // the winrate after a move on every point, and after the pass
    double winrate = std::numeric_limits<double>::quiet_NaN();  // of the position
    double lead = std::numeric_limits<double>::quiet_NaN();     // Black's in the position
};

constexpr std::size_t LEAST_SHARE = 8;  // minimum number of moves kept when `keep` is a share

struct Guide {
    std::function<std::optional<Guidance>(const Question&)> ask;  // empty answer: it was too late
    int depth = 0;             // it is asked about positions fewer moves than this from the root
    bool after_moves = false;  // whether it evaluates the positions after the moves
    double keep = 0;           // number of best moves to keep besides the pass, or their share if below 1; 0: all

    std::size_t kept(std::size_t moves) const {
        if (keep >= 1) return static_cast<std::size_t>(keep);
        return std::max(LEAST_SHARE, static_cast<std::size_t>(std::ceil(keep * static_cast<double>(moves) - 1e-9)));
    }
};

// The guide during one run. The first exception is stored until the end of the run.
class Advice {
public:
    std::function<bool()> too_late;  // for queries of this run, except the root's

    void start(const Guide& guide) { guide_ = &guide, failed_ = false; }
    void end() { guide_ = nullptr, failure_ = nullptr, failed_ = false, too_late = nullptr; }

    void rethrow() {
        if (failed_) std::rethrow_exception(failure_);
    }

    bool failed() const { return failed_; }
    bool covers(std::size_t depth) const { return guide_ && depth < static_cast<std::size_t>(guide_->depth); }
    const Guide& guide() const { return *guide_; }

    std::optional<Guidance> ask(const Question& question) {
        if (failed_) return {};
        try {
            return guide_->ask(question);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            failed_ = true;
            return {};
        }
    }

private:
    const Guide* guide_ = nullptr;
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;
    std::mutex mutex_;
};

}  // namespace tengen
