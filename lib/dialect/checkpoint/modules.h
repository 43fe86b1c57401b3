#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dialect/checkpoint/table.h"
#include "model/model_names.h"
#include "model/names.h"
#include "model/selectors/entries.h"

// The modules of a model as each program names them.
namespace sparsecfg::dialect::checkpoint {

// The modules that a program examines, with their modules in the checkpoint.
struct Units {
  std::vector<selectors::Module> modules;
  std::vector<std::vector<std::uint32_t>> members;  // of each: indexes of the modules of the model
  selectors::PrefixMap prefixes;                    // that the program replaces in names
};

// The units of all programs. Programs with equal units share them.
class SharedUnits {
 public:
  // `architecture` is the class of the model; empty: unknown. Both must outlive the object.
  SharedUnits(const std::vector<model::Module>* modules, std::string_view architecture)
      : modules_(modules), architecture_(architecture) {}

  // Returns the units of a program. `tags` adds the names by which HQQ selects layers. The model must be known.
  [[nodiscard]] std::shared_ptr<const Units> of(Program program, bool tags);

 private:
  const std::vector<model::Module>* modules_;
  std::string_view architecture_;
  std::shared_ptr<const Units> library_;
  std::shared_ptr<const Units> runtime_;
};

// Returns the name of the output head in most models.
inline constexpr std::string_view kHeadName = "lm_head";

// Which modules have packed tensors in a checkpoint, by their stored tensors.
class StoredModules {
 public:
  explicit StoredModules(const model::ModelNames& tensors);

  // Returns true if the checkpoint contains tensors of the module.
  [[nodiscard]] bool contain(std::string_view module) const;
  // Returns true if its weight is packed or has scales.
  [[nodiscard]] bool are_quantized(std::string_view module) const;
  // Returns true if its weight is packed as integers.
  [[nodiscard]] bool are_packed(std::string_view module) const;

 private:
  struct State {
    bool packed = false;
    bool scaled = false;
  };

  void add(const std::string& module, const State& state);

  std::unordered_map<std::string, State> modules_;
};

}  // namespace sparsecfg::dialect::checkpoint
