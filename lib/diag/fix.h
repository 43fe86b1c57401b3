#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "source/span.h"

namespace sparsecfg::diag {

// One edit of a fix. A check knows the spans of the nodes that it reports but not the surrounding text, so most edits
// are structural. doc/fixes.h converts each of them to a plain replacement.
struct Edit {
  enum class Kind : std::uint8_t {
    replace,  // the bytes of `span` become `text`
    content,  // the scalar at `span` gets the value `text` and keeps its quotes
    list,     // the scalar at `span` becomes the only item of a list
    copy,     // the bytes of `span` become those of `other`
    remove,   // the mapping entry with its key at `span`, or the list item at `span`, is deleted
    add,      // the entry `text`, such as "frequency: 1", is inserted after the entry with its key at `span`
    append,   // the item `text` is added to the list at `span`
    split,    // a new list item with a copy of the entry at `span` is inserted after the item that contains it
    indent,   // the entry with its key at `span` is indented by the last line of `text` and follows the other lines
    repeat,   // a copy of the entry at `span` is appended to the item that `split` inserted
  };
  Kind kind = Kind::replace;
  source::Span span;
  std::string text{};
  source::Span other{};

  friend bool operator==(const Edit&, const Edit&) = default;
};

// The autofix of a finding. A safe fix does not change the behavior of anything that the framework runs today, and
// makes it run what it rejects or drops today as written. An unsafe fix is a best guess.
struct Fix {
  enum class Kind : std::uint8_t { safe, unsafe };
  Kind kind = Kind::safe;
  std::vector<Edit> edits{};  // empty if there is no fix

  [[nodiscard]] static Fix safe() { return {Kind::safe, {}}; }

  [[nodiscard]] static Fix unsafe() { return {Kind::unsafe, {}}; }

  [[nodiscard]] static Fix safe_if(bool known) { return {known ? Kind::safe : Kind::unsafe, {}}; }

  // The functions below append edits and return *this for chaining in Diagnostic::with_fix.
  Fix& replace(source::Span span, std::string text) { return add({Edit::Kind::replace, span, std::move(text), {}}); }

  Fix& content(source::Span span, std::string text) { return add({Edit::Kind::content, span, std::move(text), {}}); }

  Fix& list(source::Span span) { return add({Edit::Kind::list, span, {}, {}}); }

  Fix& swap(source::Span one, source::Span other) {
    return add({Edit::Kind::copy, one, {}, other}).add({Edit::Kind::copy, other, {}, one});
  }

  Fix& copy(source::Span span, source::Span other) { return add({Edit::Kind::copy, span, {}, other}); }

  Fix& remove(source::Span key) { return add({Edit::Kind::remove, key, {}, {}}); }

  Fix& indent(source::Span key, std::string spaces) { return add({Edit::Kind::indent, key, std::move(spaces), {}}); }

  Fix& append(source::Span list, std::string item) { return add({Edit::Kind::append, list, std::move(item), {}}); }

  Fix& split(source::Span key) { return add({Edit::Kind::split, key, {}, {}}); }

  Fix& repeat(source::Span key) { return add({Edit::Kind::repeat, key, {}, {}}); }

  Fix& add_entry(source::Span after, std::string entry) { return add({Edit::Kind::add, after, std::move(entry), {}}); }

  Fix& add(Edit edit) {
    edits.push_back(std::move(edit));
    return *this;
  }

  friend bool operator==(const Fix&, const Fix&) = default;
};

}  // namespace sparsecfg::diag
