#pragma once

#include "script/operation.h"

// The builtin functions that compute values, by file. Each returns null if it does not model the call.
namespace sparsecfg::script {

// A function whose result is always unknown.
[[nodiscard]] inline Ref not_modeled(const Call& /*call*/) { return nullptr; }

// conversions.cpp
[[nodiscard]] Ref to_list(const Call& call);
[[nodiscard]] Ref to_tuple(const Call& call);
[[nodiscard]] Ref to_set(const Call& call);
[[nodiscard]] Ref to_text(const Call& call);
[[nodiscard]] Ref to_repr(const Call& call);
[[nodiscard]] Ref to_format(const Call& call);
[[nodiscard]] Ref to_integer(const Call& call);
[[nodiscard]] Ref to_real(const Call& call);
[[nodiscard]] Ref to_boolean(const Call& call);
[[nodiscard]] Ref to_character(const Call& call);
[[nodiscard]] Ref to_code_point(const Call& call);

// iteration.cpp: `computed_from` notes the generators that another one reads
[[nodiscard]] Ref computed_from(const Ref& generator, const std::vector<Ref>& values);
[[nodiscard]] Ref range(const Call& call);
[[nodiscard]] Ref sorted(const Call& call);
[[nodiscard]] Ref enumerate(const Call& call);
[[nodiscard]] Ref zip(const Call& call);
[[nodiscard]] Ref reversed(const Call& call);
[[nodiscard]] Ref iterator_of(const Call& call);
[[nodiscard]] Ref next_item(const Call& call);
[[nodiscard]] Ref map_items(const Call& call);
[[nodiscard]] Ref filter_items(const Call& call);

// reductions.cpp
[[nodiscard]] Ref length(const Call& call);
[[nodiscard]] Ref sum(const Call& call);
[[nodiscard]] Ref smallest(const Call& call);
[[nodiscard]] Ref largest(const Call& call);
[[nodiscard]] Ref any_of(const Call& call);
[[nodiscard]] Ref all_of(const Call& call);
[[nodiscard]] Ref absolute(const Call& call);
[[nodiscard]] Ref rounded(const Call& call);

}  // namespace sparsecfg::script
