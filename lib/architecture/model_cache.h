#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "architecture/user_model.h"

namespace sparsecfg::architecture {

// Keeps the models that were used last, up to a total number of modules. A larger model is kept until another one is
// built. Not thread-safe.
class ModelCache {
 public:
  explicit ModelCache(std::size_t max_modules) : max_modules_(max_modules) {}

  // Returns the model of a key, or null if it is not kept.
  [[nodiscard]] std::shared_ptr<const UserModel> find(const std::string& key);

  // Removes a model that exceeds the limit, before another one is built.
  void make_room();

  // Adds the model of a key that find() does not know. Removes the models that were not used for the longest time.
  void add(const std::string& key, std::shared_ptr<const UserModel> model);

 private:
  void remove_last();

  struct Entry {
    std::string key;
    std::shared_ptr<const UserModel> model;
  };

  std::size_t max_modules_;
  std::size_t modules_ = 0;
  std::list<Entry> entries_;  // the last used one first
  std::unordered_map<std::string, std::list<Entry>::iterator> by_key_;
};

}  // namespace sparsecfg::architecture
