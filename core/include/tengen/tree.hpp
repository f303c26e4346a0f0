// The tree of a search: nodes in one block of memory, children of a node side by side.
//
// Reading guide: a Node is a move with its playout statistics. Arena allocates runs of nodes; when it is full the
// search continues without growing the tree. Arena::keep() moves a subtree into fresh memory when a move is played.
//
// Several threads share a tree without locks. Visits and values are exact; RAVE counts may lose an update when two
// threads meet.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "shape.hpp"

namespace tengen {

// A prior, as virtual visits and wins among them.
struct Prior {
    float visits = 0, wins = 0;

    void good(float weight) { visits += weight, wins += weight; }
    void bad(float weight) { visits += weight; }
    void add(const Prior& more) { visits += more.visits, wins += more.wins; }
};

struct Node {
    Node(Point move_played, Prior prior) : prior_visits(prior.visits), prior_wins(prior.wins), move(move_played) {}

    // Copies the counts of another node, with another prior and without its children.
    Node(const Node& other, Prior prior) : Node(other.move, prior) {
        wins = other.wins.load(), gains = other.gains.load(), lead = other.lead.load();
        visits = other.visits.load(), rave_visits = other.rave_visits.load(), rave_wins = other.rave_wins.load();
        guided = other.guided;
    }

    std::atomic<double> wins{0};                // of the player who made the move
    std::atomic<double> gains{0};               // wins against the dynamic komi, used for selection
    std::atomic<double> lead{0};                // Black's leads, summed
    std::atomic<std::int64_t> visits{0};        // counted on the way down, so that threads avoid each other
    std::atomic<std::uint32_t> rave_visits{0};  // at most 2^20, see add_rave()
    std::atomic<float> rave_wins{0};
    std::atomic<float> prior_visits, prior_wins;
    std::atomic<std::uint32_t> children{0};  // index of the first child; Arena::NONE or BUSY while there are none
    Point move;                              // NO_POINT is a pass
    std::uint16_t child_count : 15 = 0;
    std::uint16_t guided : 1 = 0;  // a guide has evaluated the position after the move

    Prior prior() const {
        return {prior_visits.load(std::memory_order_relaxed), prior_wins.load(std::memory_order_relaxed)};
    }

    void set_child_count(std::size_t count) {
        child_count = count & 0x7fff;
    }  // a board has at most 625 points and a pass

    // Takes the children of another node.
    void adopt(const Node& other) { children = other.children.load(), child_count = other.child_count; }

    void believe(Prior more) {
        prior_visits.store(prior_visits.load() + more.visits);
        prior_wins.store(prior_wins.load() + more.wins);
    }

    void add_rave(double win) {
        constexpr auto relaxed = std::memory_order_relaxed;
        constexpr std::uint32_t plenty = 1 << 20;
        const std::uint32_t before = rave_visits.load(relaxed);
        if (before >= plenty) return;
        rave_visits.store(before + 1, relaxed);
        rave_wins.store(rave_wins.load(relaxed) + static_cast<float>(win), relaxed);
    }
};

// Memory is mostly nodes. Sums of wins and half points are exact up to 2^53, visits cannot overflow.
static_assert(sizeof(Node) == 56 || sizeof(void*) < 8);

class Arena {
public:
    static constexpr std::uint32_t NONE = 0, BUSY = 1, ROOT = 2;

    explicit Arena(std::uint32_t capacity) : capacity_(std::max(capacity, ROOT + 1)), nodes_(allocate(capacity_)) {
        plant();
    }

    Node& operator[](std::uint32_t index) { return nodes_.get()[index]; }
    const Node& operator[](std::uint32_t index) const { return nodes_.get()[index]; }
    std::uint32_t capacity() const { return capacity_; }
    std::uint32_t used() const { return std::min(used_.load(), capacity_); }

    bool has_room(std::size_t count) const { return count <= capacity_ - used(); }

    // Allocates `count` consecutive nodes, to be constructed by the caller; NONE if the arena is full.
    std::uint32_t take(std::size_t count) {
        std::uint32_t before = used_.load();
        do
            if (count > capacity_ - before) return NONE;
        while (!used_.compare_exchange_weak(before, before + static_cast<std::uint32_t>(count)));
        return before;
    }

    // Frees the unused end of a run of nodes, unless more were allocated since.
    void give_back(std::uint32_t first, std::size_t taken, std::size_t used) {
        std::uint32_t end = first + static_cast<std::uint32_t>(taken);
        used_.compare_exchange_strong(end, first + static_cast<std::uint32_t>(used));
    }

    // Reorders the children of a node in place, with new priors and their subtrees. Children not listed are dropped.
    // Only for trees that no other thread uses.
    void reorder(Node& node, const std::vector<std::pair<Point, Prior>>& order) {
        const std::uint32_t first = node.children.load();
        std::deque<Node> sorted;  // a node cannot be moved
        for (const auto& [move, prior] : order) {
            std::uint32_t from = first;
            while ((*this)[from].move != move) ++from;
            add_copy(sorted, (*this)[from], prior);
        }
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            Node* place = new (&(*this)[first + static_cast<std::uint32_t>(i)]) Node(sorted[i], sorted[i].prior());
            place->adopt(sorted[i]);
        }
        node.set_child_count(sorted.size());
    }

    // Makes a child of the root the new root. Keeps at most half of the arena, levels nearer to the root first.
    void keep(std::uint32_t child) {
        Arena fresh(capacity_);
        std::vector<std::pair<std::uint32_t, std::uint32_t>> todo{{child, ROOT}};
        new (&fresh[ROOT]) Node((*this)[child], {});
        for (std::size_t i = 0; i < todo.size(); ++i) {
            const auto [from, to] = todo[i];
            const Node& node = (*this)[from];
            const std::uint32_t first = node.children.load();
            if (first < ROOT || fresh.used() + node.child_count > capacity_ / 2) continue;
            const std::uint32_t moved = fresh.take(node.child_count);
            for (std::uint32_t k = 0; k < node.child_count; ++k) {
                const Node& old = (*this)[first + k];
                new (&fresh[moved + k]) Node(old, old.prior());
                todo.push_back({first + k, moved + k});
            }
            fresh[to].child_count = node.child_count;
            fresh[to].children = moved;
        }
        nodes_.swap(fresh.nodes_);
        used_ = fresh.used_.load();
    }

private:
    struct Free {
        void operator()(Node* nodes) const { ::operator delete(nodes); }
    };
    static_assert(std::is_trivially_destructible_v<Node>);

    std::uint32_t capacity_;
    std::unique_ptr<Node, Free> nodes_;  // raw memory: untouched pages cost nothing
    std::atomic<std::uint32_t> used_{0};

    static void add_copy(std::deque<Node>& nodes, const Node& node, Prior prior) {
        nodes.emplace_back(node, prior);
        nodes.back().adopt(node);
    }

    static Node* allocate(std::size_t capacity) {
        if (capacity > std::numeric_limits<std::size_t>::max() / sizeof(Node))
            throw std::bad_array_new_length();  // 32-bit machines
        return static_cast<Node*>(::operator new(sizeof(Node) * capacity));
    }

    void plant() {
        new (&(*this)[ROOT]) Node(NO_POINT, {});
        used_ = ROOT + 1;
    }
};

}  // namespace tengen
