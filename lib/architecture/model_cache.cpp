#include "architecture/model_cache.h"

#include <utility>

namespace sparsecfg::architecture {

std::shared_ptr<const UserModel> ModelCache::find(const std::string& key) {
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.begin(), entries_, known->second);
  return known->second->model;
}

void ModelCache::remove_last() {
  modules_ -= entries_.back().model->size();
  by_key_.erase(entries_.back().key);
  entries_.pop_back();
}

void ModelCache::make_room() {
  while (modules_ > max_modules_) remove_last();
}

void ModelCache::add(const std::string& key, std::shared_ptr<const UserModel> model) {
  modules_ += model->size();
  entries_.push_front({key, std::move(model)});
  by_key_.emplace(key, entries_.begin());
  while (modules_ > max_modules_ && entries_.size() > 1) remove_last();
}

}  // namespace sparsecfg::architecture
