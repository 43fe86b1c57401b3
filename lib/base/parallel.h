#pragma once

#include <cstddef>
#include <functional>

namespace sparsecfg::base {

// Calls work(0) to work(count - 1), each once, on as many threads as the machine has cores, in no particular order; on
// the calling thread alone if there is too little to do or if no thread can be started. An exception of a call is
// rethrown when all threads have stopped, the one of the lowest number if there are several.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

// The stages of an output that is made in pieces. A piece is in a slot, and a slot has one piece at a time.
struct PiecewiseOutput {
  std::function<bool(std::size_t slot)> take;  // tells the slot which piece is next, one call at a time; false: no more
  std::function<void(std::size_t slot)> make;  // makes it, while other slots make others
  std::function<bool(std::size_t slot)> put;   // one call at a time, in the order in which they were taken; false: stop
};

// Each thread has its own slots: those of thread 0 are 0 and 1.
inline constexpr std::size_t kSlotsPerThread = 2;

// Takes, makes and puts all pieces on up to so many threads, the calling one among them. Fewer do it if no more can be
// started. An exception stops all and is rethrown. Returns false if `put` did.
bool put_in_order(std::size_t threads, const PiecewiseOutput& output);

// How many threads of this program run side by side: the cores of the machine that it may use.
[[nodiscard]] std::size_t cores();

}  // namespace sparsecfg::base
