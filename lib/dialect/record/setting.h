#pragma once

#include <cassert>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include "dialect/record/record.h"
#include "dialect/record/types.h"
#include "source/value.h"

// Typed fields of a record. A class of a dialect is a struct of settings, which is filled once.
namespace sparsecfg::dialect {

using Items = std::span<const source::Value>;  // of a list
using Pairs = std::span<const source::Entry>;  // of a mapping

// How a value is read as a type: `from` returns nullopt for other values. Types of dialects have such a function.
template <class T>
struct Read {
  static std::optional<T> from(const source::Value& value) { return T::from(value); }
};

template <>
struct Read<bool> {
  static std::optional<bool> from(const source::Value& value) { return as_boolean(value); }
};

template <>
struct Read<double> {
  static std::optional<double> from(const source::Value& value) { return as_real(value); }
};

// Drops decimals, as int() does.
template <>
struct Read<std::int64_t> {
  static std::optional<std::int64_t> from(const source::Value& value);
};

template <>
struct Read<std::string> {
  static std::optional<std::string> from(const source::Value& value);
};

template <>
struct Read<Items> {
  static std::optional<Items> from(const source::Value& value);
};

template <>
struct Read<Pairs> {
  static std::optional<Pairs> from(const source::Value& value);
};

// Returns the default of a field, or null if its row has none or describes it in words.
[[nodiscard]] source::Value default_of(const Record& record, FieldName name);

// Returns true if the class has the field, had it in an older release, or is open. Always true without a class.
[[nodiscard]] bool may_have(const ClassSpec* spec, FieldName name);

// States if a class has a field. It is `maybe` if classes with different fields have the same struct.
enum class Has : std::uint8_t { yes, maybe };

// A field of a class: the value that the class uses, and its place in the recipe.
template <class T>
class Setting {
 public:
  // The record may be moved afterwards, but must not be changed.
  Setting(const Record& record, FieldName name, [[maybe_unused]] Has has = Has::yes)
      : field_(record.readable(name)), rejected_(record.find(name) != field_), key_(record.key) {
    assert(has == Has::maybe || may_have(record.spec, name));
    if (field_ != nullptr) {
      value_ = Read<T>::from(field_->value);
    } else if constexpr (!std::ranges::borrowed_range<T>) {
      if (!rejected_) value_ = Read<T>::from(default_of(record, name));
    }
  }

  // Returns true if the class uses a value: that of the recipe, or its default. It uses none if the value is null or
  // not valid.
  explicit operator bool() const { return value_.has_value(); }

  const T& operator*() const { return *value_; }

  const T* operator->() const { return &*value_; }

  // Returns true if the class uses this value.
  [[nodiscard]] bool is(const auto& value) const { return value_ == value; }

  // Returns `otherwise` if the class uses no value.
  [[nodiscard]] T value_or(T otherwise) const { return value_.value_or(std::move(otherwise)); }

  // Returns the field in the recipe, or null if it is absent or not valid.
  [[nodiscard]] const Field* field() const { return field_; }

  // Returns true if the recipe has a value that is not valid.
  [[nodiscard]] bool rejected() const { return rejected_; }

  // Returns the value in the recipe, or null if it is absent, not valid or null.
  [[nodiscard]] const source::Value* given() const {
    return field_ == nullptr || field_->value.is_null() ? nullptr : &field_->value;
  }

  // Returns the place of the value, or of the class name if the recipe does not have the field.
  [[nodiscard]] source::Span place() const { return field_ == nullptr ? key_ : field_->value.span; }

  // Returns the value, or that of a default-constructed one, with its place.
  [[nodiscard]] source::Located<T> located() const { return {value_or({}), place()}; }

 private:
  const Field* field_;
  bool rejected_;
  source::Span key_;  // of the class
  std::optional<T> value_;
};

}  // namespace sparsecfg::dialect
