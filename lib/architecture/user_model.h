#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "architecture/derive.h"
#include "model/names.h"
#include "source/load.h"

namespace sparsecfg::architecture {

// The names of a model in one view.
struct Names {
  std::vector<model::Module> modules;
  model::Parameters parameters;
};

// A model that a configuration or a name describes, without its weights.
class UserModel {
 public:
  // Loads a model folder with a `config.json`, such a file, `torchvision:NAME`, `sparseml:NAME`, or a well-known model
  // id. Returns null for other paths, which may be lists of names or tensors. `project` restricts files as in
  // model::load_parameters_of(). A configuration of an unknown architecture is no error: the model has a rejection.
  [[nodiscard]] static std::variant<std::shared_ptr<const UserModel>, source::LoadError> load_described(
      const std::string& project, const std::string& path);

  // Returns the model of the text of a `config.json`, or null if the text is no model configuration.
  [[nodiscard]] static std::shared_ptr<const UserModel> of_config(std::string_view text);

  // Returns the model of a well-known id, such as "Qwen/Qwen3-8B"; null if it is unknown.
  [[nodiscard]] static std::shared_ptr<const UserModel> of_id(const std::string& id);

  // Returns why the modules are unknown, "has the unknown architecture `X`"; empty if they are known.
  [[nodiscard]] const std::string& rejection() const { return rejection_; }

  // Returns the names of the model in a view.
  [[nodiscard]] Names in(View view) const;

 private:
  UserModel() = default;
  static std::shared_ptr<const UserModel> of_value(source::Value config);
  static std::variant<std::shared_ptr<const UserModel>, source::LoadError> of_network(std::string_view library,
                                                                                      const std::string& name);

  std::string rejection_;
  source::Value config_;
  Names listed_;  // of a network without a configuration
};

}  // namespace sparsecfg::architecture
