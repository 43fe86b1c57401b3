#include <algorithm>
#include <set>

#include "dialect/record/schema.h"

// Several types in one schema.
namespace sparsecfg::dialect {

using Json = nlohmann::ordered_json;

// Collects the accepted types, words, patterns and bounds.
class TypeMerger {
 public:
  void add(const Json& schema) {
    if (schema.empty()) {
      anything_ = true;
    } else if (schema.contains("anyOf")) {
      for (const Json& each : schema["anyOf"]) add(each);
    } else if (schema.contains("enum") || schema.contains("const")) {
      for (const Json& word : schema.contains("const") ? Json::array({schema["const"]}) : schema["enum"])
        add_word(word);
    } else {
      add_typed(schema);
    }
  }

  [[nodiscard]] Json result() const {
    if (anything_) {
      return Json::object();
    }
    Json out = {{"type", types_.size() == 1 ? types_.front() : Json(types_)}};
    out.update(keywords_);
    if (!any_string_) add_strings(out);
    return out;
  }

 private:
  void add_type(const Json& type) {
    if (std::ranges::find(types_, type) == types_.end()) types_.push_back(type);
  }

  void add_word(const Json& word) {
    add_type(word.is_string() ? "string" : word.is_boolean() ? "boolean" : word.is_null() ? "null" : "number");
    if (word.is_string() && std::ranges::find(words_, word) == words_.end()) words_.push_back(word);
  }

  void add_typed(const Json& schema) {
    bool has_string = false;
    for (const Json& type : schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]})) {
      add_type(type);
      has_string = has_string || type == "string";
    }
    any_string_ = any_string_ || (has_string && !schema.contains("pattern"));
    for (const auto& [keyword, value] : schema.items()) {
      if (keyword == "pattern") {
        patterns_.insert(value.get<std::string>());
      } else if (keyword != "type" && keyword != "description") {
        add_keyword(keyword, value);
      }
    }
  }

  void add_keyword(const std::string& keyword, const Json& value) {
    if (!keywords_.contains(keyword)) {
      keywords_[keyword] = value;
    } else if (keyword.ends_with("inimum")) {
      keywords_[keyword] = std::min(keywords_[keyword].get<double>(), value.get<double>());
    } else if (keyword.ends_with("aximum")) {
      keywords_[keyword] = std::max(keywords_[keyword].get<double>(), value.get<double>());
    } else if (keywords_[keyword] != value) {
      keywords_.erase(keyword);
    }
  }

  // A string that matches no pattern must be one of the words.
  void add_strings(Json& out) const {
    std::string pattern;
    for (const std::string& each : patterns_) {
      const bool is_part = std::ranges::any_of(
          patterns_, [&](const std::string& other) { return other != each && other.find(each) != std::string::npos; });
      if (!is_part) pattern += (pattern.empty() ? "" : "|") + each;
    }
    if (words_.empty()) {
      if (!pattern.empty()) out["pattern"] = pattern;
      return;
    }
    out["if"] = {{"type", "string"}};
    if (!pattern.empty()) out["if"]["not"] = {{"pattern", pattern}};
    out["then"] = {{"enum", words_}};
  }

  std::vector<Json> types_;
  std::vector<Json> words_;
  std::set<std::string> patterns_;
  Json keywords_ = Json::object();
  bool any_string_ = false;
  bool anything_ = false;
};

// If one alternative has an inclusive bound and another an exclusive one, keeps the wider bound.
static void drop_narrower(Json& schema, const char* included, const char* excluded, bool is_least) {
  if (!schema.contains(included) || !schema.contains(excluded)) {
    return;
  }
  const double with = schema[included];
  const double without = schema[excluded];
  schema.erase((is_least ? with <= without : with >= without) ? excluded : included);
}

Json merged(const std::vector<Json>& alternatives) {
  TypeMerger merger;
  for (const Json& each : alternatives) merger.add(each);
  Json out = merger.result();
  drop_narrower(out, "minimum", "exclusiveMinimum", true);
  drop_narrower(out, "maximum", "exclusiveMaximum", false);
  return out;
}

}  // namespace sparsecfg::dialect
