#include "lsp/document.h"

#include <utility>

#include "base/text.h"
#include "compile/places.h"
#include "diag/sink.h"
#include "doc/readers.h"
#include "format/format.h"

namespace sparsecfg::lsp {

using source::Span;

Document::Document(std::string uri, std::string path, std::string text)
    : uri_(std::move(uri)), path_(std::move(path)), text_(std::move(text)) {}

void Document::invalidate() {
  forget();
  is_good_current_ = false;
}

void Document::forget() {
  is_read_ = false;
  fix_all.reset();
  formatting.reset();
  with_tested_fixes.reset();
}

void Document::replace_all(std::string text) {
  text_ = Text(std::move(text));
  invalidate();
}

void Document::replace(Range range, std::string_view text) {
  text_.replace(text_.span(range), text);
  invalidate();
}

std::optional<doc::Document> read_tree(const source::SourceFile& file, const doc::Limits& limits) {
  diag::Sink ignored;
  if (base::to_lower(base::ending_of(file.name())) == "py") {
    return places::lists_in(file, limits);
  }
  const auto part = format::part_of(file);
  return part ? doc::read_yaml(file, *part, limits, ignored) : std::nullopt;
}

// A file in an editor need not be a recipe, so unknown files are skipped, as in the search of a folder.
void Document::read(const CompileOptions& given) {
  if (is_read_) {
    return;
  }
  CompileOptions options = given;
  options.skip_unknown = true;
  source::Loaded text = source::LoadError{"too large", true};
  if (text_.size() <= options.limits.bytes) {
    text = text_.bytes();
  }
  Compilation compilation = compile(path_, std::move(text), options);
  is_read_ = true;
  findings_ = std::move(compilation.diagnostics);
  limits_ = options.limits;
  keep(std::move(compilation));
}

const dialect::Dialect* Document::dialect_of_found() const {
  return found_.empty() ? nullptr : dialect::find_dialect(found_.front().dialect);
}

// Returns true if recipes are only a part of the file.
static bool is_around_recipes(const std::string& path) {
  const std::string ending = base::to_lower(base::ending_of(path));
  return ending == "py" || ending == "ipynb" || doc::is_markdown(path);
}

void Document::keep(Compilation compilation) {
  found_ = is_around_recipes(path_) ? std::move(compilation.recipes) : std::vector<ir::FoundRecipe>();
  if (compilation.recipe) {
    const dialect::Dialect* dialect = compilation.dialect ? dialect::find_dialect(*compilation.dialect) : nullptr;
    good_ = std::make_unique<Reading>(Reading{std::move(compilation), {}, {}, {}, false, dialect});
    is_good_current_ = true;
    since_good_ = {};
  } else if (compilation.skipped) {
    good_.reset();
  } else if (good_) {
    since_good_ = difference(good_->compilation.file->text(), text_.bytes());
  }
}

const Reading* Document::good() {
  if (good_ && !good_->tree) {
    good_->tree = read_tree(*good_->compilation.file, limits_);
    if (good_->tree) good_->spans.emplace(good_->compilation.file->text(), *good_->tree);
  }
  return good_ && good_->tree ? good_.get() : nullptr;
}

const Schedule* Document::schedule(const project::FileOptions& options) {
  if (good_ && !good_->is_followed) {
    if (good_->compilation.runs()) good_->schedule = schedule_of(*good_->compilation.recipe, options);
    good_->is_followed = true;
  }
  return good_ && good_->schedule ? &*good_->schedule : nullptr;
}

std::optional<Span> Document::to_text(Span good) const {
  if (good.end <= since_good_.before.begin || is_good_current_) {
    return good;
  }
  if (good.begin < since_good_.before.end) {
    return std::nullopt;
  }
  const auto moved = [&](std::uint32_t at) { return at - since_good_.before.end + since_good_.after.end; };
  return Span{moved(good.begin), moved(good.end)};
}

std::optional<std::uint32_t> Document::to_good(std::uint32_t offset) const {
  if (offset <= since_good_.after.begin || is_good_current_) {
    return offset;
  }
  if (offset < since_good_.after.end) {
    return std::nullopt;
  }
  return offset - since_good_.after.end + since_good_.before.end;
}

}  // namespace sparsecfg::lsp
