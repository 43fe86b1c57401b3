#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "script/trace.h"

namespace sparsecfg::script {

// The texts of other files that a script uses: modules next to it, and files that it reads. Their text has offsets
// behind those of the script, so that each value keeps its place.
class ModulePlaces {
 public:
  // `end`: the size of the script.
  explicit ModulePlaces(std::size_t end) : size_(end), end_(end + 1) {}

  // Adds a text and returns its offset, or nullopt if there are no offsets left. `use` is the place in the script that
  // reads the file. A file that is known keeps its offset.
  std::optional<std::uint32_t> add(std::string path, std::string_view text, source::Span use);

  // Returns true if the script uses no other file.
  [[nodiscard]] bool empty() const { return modules_.empty(); }

  // Returns the text of a place in another file; nullopt for a place in the script.
  [[nodiscard]] std::optional<std::string_view> text_at(source::Span place) const;

  // Returns the place of the script that uses the file of a place, or the same place if it is in the script.
  [[nodiscard]] source::Span in_script(source::Span place) const;

  // Returns a place in another file, such as "helpers.py:12"; empty for a place in the script. `name` returns the name
  // of a path for output.
  [[nodiscard]] std::string name_of(source::Span place,
                                    const std::function<std::string(const std::string& path)>& name) const;

  // Returns the text of the script, followed by those of the other files at their offsets.
  [[nodiscard]] std::string joined(std::string_view script) const;

  // Returns pieces from the joined text to the script, behind those of the script itself.
  [[nodiscard]] std::vector<Piece> pieces() const;

 private:
  struct Module {
    std::string path;
    std::string text;
    std::uint32_t begin;
    std::vector<std::uint32_t> lines;  // offsets of the starts of the lines
    source::Span use;                  // in the script
  };

  [[nodiscard]] const Module* module_at(source::Span place) const;

  std::size_t size_;
  std::size_t end_;
  std::vector<Module> modules_;
  std::map<std::string, std::size_t, std::less<>> known_;  // modules by path
};

// Follows a script as follow() does, and returns the other files that it uses. Places in them have offsets behind the
// script.
[[nodiscard]] Trace follow(const Source& source, const Library& library, ModulePlaces& files);

}  // namespace sparsecfg::script
