#include "script/module_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace sparsecfg::script {

using source::Span;

std::optional<std::uint32_t> ModulePlaces::add(std::string path, std::string_view text, Span import) {
  if (end_ + text.size() >= std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const auto begin = static_cast<std::uint32_t>(end_);
  std::vector<std::uint32_t> lines{begin};
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    lines.push_back(begin + static_cast<std::uint32_t>(at) + 1);
  }
  move(import);
  modules_.push_back({std::move(path), text, begin, std::move(lines), import});
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
  return module->text.substr(begin, std::max(place.end, place.begin) - place.begin);
}

// "helpers.py:12"
std::string ModulePlaces::place_in_module(Span place) const {
  const Module* module = module_at(place);
  if (module == nullptr) return {};
  const auto after = std::ranges::upper_bound(module->lines, place.begin);
  return fmt::format("{}:{}", module->path, after - module->lines.begin());
}

void ModulePlaces::move(Span& place) const {
  const Module* module = module_at(place);
  if (module != nullptr) place = module->import;
}

void ModulePlaces::move(Value& value) const {
  const std::string place = value.text.empty() ? std::string() : place_in_module(value.why);
  if (!place.empty()) value.text += " in " + place;
  move(value.why);
  move(value.span);
  move(value.name_span);
  for (auto& name : value.names) move(name.span);
  for (Piece& piece : value.pieces) move(piece.span);
}

// Values are nested deeply and shared.
void ModulePlaces::move_all(std::vector<Ref> waiting) const {
  std::set<const Value*> seen;
  while (!waiting.empty()) {
    const Ref next = std::move(waiting.back());
    waiting.pop_back();
    if (next == nullptr || !seen.insert(next.get()).second) continue;
    move(*next);
    for (const auto* parts : {&next->items, &next->variants, &next->aliases}) {
      waiting.insert(waiting.end(), parts->begin(), parts->end());
    }
    waiting.push_back(next->owner);
  }
}

void ModulePlaces::move(Trace& trace) const {
  if (modules_.empty()) return;
  std::vector<Ref> all;
  for (const auto* values : {&trace.objects, &trace.lists, &trace.strings}) {
    all.insert(all.end(), values->begin(), values->end());
  }
  for (Assigned& each : trace.assigned) {
    move(each.name.span);
    all.push_back(each.value);
  }
  move_all(std::move(all));
  for (Import& each : trace.imports) {
    move(each.span);
    move(each.statement);
  }
  for (Change& each : trace.changes) move(each.span);
  for (auto& each : trace.list_keys) move(each.span);
  move(trace.limited);
}

}  // namespace sparsecfg::script
