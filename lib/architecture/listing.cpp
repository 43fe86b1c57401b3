#include "architecture/listing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "architecture/tables.h"
#include "base/budget.h"
#include "base/limit_table.h"
#include "base/text.h"

namespace sparsecfg::architecture {

static std::string_view table_of(std::string_view library) {
  return library == "torchvision" ? kTorchvision : library == "sparseml" ? kSparseml : std::string_view();
}

// Calls visit(line) for each line.
static void for_each_line(std::string_view text, auto visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Collects modules and their containers that are not listed themselves. Deeply nested names have long containers, so
// the memory is limited.
class ModuleList {
 public:
  // Returns false if the limit is exceeded.
  bool add(model::Module module) {
    for (std::size_t dot = module.name.find('.'); dot != std::string::npos; dot = module.name.find('.', dot + 1)) {
      if (!place_of({module.name.substr(0, dot), "Module"})) return false;
    }
    const auto place = place_of(module);
    if (place) modules_[*place] = std::move(module);
    return place.has_value();
  }

  [[nodiscard]] bool knows(const std::string& name) const { return known_.contains(name); }

  [[nodiscard]] std::vector<model::Module> take() { return std::move(modules_); }

 private:
  std::optional<std::size_t> place_of(model::Module module) {
    constexpr std::size_t kCostOfModule = 200;
    if (const auto found = known_.find(module.name); found != known_.end()) return found->second;
    if (!budget_.allocate(kCostOfModule + 2 * module.name.size())) return std::nullopt;
    known_.emplace(module.name, modules_.size());
    modules_.push_back(std::move(module));
    return modules_.size() - 1;
  }

  std::vector<model::Module> modules_;
  std::unordered_map<std::string, std::size_t> known_;
  base::Budget budget_{{.bytes = limits::kMaxInferredBytes}};
};

// Calls visit(word) for the words of a line.
static void for_each_word(std::string_view line, auto visit) {
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    visit(line.substr(at, end - at));
    at = end + 1;
  }
}

// A module with all of its parameters.
struct ListedModule {
  model::Module module;
  model::Parameters parameters;
};

// Parses `name Class [64,3,7,7] b parameter[8]`.
static ListedModule read_line(std::string_view line) {
  ListedModule out;
  std::size_t number = 0;
  const auto add = [&](std::string_view name, std::optional<model::Shape> shape) {
    out.parameters.names.push_back(out.module.name.empty() ? std::string(name)
                                                           : out.module.name + "." + std::string(name));
    out.parameters.shapes.push_back(std::move(shape));
  };
  for_each_word(line, [&](std::string_view word) {
    const std::size_t bracket = word.find('[');
    if (number == 0) {
      out.module.name = word;
    } else if (number == 1) {
      out.module.type = word;
    } else if (bracket == 0) {
      out.module.shape = model::read_shape(word);
      add("weight", out.module.shape);
    } else if (word == "b" && out.module.shape && !out.module.shape->empty()) {
      add("bias", model::Shape{out.module.shape->front()});
    } else if (bracket != std::string_view::npos) {
      add(word.substr(0, bracket), model::read_shape(word.substr(bracket)));
    }
    ++number;
  });
  return out;
}

// Calls visit(line) for the lines of a network.
static void for_each_module(std::string_view library, std::string_view name, auto visit) {
  bool listed = false;
  for_each_line(table_of(library), [&](std::string_view line) {
    if (line.starts_with('[')) {
      listed = line.substr(1, line.size() - 2) == name;
    } else if (listed && line.find(' ') != std::string_view::npos) {
      visit(line);
    }
  });
}

std::vector<model::Module> listed_network(std::string_view library, std::string_view name) {
  ModuleList out;
  for_each_module(library, name, [&](std::string_view line) { out.add(read_line(line).module); });
  return out.take();
}

model::Parameters listed_parameters(std::string_view library, std::string_view name) {
  model::Parameters out;
  for_each_module(library, name, [&](std::string_view line) {
    const model::Parameters own = read_line(line).parameters;
    out.names.insert(out.names.end(), own.names.begin(), own.names.end());
    out.shapes.insert(out.shapes.end(), own.shapes.begin(), own.shapes.end());
  });
  return out;
}

std::vector<std::string_view> listed_networks(std::string_view library) {
  std::vector<std::string_view> out;
  if (library == "torchvision") out = {"resnet18", "resnet34", "resnet50", "resnet101", "resnet152"};
  for_each_line(table_of(library), [&](std::string_view line) {
    if (line.starts_with('[')) out.push_back(line.substr(1, line.size() - 2));
  });
  return out;
}

// --- tensors ------------------------------------------------------------------------------------------

static std::string_view class_of(std::string_view name, const model::Shape& shape) {
  const std::string lower = base::to_lower(std::string(name));
  const bool embeds = lower.find("embed") != std::string::npos || lower.ends_with("wte") || lower.ends_with("wpe");
  switch (shape.size()) {
    case 2: return embeds ? "Embedding" : "Linear";
    case 3: return "Conv1d";
    case 4: return "Conv2d";
    case 5: return "Conv3d";
    default: return "Module";
  }
}

std::optional<std::vector<model::Module>> inferred_modules(const model::Parameters& parameters) {
  ModuleList out;
  if (std::ranges::none_of(parameters.shapes, [](const auto& shape) { return shape.has_value(); })) {
    return out.take();
  }
  for (std::size_t at = 0; at < parameters.names.size(); ++at) {
    const std::string& name = parameters.names[at];
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string module = name.substr(0, dot);
    const auto& shape = parameters.shapes[at];
    const bool is_layer = name.ends_with(model::kWeightEnding) && shape;
    if (!is_layer && out.knows(module)) continue;
    const std::string type(is_layer ? class_of(module, *shape) : "Module");
    if (!out.add({module, type, is_layer ? shape : std::nullopt})) return std::nullopt;
  }
  return out.take();
}

}  // namespace sparsecfg::architecture
