#include "architecture/auto_class.h"

#include <fmt/format.h>

#include <vector>

#include "architecture/scope.h"
#include "architecture/tables.h"
#include "base/text.h"

namespace sparsecfg::architecture {

using source::Value;

static const Value& auto_classes() {
  static const Value kClasses = value_of_json(kAutoClasses);
  return kClasses;
}

// llm-compressor up to 0.4 has a class of its own with the same mapping.
static std::string without_sparse(const std::string& loader) {
  return loader.starts_with("SparseAuto") ? loader.substr(6) : loader;
}

bool is_auto_class(const std::string& loader) { return auto_classes().find(without_sparse(loader)) != nullptr; }

namespace {

// A class and the releases that map a model type to it.
struct Mapped {
  std::string name;
  Releases releases;
};

// Reads "4.51" or "4.45 4.57" after the name of a class; all releases of the tables without them.
Releases releases_of(const std::vector<std::string_view>& words, std::size_t from) {
  Releases out{{0, 0}, {99, 0}};
  if (words.size() > from) out.first = version_of(words[from]).value_or(out.first);
  if (words.size() > from + 1) out.last = version_of(words[from + 1]).value_or(out.last);
  return out;
}

std::vector<std::string_view> split_at(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (const auto part = base::trim(text.substr(0, end)); !part.empty()) out.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Returns the classes of a model type in the mapping of an Auto class: "A 4.55 5.9, B 5.10".
std::vector<Mapped> mapped_classes(const std::string& loader, const std::string& model_type) {
  const Value* row = auto_classes().find(loader);
  const Value* classes = row == nullptr ? nullptr : row->find("classes");
  std::vector<Mapped> out;
  if (classes == nullptr) {
    return out;
  }
  const std::string text = string_at(*classes, model_type);
  for (const std::string_view part : split_at(text, ',')) {
    const auto words = split_at(part, ' ');
    out.push_back({std::string(words[0]), releases_of(words, 1)});
  }
  // AutoModelForMultimodalLM also builds the classes of the older Auto class.
  return out.empty() && loader == "AutoModelForMultimodalLM" ? mapped_classes("AutoModelForImageTextToText", model_type)
                                                             : out;
}

Releases existence_of(const std::string& loader) {
  const Value* row = auto_classes().find(loader);
  Releases out = row == nullptr ? Releases() : releases_of(split_at(string_at(*row, "releases"), ' '), 0);
  if (out.last == kNewestTransformers) out.last = {99, 0};
  return out;
}

}  // namespace

std::string usual_loader(const std::string& model_type, const Releases& transformers) {
  for (const char* other : {"AutoModelForCausalLM", "AutoModelForImageTextToText", "AutoModelForMultimodalLM",
                            "AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq", "AutoModel"}) {
    if (!overlap(existence_of(other), transformers)) continue;
    for (const Mapped& mapped : mapped_classes(other, model_type)) {
      if (overlap(mapped.releases, transformers)) return other;
    }
  }
  return {};
}

ChosenClass chosen_class(const std::string& loader, const std::string& model_type, const Releases& transformers) {
  const std::string own = without_sparse(loader);
  const Releases exists = existence_of(own);
  std::vector<Mapped> classes = mapped_classes(own, model_type);
  const bool never = classes.empty();
  std::erase_if(classes, [&](const Mapped& each) { return !overlap(each.releases, transformers); });
  if (classes.empty() || !overlap(exists, transformers)) {
    MissingClass missing{loader, model_type, usual_loader(model_type, transformers), never};
    if (missing.instead.empty()) {
      return {{}, fmt::format("transformers {} has no class for `{}`", to_string(transformers), model_type), {}};
    }
    std::string reason =
        fmt::format("`{}` has no class for `{}`; load the model with `{}`", loader, model_type, missing.instead);
    return {{}, std::move(reason), std::move(missing)};
  }
  if (classes.size() > 1) {
    return {{},
            fmt::format("`{}` builds other classes in releases {} of transformers", loader, to_string(transformers)),
            {}};
  }
  return {classes[0].name, {}, {}};
}

}  // namespace sparsecfg::architecture
