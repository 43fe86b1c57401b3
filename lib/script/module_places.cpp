#include "script/module_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace sparsecfg::script {

using source::Span;

std::optional<std::uint32_t> ModulePlaces::add(std::string path, std::string_view text, Span use) {
  const auto known = known_.find(path);
  if (known != known_.end() && modules_[known->second].text == text) return modules_[known->second].begin;
  if (end_ + text.size() >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const auto begin = static_cast<std::uint32_t>(end_);
  std::vector<std::uint32_t> lines{begin};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    lines.push_back(begin + static_cast<std::uint32_t>(at) + 1);
  }
  known_[path] = modules_.size();
  modules_.push_back({std::move(path), std::string(text), begin, std::move(lines), in_script(use)});
  end_ += text.size() + 1;
  return begin;
}

const ModulePlaces::Module* ModulePlaces::module_at(Span place) const {
  const auto after = std::ranges::upper_bound(modules_, place.begin, {}, &Module::begin);
  return after == modules_.begin() ? nullptr : &*std::prev(after);
}

std::optional<std::string_view> ModulePlaces::text_at(Span place) const {
  const Module* module = module_at(place);
  if (module == nullptr) return std::nullopt;
  const std::size_t begin = std::min<std::size_t>(place.begin - module->begin, module->text.size());
  return std::string_view(module->text).substr(begin, std::max(place.end, place.begin) - place.begin);
}

Span ModulePlaces::in_script(Span place) const {
  const Module* module = module_at(place);
  return module == nullptr ? place : module->use;
}

std::string ModulePlaces::name_of(Span place, const std::function<std::string(const std::string&)>& name) const {
  const Module* module = module_at(place);
  if (module == nullptr) return {};
  const auto after = std::ranges::upper_bound(module->lines, place.begin);
  return fmt::format("{}:{}", name(module->path), after - module->lines.begin());
}

std::string ModulePlaces::joined(std::string_view script) const {
  std::string out(script);
  for (const Module& module : modules_) {
    out.resize(module.begin, '\n');
    out += module.text;
  }
  return out;
}

std::vector<Piece> ModulePlaces::pieces() const {
  std::vector<Piece> out;
  for (const Module& module : modules_) out.push_back({module.begin, module.use, false, false});
  return out;
}

}  // namespace sparsecfg::script
