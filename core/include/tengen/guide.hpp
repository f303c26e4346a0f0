// What somebody else thinks of a position: a plug-in of the search.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

namespace tengen {

// Whatever is empty, or not a number, is left open. A move is row·width + column; the last one is a pass.
struct Guidance {
    std::vector<double> probabilities;  // of the moves: priors
    std::vector<bool> keep;             // the moves that are worth a look: all others are pruned
    double chances = std::numeric_limits<double>::quiet_NaN();  // Black's
};

// Is told the moves that lead from the root to the position.
using Guide = std::function<Guidance(const std::vector<int>& line)>;

// The guide of one run. Threads take turns; what it throws is kept until the end of the run.
class Advice {
public:
    void start(const Guide& guide, int depth) {
        guide_ = guide ? &guide : nullptr, depth_ = static_cast<std::size_t>(depth), failed_ = false;
    }

    void end() { guide_ = nullptr, failure_ = nullptr, failed_ = false; }

    void rethrow() {
        if (failed_) std::rethrow_exception(failure_);
    }

    bool failed() const { return failed_; }
    bool covers(std::size_t depth) const { return guide_ && depth < depth_; }

    std::optional<Guidance> ask(const std::vector<int>& line) {
        const std::lock_guard lock(mutex_);
        if (failed_) return {};
        try {
            return (*guide_)(line);
        } catch (...) {
            failure_ = std::current_exception(), failed_ = true;
            return {};
        }
    }

private:
    const Guide* guide_ = nullptr;
    std::size_t depth_ = 0;
    std::atomic<bool> failed_{false};
    std::exception_ptr failure_;
    std::mutex mutex_;
};

}  // namespace tengen
