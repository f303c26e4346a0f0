// A hash table of keys, for parameters that are created when a board first needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "shape.hpp"

namespace tengen {

// Row numbers of keys, in the order in which the keys were added. Row 0 stands for all unknown keys.
class KeyRows {
public:
    KeyRows() : keys_(1), slots_(1 << 10) {}

    std::uint32_t find(std::uint32_t key) const { return slots_[slot(key)].row; }

    std::uint32_t add(std::uint32_t key) {
        if (const std::uint32_t row = find(key); row != 0) return row;
        if (2 * keys_.size() > slots_.size()) grow();
        keys_.push_back(key);
        return (slots_[slot(key)] = {key, static_cast<std::uint32_t>(size() - 1)}).row;
    }

    std::size_t size() const { return keys_.size(); }  // rows, row 0 included
    std::uint32_t key(std::size_t row) const { return keys_[row]; }

private:
    struct Slot {
        std::uint32_t key, row;  // row 0: free
    };
    std::vector<std::uint32_t> keys_;
    std::vector<Slot> slots_;  // a power of two

    std::size_t slot(std::uint32_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t i = static_cast<std::size_t>(scatter(key)) & mask;
        while (slots_[i].row != 0 && slots_[i].key != key) i = (i + 1) & mask;
        return i;
    }

    void grow() {
        std::vector<Slot> before(2 * slots_.size());
        before.swap(slots_);
        for (const Slot& old : before)
            if (old.row != 0) slots_[slot(old.key)] = old;
    }
};

}  // namespace tengen
