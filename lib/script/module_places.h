#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "script/trace.h"

namespace sparsecfg::script {

// The places in modules next to a script. While the script is followed, the text of each module has offsets behind
// those of the script. Afterwards, its places become those of the import, and reasons name the line of the module.
class ModulePlaces {
 public:
  // `end`: the size of the script.
  explicit ModulePlaces(std::size_t end) : end_(end + 1) {}

  // Adds a module, whose text must outlive this. Returns the offset of its text, or nullopt if offsets do not suffice.
  std::optional<std::uint32_t> add(std::string path, std::string_view text, source::Span import);

  // Returns the text of a place in a module; nullopt for a place in the script.
  [[nodiscard]] std::optional<std::string_view> text_at(source::Span place) const;

  // Moves the places of a result to the script.
  void move(Trace& trace) const;

 private:
  struct Module {
    std::string path;
    std::string_view text;
    std::uint32_t begin;
    std::vector<std::uint32_t> lines;  // offsets of the starts of the lines
    source::Span import;               // in the script
  };

  [[nodiscard]] const Module* module_at(source::Span place) const;
  [[nodiscard]] std::string place_in_module(source::Span place) const;
  void move(source::Span& place) const;
  void move(Value& value) const;
  void move_all(std::vector<Ref> waiting) const;

  std::size_t end_;
  std::vector<Module> modules_;
};

}  // namespace sparsecfg::script
