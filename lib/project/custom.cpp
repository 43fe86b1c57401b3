#include "project/custom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/edit_distance.h"
#include "base/text.h"
#include "dialect/dialect.h"

namespace sparsecfg::project {

using dialect::CustomClass;
using source::Value;

static std::set<std::string> known_classes() {
  std::set<std::string> out;
  for (const dialect::Dialect* dialect : dialect::dialects()) {
    const std::vector<dialect::Page> pages =
        dialect->pages == nullptr ? std::vector<dialect::Page>() : dialect->pages();
    for (const dialect::Page& page : pages) out.emplace(page.name);
  }
  return out;
}

namespace {

class CustomReader {
 public:
  std::variant<std::vector<CustomClass>, Rejection> read(const Value& value) {
    const auto* map = value.get<source::Map>();
    if (map == nullptr) {
      reject(value, "`custom` must be a mapping of classes, such as `{MyModifier: {like: GMPruningModifier}}`");
    }
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      read_class((*map)[at].first, (*map)[at].second);
    }
    if (!rejection_.reason.empty()) return rejection_;
    return std::move(out_);
  }

 private:
  void reject(const Value& value, std::string reason) {
    if (rejection_.reason.empty()) rejection_ = {value.span, std::move(reason)};
  }

  void read_class(const Value& key, const Value& value) {
    CustomClass custom{source::python_str(key), {}, false, {}};
    const auto* map = value.get<source::Map>();
    if (map == nullptr && !value.is_null()) {
      return reject(value,
                    fmt::format("`{}` must be a mapping with `like` and `fields`", base::printable(custom.name)));
    }
    for (std::size_t at = 0; map != nullptr && at < map->size(); ++at) {
      const std::string name = source::python_str((*map)[at].first);
      if (name == "like") {
        read_like((*map)[at].second, custom);
      } else if (name == "fields") {
        read_fields((*map)[at].second, custom);
      } else {
        reject((*map)[at].first, fmt::format("unknown key `{}`; choose `like` or `fields`", base::printable(name)));
      }
    }
    out_.push_back(std::move(custom));
  }

  void read_like(const Value& value, CustomClass& custom) {
    custom.like = source::python_str(value);
    if (known_.empty()) known_ = known_classes();
    if (rejection_.reason.empty() && !known_.contains(custom.like)) {
      const std::vector<std::string_view> names(known_.begin(), known_.end());
      reject(value, fmt::format("unknown class `{}`; {}", base::printable(custom.like),
                                base::did_you_mean(base::nearest(custom.like, names),
                                                   "list the classes with `sparsecfg explain modifiers`")));
    }
  }

  void read_fields(const Value& value, CustomClass& custom) {
    const auto* text = value.get<std::string>();
    const auto* map = value.get<source::Map>();
    if (text != nullptr && *text == "any") {
      custom.any_fields = true;
      return;
    }
    if (map == nullptr) {
      return reject(value, "`fields` must be `any`, or a mapping of names to types, such as `{block_pairs: int}`");
    }
    for (const auto& [name, type] : *map) {
      if (const auto known = dialect::read_custom_type(source::python_str(type))) {
        custom.fields.emplace_back(source::python_str(name), *known);
      } else {
        reject(type, fmt::format("unknown type `{}`; choose one of {}", base::printable(source::python_str(type)),
                                 fmt::join(dialect::custom_type_words(), ", ")));
      }
    }
  }

  std::set<std::string> known_;  // read with the first class that names another
  std::vector<CustomClass> out_;
  Rejection rejection_;
};

}  // namespace

std::variant<std::vector<CustomClass>, Rejection> read_custom(const Value& value) { return CustomReader().read(value); }

// Returns the longest name of a class in the dialect that ends the name, or an empty string.
static std::string known_end_of(std::string_view name, std::string_view dialect_name) {
  const dialect::Dialect* dialect = dialect::find_dialect(dialect_name);
  std::string out;
  const auto pages = dialect == nullptr || dialect->pages == nullptr ? std::vector<dialect::Page>() : dialect->pages();
  for (const dialect::Page& page : pages) {
    if (name.ends_with(page.name) && page.name.size() > out.size()) out = page.name;
  }
  return out;
}

static std::string_view class_in(std::string_view written) {
  const auto is_word = [](char c) { return base::is_letter(c) || base::is_digit(c) || c == '_'; };
  while (!written.empty() && !is_word(written.front())) written.remove_prefix(1);
  while (!written.empty() && !is_word(written.back())) written.remove_suffix(1);
  return std::ranges::all_of(written, is_word) ? written : std::string_view();
}

std::string propose_custom(const std::vector<const Compilation*>& compilations) {
  std::map<std::string, std::string> likes;
  for (const Compilation* compilation : compilations) {
    for (const diag::Diagnostic& finding : compilation->diagnostics) {
      const bool unknown = finding.info == &diag::unknown_modifier.info;
      const std::string_view name = unknown ? class_in(compilation->file->text(finding.span)) : std::string_view();
      if (!name.empty()) likes[std::string(name)] = known_end_of(name, compilation->dialect.value_or(""));
    }
  }
  std::string out = likes.empty() ? "" : "custom:\n";
  for (const auto& [name, like] : likes) {
    out += like.empty() ? fmt::format("  {}: {{fields: any}}\n", name)
                        : fmt::format("  {}: {{like: {}, fields: any}}\n", name, like);
  }
  return out;
}

}  // namespace sparsecfg::project
