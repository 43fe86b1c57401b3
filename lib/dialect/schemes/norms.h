#pragma once

#include <span>

#include "diag/sink.h"
#include "dialect/schemes/targets.h"

// Entries that match norms by accident.
namespace sparsecfg::dialect::schemes {

// Reports an entry of `ignore` that matches only norms although it does not name them: `re:.*attention.*` matches
// `post_attention_layernorm`, but no layer of `self_attn`. Returns true if it reports one.
bool report_only_norms(const Entry& entry, std::span<const model::Module> modules, diag::Sink& sink);

}  // namespace sparsecfg::dialect::schemes
