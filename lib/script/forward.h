#pragma once

#include <memory>

// Declarations for code that only passes values of scripts on.
namespace sparsecfg::script {

struct Value;
using Ref = std::shared_ptr<Value>;
struct Builder;
struct Trace;

}  // namespace sparsecfg::script
