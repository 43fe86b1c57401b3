#include "script/text_builder.h"

#include "base/limits.h"
#include "script/interpreter.h"
#include "script/limits.h"

namespace sparsecfg::script {

TextBuilder::TextBuilder(Interpreter& interpreter, source::Span span)
    : interpreter_(interpreter),
      span_(span),
      out_(scalar(span, std::string())),
      text_(std::get<std::string>(out_->data)) {}

bool TextBuilder::grow(std::size_t bytes, std::size_t pieces) {
  fits_ = fits_ && text_.size() + bytes <= limits::kMaxScriptString &&
          out_->pieces.size() + pieces <= limits::kMaxScriptPlaces &&
          interpreter_.builds(bytes + pieces * sizeof(Piece));
  return fits_;
}

void TextBuilder::add(const Value& string) {
  if (string.string() == nullptr || !grow(string.string()->size(), string.pieces.size())) {
    fits_ = false;
    return;
  }
  for (Piece piece : string.pieces) {
    piece.begin += static_cast<std::uint32_t>(text_.size());
    out_->pieces.push_back(piece);
  }
  text_ += *string.string();
}

void TextBuilder::add(std::string_view part, source::Span place) {
  if (!grow(part.size(), 1)) return;
  out_->pieces.push_back({static_cast<std::uint32_t>(text_.size()), place, false, false});
  text_ += part;
}

void TextBuilder::add_hole(source::Span place) {
  interpreter_.risk();
  out_->pieces.push_back({static_cast<std::uint32_t>(text_.size()), place, false, true});
  text_ += kHole;
}

void TextBuilder::show(const Ref& value, source::Span place) {
  inherit(*value);
  if (value->string() != nullptr && value->role == Value::Role::plain) {
    add(*value);
  } else if (const auto printed = interpreter_.str_of(*value)) {
    add(*printed, place);
  } else {
    interpreter_.touch(value, place);
    add_hole(place);
  }
}

void TextBuilder::inherit(const Value& value) {
  if (out_->assumed.empty()) out_->assumed = value.assumed;
}

Ref TextBuilder::take() {
  if (!fits_) {
    interpreter_.limit(span_);
    return unknown(span_, "the strings are too long");
  }
  if (out_->pieces.empty()) out_->pieces.push_back({0, span_, false, false});
  return std::move(out_);
}

}  // namespace sparsecfg::script
