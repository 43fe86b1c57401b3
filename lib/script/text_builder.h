#pragma once

#include <string>
#include <string_view>

#include "script/value.h"

namespace sparsecfg::script {

class Interpreter;

// Builds a string of parts with their places, and charges each part. Parts after a limit are dropped.
class TextBuilder {
 public:
  TextBuilder(Interpreter& interpreter, source::Span span);

  // Appends a string with its places.
  void add(const Value& string);
  // Appends a computed part, whose place is that of an expression.
  void add(std::string_view part, source::Span place);
  // Appends a placeholder of an unknown value.
  void add_hole(source::Span place);
  // Appends `str(value)`, or a placeholder. The string depends on the same options as the value.
  void show(const Ref& value, source::Span place);
  // The string depends on the same options as a value.
  void inherit(const Value& value);

  // False if a part did not fit.
  [[nodiscard]] bool fits() const { return fits_; }

  // Returns the string, or an unknown value if it is too long.
  [[nodiscard]] Ref take();

 private:
  bool grow(std::size_t bytes, std::size_t pieces);

  Interpreter& interpreter_;
  source::Span span_;
  Ref out_;
  std::string& text_;
  bool fits_ = true;
};

}  // namespace sparsecfg::script
