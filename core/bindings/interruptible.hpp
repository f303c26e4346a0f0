// Native work without Python's lock: Ctrl-C ends it, and objects with state are used by one thread at a time.
//
// interruptible() runs a job. Turn is a place in the queue for an object. Callback marks a call back into Python during
// a turn, in which the object cannot be used, because it would wait for itself.
//
// At exit Python ends every daemon thread that takes its lock, which aborts the process if there is C++ code on the
// thread's stack. So such threads wait for the end of the process instead (EntersPython).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bindings.hpp"
#include "tengen/interrupt.hpp"

inline std::atomic<bool> python_exits{false};
inline std::thread::id exiting_thread;      // the thread that may still use Python
inline std::atomic<int> threads_inside{0};  // threads that take Python's lock, or hold it in a callback
inline thread_local int times_inside = 0;   // nested uses in this thread

// Guards the use of Python's lock on a native thread.
class EntersPython {
public:
    EntersPython() {
        ++threads_inside;
        if (times_inside == 0 && python_exits && std::this_thread::get_id() != exiting_thread) {
            --threads_inside;
            for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
        }
        ++times_inside;
    }
    ~EntersPython() { --times_inside, --threads_inside; }
    EntersPython(const EntersPython&) = delete;
    EntersPython& operator=(const EntersPython&) = delete;
};

class HoldsPython {
    EntersPython enters_;
    nb::gil_scoped_acquire acquire_;
};

class ReleasesPython {
public:
    ReleasesPython() : state_(PyEval_SaveThread()) {}
    ~ReleasesPython() {
        const EntersPython enters;
        PyEval_RestoreThread(state_);
    }
    ReleasesPython(const ReleasesPython&) = delete;
    ReleasesPython& operator=(const ReleasesPython&) = delete;

private:
    PyThreadState* state_;
};

// Called when Python begins to exit: blocks further threads, and waits up to two seconds for those inside.
inline void python_begins_to_exit() {
    exiting_thread = std::this_thread::get_id();
    python_exits = true;
    const ReleasesPython release;
    for (int tries = 0; threads_inside > 0 && tries < 2000; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Handles pending signals. Only Python's main thread can do so; returns false on other threads.
inline bool handle_signals() {
    const HoldsPython holds;
    const nb::module_ threading = nb::module_::import_("threading");
    if (!threading.attr("get_ident")().equal(threading.attr("main_thread")().attr("ident"))) return false;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return true;
}

// Calls job(interrupt) without Python's lock. An exception raised by a signal handler (KeyboardInterrupt) ends the job
// at its next check.
template <class Job>
auto interruptible(Job job) {
    const ReleasesPython release;
    bool listening = true;
    tengen::Interrupt interrupt([&listening] { listening = listening && handle_signals(); });
    return job(interrupt);
}

// The queues in which this thread holds the turn, directly or as a callback.
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

// A call back into Python during a turn, which another thread may hold.
class Callback {
public:
    explicit Callback(const std::timed_mutex& queue) { held_turns.push_back(&queue); }
    ~Callback() { held_turns.pop_back(); }
    Callback(const Callback&) = delete;
    Callback& operator=(const Callback&) = delete;

private:
    HoldsPython holds_;
};
