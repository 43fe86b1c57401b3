#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "model/dawg.h"
#include "model/names.h"
#include "model/selector.h"

namespace sparsecfg::model {

// Limits the total work for the patterns of one recipe. A pattern counts once for each list of names, even if its
// result is cached, so the result for a recipe does not depend on earlier recipes. Not thread-safe.
class WorkLimit {
 public:
  // Returns true if a pattern may be matched: it was matched before, or work is left.
  [[nodiscard]] bool allows(const void* names, const std::string& pattern) const;
  void count(const void* names, const std::string& pattern, std::uint64_t work);

 private:
  std::uint64_t left_ = limits::kMaxPatternWork;
  std::set<std::pair<const void*, std::string>> counted_;
};

// The names of a model's parameters or modules, with known shapes and types, indexed for many selectors. Copies share
// the index, which is thread-safe. The work for patterns is limited if there is a limit.
class ModelNames {
 public:
  explicit ModelNames(Parameters all);

  explicit ModelNames(std::vector<std::string> names) : ModelNames(Parameters{std::move(names), {}}) {}

  explicit ModelNames(const std::vector<Module>& modules);

  // Returns the same names with a limit.
  [[nodiscard]] ModelNames limited_by(std::shared_ptr<WorkLimit> limit) const;

  // Returns null if the work is not limited.
  [[nodiscard]] const std::shared_ptr<WorkLimit>& limit() const { return limit_; }

  [[nodiscard]] const std::vector<std::string>& list() const { return data_->names; }

  [[nodiscard]] std::size_t size() const { return data_->names.size(); }

  [[nodiscard]] const std::string& operator[](std::size_t at) const { return data_->names[at]; }

  // Returns true if this is one of the names or an alias.
  [[nodiscard]] bool knows(std::string_view name) const;

  // Returns null if the shape is unknown.
  [[nodiscard]] const Shape* shape(std::size_t at) const {
    return data_->has_shapes && data_->shapes[at] ? &*data_->shapes[at] : nullptr;
  }

  // Returns true if any shape is known.
  [[nodiscard]] bool has_shapes() const { return data_->has_shapes; }

  struct Taken {
    std::vector<IndexRange> ranges;  // ranges of indices, ascending and disjoint
    bool certain = true;             // false if some names could not be decided in time; these count as matches
    std::uint64_t work = 0;          // cost of matching a pattern, in NFA transitions examined
  };

  // Returns the names that a term matches. Prunable layers are defined by type, which names do not show, so names and
  // shapes that fit are included. All names are uncertain for a pattern beyond the limit.
  [[nodiscard]] Taken matched(const Term& term) const;

 private:
  struct Data {
    std::vector<std::string> names;
    std::vector<std::optional<Shape>> shapes;  // one per name; empty if no shape is known
    std::vector<std::string> types;            // types of modules; empty for parameters
    bool has_shapes = false;
  };

  class Index;

  ModelNames(Parameters all, std::vector<std::string> types);

  std::shared_ptr<const Index> index_;
  std::shared_ptr<const Data> data_;  // part of the index
  std::shared_ptr<WorkLimit> limit_;
};

// Returns for each name whether a term of the selector matches it. Exclusions are ignored. For selectors over layers
// the result contains only matches that follow from parameter names.
[[nodiscard]] std::vector<bool> matched_names(const Selector& selector, const ModelNames& names);

// Returns the shape of a name or alias; null if `names` is null or the shape is unknown.
[[nodiscard]] const Shape* shape_of(const ModelNames* names, const std::string& name);

// Returns the second name of a parameter that quantization has wrapped: `x.weight` for `x.module.weight`
// (docs/semantics/sparseml.md#d1). Empty if there is none.
[[nodiscard]] std::string unwrapped_name(std::string_view name);

// Returns parameter names of widely used PyTorch models. If two selectors overlap on these names, they overlap in
// practice. Used if no model is given.
[[nodiscard]] const ModelNames& typical_parameters();

}  // namespace sparsecfg::model
