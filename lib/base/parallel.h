#pragma once

#include <cstddef>
#include <functional>

namespace sparsecfg::base {

// Calls work(0) to work(count - 1) once each, in no particular order, on as many threads as the machine has cores. Uses
// only the calling thread if there is too little work or if no thread can be started. Rethrows an exception after all
// threads have stopped; if there are several, the one with the lowest index.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

// The stages of an output that is produced in pieces. A slot holds one piece at a time.
struct PiecewiseOutput {
  std::function<bool(std::size_t slot)> take;  // assigns the next piece to the slot, one call at a time; false: no more
  std::function<void(std::size_t slot)> make;  // produces the piece, in parallel with other slots
  std::function<bool(std::size_t slot)> put;   // writes the piece, one call at a time, in order of `take`; false: stop
};

// Slots per thread. Thread 0 has slots 0 and 1.
inline constexpr std::size_t kSlotsPerThread = 2;

// Runs all pieces through take, make and put on up to `threads` threads, including the calling one. Uses fewer if no
// more can be started. Rethrows the first exception after stopping all threads. Returns false if `put` returned false.
bool put_in_order(std::size_t threads, const PiecewiseOutput& output);

}  // namespace sparsecfg::base
