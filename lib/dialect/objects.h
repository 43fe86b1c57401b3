#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "diag/sink.h"
#include "dialect/options.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "script/value.h"

// Recipes that a Python script builds as objects.
namespace sparsecfg::dialect {

// A mapping that a class of the framework has made, so that its validators have run.
inline constexpr std::string_view kConstructedTag = "!constructed";

// The mappings of a recipe that classes have made.
struct Constructed {
  std::set<source::Span> places;
  std::set<source::Span> unknown;  // values that are not known, from which nothing is derived
  bool all = false;                // true for a recipe that is text: its loader makes objects of everything
};

// What a dialect knows of its objects in scripts.
struct Objects {
  std::span<const std::string_view> words;     // a script without any of them has no such objects
  std::span<const std::string_view> of_whole;  // codes that hold only if the elements are all of a recipe
  bool (*makes)(const script::Value& object);  // true if a call makes an element of a recipe
  // Returns the elements that a call makes, in order.
  std::vector<script::Ref> (*elements)(const script::Ref& object, const ReadOptions& options);
  // Returns the value of a constant that the framework exports; null if it is not a dictionary.
  script::Ref (*constant)(std::string_view path, source::Span span);
  // Returns a name or object as a plain value, such as the string of an enum; null if it is not known.
  script::Ref (*plain)(const script::Value& value);
  // Returns the recipe of these elements as a document. `root` is the place of the whole recipe.
  doc::Document (*document)(const std::vector<script::Ref>& elements, source::Span root);
  // Reports what is wrong with elements only because they are objects.
  void (*check_elements)(const std::vector<script::Ref>& elements, diag::Sink& sink);
  // Reports what is wrong around recipes: imports, and the calls that recipes are passed to.
  void (*check_script)(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);
  // Returns the elements of a recipe as the framework holds them, without defaults.
  std::vector<ir::Origin> (*origins)(const ir::Recipe& recipe, const Constructed& constructed);
};

// Converts values of scripts to nodes. What is not known becomes a scalar with kNotLiteralTag, whose text says why.
class ObjectWriter {
 public:
  explicit ObjectWriter(script::Ref (*plain)(const script::Value&)) : plain_(plain) {}

  doc::NodeId text(std::string_view text, source::Span span);
  doc::NodeId mapping(std::vector<doc::NodeId> items, source::Span span);
  doc::NodeId value(const script::Value& value);
  // Returns the named arguments of an object as a mapping.
  doc::NodeId arguments(const script::Value& object);
  [[nodiscard]] doc::Document take(doc::NodeId root);

 private:
  doc::NodeId add(doc::Node node);
  doc::NodeId scalar(const script::Value& value);
  doc::NodeId unknown(const script::Value& value, std::string_view why);

  script::Ref (*plain_)(const script::Value&);
  doc::Document out_;
  std::size_t depth_ = 0;
};

}  // namespace sparsecfg::dialect
