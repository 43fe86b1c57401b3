#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "source/span.h"

namespace sparsecfg::diag {

// One change of the text that a fix is made of. Whoever reports a finding knows the places of its
// parts and not what stands around them; doc/fixes.h makes a plain replacement of every edit.
struct Edit {
  enum class Kind : std::uint8_t {
    replace,  // the bytes of `span` become `text`
    content,  // the scalar at `span` holds `text`, in the quotes that it has
    list,     // the scalar at `span` becomes the only item of a list
    copy,     // the bytes of `span` become those of `other`
    remove,   // the entry whose key stands at `span` goes, or the item of a list that stands there
    add,      // behind the entry whose key stands at `span` comes the entry `text`: "frequency: 1"
    split,    // behind the item of a list that holds the entry at `span` comes a new one with a copy of it
    repeat,   // a copy of the entry at `span` goes on with that item
  };
  Kind kind = Kind::replace;
  source::Span span;
  std::string text{};
  source::Span other{};

  friend bool operator==(const Edit&, const Edit&) = default;
};

// What --fix would do about a finding. Safe: what the framework runs today it runs in the same way
// afterwards, and what it refuses or drops today it then takes as it is written. Unsafe: what is
// meant is a guess, if a good one.
struct Fix {
  enum class Kind : std::uint8_t { safe, unsafe };
  Kind kind = Kind::safe;
  std::vector<Edit> edits{};  // none: no fix

  [[nodiscard]] static Fix safe() { return {Kind::safe, {}}; }

  [[nodiscard]] static Fix unsafe() { return {Kind::unsafe, {}}; }

  [[nodiscard]] static Fix safe_if(bool known) { return {known ? Kind::safe : Kind::unsafe, {}}; }

  // For use in one expression with Diagnostic::with_fix.
  Fix& replace(source::Span span, std::string text) { return add({Edit::Kind::replace, span, std::move(text), {}}); }

  Fix& content(source::Span span, std::string text) { return add({Edit::Kind::content, span, std::move(text), {}}); }

  Fix& list(source::Span span) { return add({Edit::Kind::list, span, {}, {}}); }

  Fix& swap(source::Span one, source::Span other) {
    return add({Edit::Kind::copy, one, {}, other}).add({Edit::Kind::copy, other, {}, one});
  }

  Fix& copy(source::Span span, source::Span other) { return add({Edit::Kind::copy, span, {}, other}); }

  Fix& remove(source::Span key) { return add({Edit::Kind::remove, key, {}, {}}); }

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
