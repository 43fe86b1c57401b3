#include "architecture/listing.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "architecture/tables.h"

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

// Adds the containers of a module that are not listed themselves.
static void add_module(std::vector<model::Module>& out, std::unordered_map<std::string, std::size_t>& known,
                       model::Module module) {
  for (std::size_t dot = module.name.find('.'); dot != std::string::npos; dot = module.name.find('.', dot + 1)) {
    std::string parent = module.name.substr(0, dot);
    if (known.emplace(parent, out.size()).second) out.push_back({std::move(parent), "Module"});
  }
  if (const auto [place, added] = known.emplace(module.name, out.size()); !added) {
    out[place->second] = std::move(module);
  } else {
    out.push_back(std::move(module));
  }
}

// Parses `name Class [64,3,7,7] b`.
static model::Module module_of(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t second = std::min(line.find(' ', first + 1), line.size());
  model::Module out{std::string(line.substr(0, first)), std::string(line.substr(first + 1, second - first - 1))};
  const std::string_view rest = line.substr(second);
  const std::size_t end = rest.find(']');
  if (end != std::string_view::npos) out.shape = model::read_shape(rest.substr(0, end + 1));
  return out;
}

std::vector<model::Module> listed_network(std::string_view library, std::string_view name) {
  std::vector<model::Module> out;
  std::unordered_map<std::string, std::size_t> known;
  bool listed = false;
  for_each_line(table_of(library), [&](std::string_view line) {
    if (line.starts_with('[')) {
      listed = line.substr(1, line.size() - 2) == name;
    } else if (listed && line.find(' ') != std::string_view::npos) {
      add_module(out, known, module_of(line));
    }
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

model::Parameters parameters_of(const std::vector<model::Module>& modules) {
  model::Parameters out;
  for (const model::Module& module : modules) {
    if (!module.shape) continue;
    out.names.push_back(module.name + std::string(model::kWeightEnding));
    out.shapes.push_back(module.shape);
  }
  return out;
}

}  // namespace sparsecfg::architecture
