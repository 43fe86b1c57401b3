#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "architecture/derive.h"
#include "model/model_names.h"
#include "model/names.h"

namespace sparsecfg::architecture {

// The names of a model in one view. Null members are unknown.
struct Names {
  std::string architecture;             // the class that the build constructs; empty if it is unknown
  std::string unknown;                  // why a build leaves the names unknown, as a clause; empty if it does not
  std::string raises;                   // why llm-compressor fails to split the experts, as a clause
  std::optional<MissingClass> missing;  // the load call, if it raises
  std::shared_ptr<const std::vector<model::Module>> modules;
  std::optional<model::ModelNames> module_names;
  std::optional<model::ModelNames> parameters;  // unknown in the linearized view, unless files contain them
  std::shared_ptr<const std::vector<std::string>> stored_names;  // of the modules in checkpoints, where they differ
  std::vector<Layer> layers;                                     // empty if the model is no `config.json`
  bool inferred = false;                                         // true if the modules were inferred from tensors
  bool stored = false;                                           // true if the parameters are those of files
};

// A model that the user names, or that a search found. Thread-safe.
class UserModel {
 public:
  // Loads a model folder, a `config.json`, a .safetensors file or its index, a list of modules or of parameters,
  // `torchvision:NAME`, `torchvision:NAME:CLASSES`, `sparseml:NAME`, the NAME of a network of torchvision that is no
  // file, or a well-known model id. `project` restricts files as in model::load_parameters_of(). Returns an error if
  // the file can't be read. A `config.json` of an unknown architecture is no error: the model then has a rejection.
  [[nodiscard]] static std::variant<std::shared_ptr<const UserModel>, source::LoadError> load(
      const std::string& project, const std::string& path);

  // Returns the model of the text of a `config.json`, or null if the text is no model configuration. `origin` names it.
  [[nodiscard]] static std::shared_ptr<const UserModel> of_config(std::string_view text, const std::string& origin);

  // Returns the model with these tensors.
  [[nodiscard]] static std::shared_ptr<const UserModel> of_tensors(model::Parameters tensors,
                                                                   const std::string& origin);

  // Returns the model with these modules. Its parameters are unknown, since a list of modules does not name biases.
  [[nodiscard]] static std::shared_ptr<const UserModel> of_modules(std::vector<model::Module> modules,
                                                                   const std::string& origin);

  // Returns a model whose modules are unknown for this reason.
  [[nodiscard]] static std::shared_ptr<const UserModel> rejected(const std::string& origin, std::string why);

  // Returns the model of a well-known id, such as "Qwen/Qwen3-8B"; null if it is unknown.
  [[nodiscard]] static std::shared_ptr<const UserModel> of_id(const std::string& id);

  // Returns all well-known ids, in the order of the table.
  [[nodiscard]] static std::vector<std::string_view> known_ids();

  // Returns the well-known id that a misspelled id means; empty if there is none. An id with other numbers is another
  // model, unless two digits are swapped.
  [[nodiscard]] static std::string_view meant_id(const std::string& id);

  // Returns the same model with the tensors of its files. They replace a rejected configuration.
  [[nodiscard]] std::shared_ptr<const UserModel> with_tensors(model::Parameters tensors,
                                                              const std::string& origin) const;

  // Returns true if a path names a model folder, a `config.json` or a known name, but not a list of names or tensors.
  [[nodiscard]] static bool is_described(const std::string& project, const std::string& path);

  // Returns true for `torchvision:NAME`, `sparseml:NAME` and well-known model ids, which are no paths.
  [[nodiscard]] static bool is_name(const std::string& text);

  // Returns the line that reports the choice: "LlamaForCausalLM (model/config.json)".
  [[nodiscard]] const std::string& title() const { return title_; }

  // Returns why the modules are unknown, "has the unknown architecture `X`"; empty if they are known.
  [[nodiscard]] const std::string& rejection() const { return rejection_; }

  // Returns the number of modules, at least 1. Four names of parameters count as a module. The memory of a model is
  // proportional to the result.
  [[nodiscard]] std::size_t size() const { return size_; }

  // Returns the names of the model in a view, as a build has them. Computed once for each view and build. If the load
  // call raises, or if the releases of the build have different names, the modules are null and `unknown` has the
  // reason.
  [[nodiscard]] const Names& in(View view, const Build& build = {}) const;

  // Returns the `quant_method` of the configuration; empty for a model that is not quantized.
  [[nodiscard]] std::string quantization() const;

  // Returns the `quantization_config` of the configuration; null for a model that is not quantized.
  [[nodiscard]] const source::Value& quantization_config() const { return quantization_; }

  // Returns the derived model without a view; null if there is no `config.json`.
  [[nodiscard]] const Derived* derived() const { return facts_ ? &*facts_ : nullptr; }

 private:
  UserModel() = default;
  friend struct UserModelLoader;

  // Return the names without a wrapper, and the model in a view. The lock must be held.
  [[nodiscard]] Names built(View view, const Build& build) const;
  [[nodiscard]] DerivedOrError derived_in(View view, const Build& build) const;

  std::string title_;
  std::string rejection_;
  source::Value quantization_;
  std::optional<source::Value> config_;
  std::optional<Derived> facts_;  // without layers
  Names listed_;  // of lists and tensors, the same in all views; of a derived model only the tensors of its files
  mutable std::mutex mutex_;
  mutable std::map<std::pair<View, Build>, std::unique_ptr<const Names>> views_;
  mutable std::optional<Derived> linearized_;  // from loading, until its names are used
  std::size_t size_ = 1;
};

}  // namespace sparsecfg::architecture
