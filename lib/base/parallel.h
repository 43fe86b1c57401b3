#pragma once

#include <cstddef>
#include <functional>

namespace sparsecfg::base {

// Calls work(0) to work(count - 1), each once, on as many threads as the machine has cores, in no particular order; on
// the calling thread alone if there is too little to do or if no thread can be started. An exception of a call is
// rethrown when all threads have stopped, the one of the lowest number if there are several.
void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace sparsecfg::base
