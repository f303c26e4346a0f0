// Running work on several threads.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tengen {

// Calls work(i, stop) for every i < threads, work(0) on the calling thread. An exception in one of them sets `stop`, on
// which the others should return soon, and is rethrown when all have ended. If the system provides fewer threads, these
// do all the work.
template <class Work>
void run_workers(int threads, Work work) {
    std::atomic<bool> stop{false};
    std::mutex mutex;
    std::exception_ptr failure;
    auto guarded = [&](int i) {
        try {
            work(i, std::as_const(stop));
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            stop = true;
        }
    };
    std::vector<std::thread> others;
    others.reserve(static_cast<std::size_t>(threads));
    try {
        for (int i = 1; i < threads; ++i) others.emplace_back(guarded, i);
    } catch (const std::system_error&) {  // no more threads
    } catch (const std::bad_alloc&) {     // no memory for one
    }
    guarded(0);
    for (std::thread& other : others) other.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace tengen
