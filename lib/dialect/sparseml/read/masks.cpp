#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "dialect/sparseml/codes.h"
#include "dialect/sparseml/rules/rules.h"

// Reads a `mask_type` like each of the SparseML readers.
namespace sparsecfg::dialect::sparseml {

using source::Value;

static bool is_whole_list_of_ints(const source::List& list) {
  return std::ranges::all_of(list, [](const Value& item) { return item.get<std::int64_t>() != nullptr; });
}

static std::optional<ir::Structure> read_block(const source::List& list) {
  const auto is_one = [](const Value& item) { return *item.get<std::int64_t>() == 1; };
  if (list.size() < 2 || !is_whole_list_of_ints(list) || !std::all_of(list.begin() + 2, list.end(), is_one)) {
    return std::nullopt;
  }
  return ir::Structure{ir::Structure::Kind::block, *list[0].get<std::int64_t>(), *list[1].get<std::int64_t>()};
}

// Reads the two numbers around the first `separator`.
static std::optional<ir::Structure> read_pair(std::string_view text, char separator, ir::Structure::Kind kind) {
  const std::size_t at = std::min(text.find(separator), text.size() - 1);
  const auto n = base::parse_double(base::trim(text.substr(0, at)));
  const auto m = base::parse_double(base::trim(text.substr(at + 1)));
  const auto whole = [](const std::optional<double>& number) {
    return number && *number == std::floor(*number) && std::abs(*number) < 1e6;
  };
  if (!whole(n) || !whole(m) || *m == 0) {
    return std::nullopt;
  }
  return ir::Structure{kind, static_cast<std::int64_t>(*n), static_cast<std::int64_t>(*m)};
}

static std::optional<ir::Structure> read_pytorch(const Value& mask_type) {
  if (const auto* list = mask_type.get<source::List>()) {
    return read_block(*list);
  }
  const auto* text = mask_type.get<std::string>();
  if (text == nullptr) {
    return std::nullopt;
  }
  if (*text == "unstructured") return ir::Structure{};
  if (*text == "block4") return ir::Structure{ir::Structure::Kind::block, 1, 4, true};
  if (*text == "tensorrt") return ir::Structure{ir::Structure::Kind::n_of_m, 2, 4};
  if (text->find(':') != std::string::npos) return read_pair(*text, ':', ir::Structure::Kind::n_of_m);
  return std::nullopt;
}

// A block may also be a string: "[1, 4]" or "(1, 4)".
static std::optional<ir::Structure> read_dimensions(const Value& mask_type) {
  if (const auto* list = mask_type.get<source::List>()) {
    return list->size() == 2 ? read_block(*list) : std::nullopt;
  }
  const auto* text = mask_type.get<std::string>();
  if (text == nullptr || text->empty()) {
    return std::nullopt;
  }
  if (*text == "unstructured") return ir::Structure{};
  if (*text == "channel") return ir::Structure{ir::Structure::Kind::channel};
  if (*text == "filter") return ir::Structure{ir::Structure::Kind::filter};
  const bool bracketed = (text->front() == '[' && text->back() == ']') || (text->front() == '(' && text->back() == ')');
  if (!bracketed || text->size() <= 2) {
    return std::nullopt;
  }
  return read_pair(std::string_view(*text).substr(1, text->size() - 2), ',', ir::Structure::Kind::block);
}

std::optional<ir::Structure> read_structure(const Modifier& modifier, const Value& mask_type) {
  return modifier.framework == Framework::pytorch ? read_pytorch(mask_type) : read_dimensions(mask_type);
}

void check_dimension_mask(Modifier& modifier, diag::Sink& sink) {
  const Field* field = modifier.readable("mask_type");
  if (field == nullptr || read_structure(modifier, field->value)) {
    return;
  }
  const bool refused = modifier.framework != Framework::keras;
  sink.report(diag::mask_type_unknown, field->value.span, source::describe(field->value), modifier.spec->name)
      .with_severity(refused ? diag::Severity::error : later(modifier))
      .with_help("use `unstructured`, `channel`, `filter` or a block such as `[1, 4]`");
  if (refused) {
    invalidate(modifier, "mask_type");
  }
}

}  // namespace sparsecfg::dialect::sparseml
