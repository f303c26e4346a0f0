// Native work without Python's lock: Ctrl-C ends it, and objects with state are used by one thread at a time.
//
// interruptible() runs a job. Turn is a place in the queue for an object; Callback marks a call back into Python while
// a turn is held, during which the object must not be used, because that would deadlock.
#pragma once

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "bindings.hpp"
#include "tengen/interrupt.hpp"

// Handles pending signals. Python does that on its main thread only: returns false on other threads, which need not
// call it again.
inline bool handle_signals() {
    nb::gil_scoped_acquire acquire;
    const nb::module_ threading = nb::module_::import_("threading");
    if (!threading.attr("get_ident")().equal(threading.attr("main_thread")().attr("ident"))) return false;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return true;
}

// Calls job(interrupt) without Python's lock. An exception raised by a signal handler (KeyboardInterrupt) ends the job
// at its next check.
template <class Job>
auto interruptible(Job job) {
    nb::gil_scoped_release release;
    bool listening = true;
    tengen::Interrupt interrupt([&listening] { listening = listening && handle_signals(); });
    return job(interrupt);
}

// The queues in which this thread holds the turn, or from whose turn it was called back.
inline thread_local std::vector<const std::timed_mutex*> held_turns;

inline bool holds_turn(const std::timed_mutex& queue) {
    return std::find(held_turns.begin(), held_turns.end(), &queue) != held_turns.end();
}

// Waits for a turn, without Python's lock.
class Turn {
public:
    Turn(std::timed_mutex& queue, tengen::Interrupt& interrupt, const char* refusal) {
        if (holds_turn(queue)) throw std::runtime_error(refusal);
        lock_ = std::unique_lock(queue, std::defer_lock);
        while (!lock_.try_lock_for(tengen::Interrupt::PERIOD)) interrupt.check();
        held_turns.push_back(&queue);
    }
    ~Turn() { held_turns.pop_back(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::unique_lock<std::timed_mutex> lock_;
};

// A call back into Python from a turn, which another thread may hold.
class Callback {
public:
    explicit Callback(const std::timed_mutex& queue) { held_turns.push_back(&queue); }
    ~Callback() { held_turns.pop_back(); }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

private:
    nb::gil_scoped_acquire acquire_;
};
