// What an evaluator says of positions of the tree: a plug-in of the search.
//
// Each thread asks about the node it expands, while the others search on or ask about theirs.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "rows.hpp"

namespace tengen {

// A node of the tree as arrays: its position, or the positions after each of its moves.
struct Question {
    std::vector<int> moves;  // of the node: row·width + column, width·height for the pass
    std::size_t rows;        // 1, or one for each move, in their order
    std::function<void(const PositionRows&)> write;
    std::function<bool()> too_late;  // whether an answer is no longer wanted; empty: it always is
};

// What is empty, or not a number, is left open. Winrates are Black's.
struct Guidance {
    std::vector<double> policy;  // the probability of every point, and of the pass
    std::vector<double> values;  // the winrate after a move on every point, and after the pass
    double winrate = std::numeric_limits<double>::quiet_NaN();  // of the position
};

struct Guide {
    std::function<std::optional<Guidance>(const Question&)> ask;  // no answer: it was too late
    int depth = 0;             // it is asked about positions fewer moves than this from the root
    bool after_moves = false;  // whether it is asked about the positions after the moves
    std::size_t keep = 0;      // the best moves that are kept, and the pass; 0: all
};

// The guide of one run. The first exception is kept until the end of the run.
class Advice {
public:
    std::function<bool()> too_late;  // of questions of this run, except for the root

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
