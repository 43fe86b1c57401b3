#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "diag/sink.h"
#include "dialect/options.h"
#include "dialect/quantizers/script_code.h"
#include "dialect/recipe_call.h"
#include "doc/document.h"
#include "ir/recipe.h"
#include "script/forward.h"
#include "source/value.h"

// Recipes that a Python script constructs as objects.
namespace sparsecfg::dialect {

// A mapping that a class of the framework has constructed, so that its validators have run.
inline constexpr std::string_view kConstructedTag = "!constructed";

// The mappings of a recipe that classes have constructed.
struct Constructed {
  std::set<source::Span> places;
  std::set<source::Span> unknown;  // unknown values, from which no other value is derived
  bool all = false;                // true for a recipe in text, whose loader constructs all objects
};

// Functions of a dialect for its objects in scripts.
struct Objects {
  std::span<const std::string_view> words;     // a script without any of them cannot contain such objects
  std::span<const RecipeCall> calls;           // that run recipes
  bool (*makes)(const script::Value& object);  // true if a call constructs an element of a recipe
  // Returns the elements that a call constructs, in order. The budget is that of the recipes of the script.
  std::vector<script::Ref> (*elements)(const script::Ref& object, const ReadOptions& options, base::Budget& budget);
  // Returns true if a call of the path neither changes its arguments nor calls functions of the script. A path that no
  // import defines starts with a period.
  bool (*keeps_arguments)(std::string_view path);
  // Returns the value of a constant that the framework exports; null if it is not a dictionary.
  script::Ref (*constant)(std::string_view path, source::Span span);
  // Returns a name or object as a plain value, such as the string of an enum, or null.
  script::Ref (*plain)(const script::Value& value);
  // Returns the recipe of these elements as a document. `root` is the place of the whole recipe. Recipes can share
  // values, which are written once for each of them.
  doc::Document (*document)(const std::vector<script::Ref>& elements, source::Span root, base::Budget& budget);
  // Reports errors that elements have only as objects. `together`: all of them run.
  void (*check_elements)(const std::vector<script::Ref>& elements, bool together, diag::Sink& sink);
  // Reports errors around recipes: imports, and the calls that recipes are passed to.
  void (*check_script)(const script::Trace& trace, const ReadOptions& options, diag::Sink& sink);
  // Returns the elements of a recipe as the framework stores them, without defaults.
  std::vector<ir::Origin> (*origins)(const ir::Recipe& recipe, const Constructed& constructed);
  // The classes of the framework, for scripts that read or change the objects that they construct. See script::Library.
  // Null if the classes keep their arguments as they are.
  void (*construct)(script::Value& object, const script::Builder& builder) = nullptr;
  bool (*keeps_references)(std::string_view path) = nullptr;
  script::Ref (*field_value)(std::string_view path, std::string_view field, const script::Ref& argument) = nullptr;
  std::span<const ModelCall> model_calls{};  // that name the model of a configuration
  // Returns true for a method of an object that changes neither the object nor its arguments. Null if there is none.
  bool (*keeps_object)(const script::Value& object, std::string_view method) = nullptr;
  // Returns the calls around an element that decide what it means, such as those that save the model; null if there
  // are none. `document` receives the result after the elements. Null if a dialect needs no such calls.
  script::Ref (*program)(const script::Trace& trace, const script::Ref& object) = nullptr;
  // Names of the framework in help lines about recipes, which a script may not import.
  std::span<const quantizers::Exported> exported{};
};

inline constexpr std::size_t kCostOfElement = 8;  // steps for each node, because the nodes of all recipes are kept

// Converts values of scripts to nodes. An unknown value becomes a scalar with kNotLiteralTag. Its text is that of an
// ir::Reason whose line is still the offset of the cause.
class ObjectWriter {
 public:
  // `tuple_tag`: the tag of tuples and sets; those of lists are empty.
  ObjectWriter(script::Ref (*plain)(const script::Value&), base::Budget& budget, std::string_view tuple_tag = {})
      : plain_(plain), budget_(budget), tuple_tag_(tuple_tag) {}

  doc::NodeId text(std::string_view text, source::Span span);
  doc::NodeId mapping(std::vector<doc::NodeId> items, source::Span span);
  doc::NodeId sequence(std::vector<doc::NodeId> items, source::Span span);
  doc::NodeId value(const script::Value& value);
  // Returns the named arguments of an object as a mapping.
  doc::NodeId arguments(const script::Value& object);
  [[nodiscard]] doc::Document take(doc::NodeId root);

 private:
  doc::NodeId add(doc::Node node);
  doc::NodeId scalar(const script::Value& value);
  doc::NodeId unknown(const script::Value& value, std::string_view why);

  script::Ref (*plain_)(const script::Value&);
  base::Budget& budget_;
  std::string_view tuple_tag_;
  doc::Document out_;
};

}  // namespace sparsecfg::dialect
