#include "source/load.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "source/search.h"

#include "source/save.h"

namespace sparsecfg::source {

namespace fs = std::filesystem;

namespace {

// A folder of its own for each test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "sparsecfg-XXXXXX").native();
    path_ = ::mkdtemp(pattern.data());
  }

  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  ~TemporaryFolder() { fs::remove_all(path_); }

  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).native(); }

  [[nodiscard]] std::string path() const { return path_.native(); }

  std::string write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(*this / name).parent_path());
    std::ofstream(*this / name, std::ios::binary) << text;
    return *this / name;
  }

  [[nodiscard]] std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

}  // namespace

static std::string text_of(const Loaded& loaded) {
  const auto* text = std::get_if<std::string>(&loaded);
  return text != nullptr ? *text : "error: " + std::get<LoadError>(loaded).reason;
}

static std::string reason(const Loaded& loaded) {
  const auto* error = std::get_if<LoadError>(&loaded);
  return error != nullptr ? error->reason : "";
}

static std::string content(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

static fs::perms mode_of(const std::string& path) { return fs::status(path).permissions(); }

// The superuser may read and write everything, so there is nothing to refuse.
static bool permissions_count() { return ::geteuid() != 0; }

TEST_CASE("a file is read as it is") {
  const TemporaryFolder folder;
  const std::string bytes("a\r\n\0\xFF", 5);
  CHECK(text_of(read_file(folder.write("a.yaml", bytes), 100)) == bytes);
  CHECK(text_of(read_file(folder.write("empty.yaml", ""), 100)).empty());
  CHECK(text_of(read_file(folder.write("large.yaml", std::string(200'000, 'x')), 200'000)).size() == 200'000);
}

TEST_CASE("a link that is named is followed") {
  const TemporaryFolder folder;
  folder.write("a.yaml", "text");
  fs::create_symlink("a.yaml", folder / "link.yaml");
  CHECK(text_of(read_file(folder / "link.yaml", 100)) == "text");
  fs::create_symlink("loop", folder / "loop");
  CHECK(reason(read_file(folder / "loop", 100)) == "too many symbolic links");
}

TEST_CASE("a file over the limit and one that can't be read get different errors") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.yaml", "12345");
  CHECK(text_of(read_file(path, 5)) == "12345");
  const Loaded loaded = read_file(path, 4);
  REQUIRE(std::holds_alternative<LoadError>(loaded));
  CHECK(std::get<LoadError>(loaded).too_large);
  CHECK_FALSE(std::get<LoadError>(read_file(folder / "none", 4)).too_large);
}

TEST_CASE("what is no regular file is refused without waiting for it") {
  const TemporaryFolder folder;
  CHECK(reason(read_file(folder / "none.yaml", 100)) == "no such file");
  CHECK(reason(read_file("", 100)) == "no such file");
  CHECK(reason(read_file(folder.path(), 100)) == "is a directory");
  CHECK(reason(read_file(folder.write("a.yaml", "") + "/b", 100)) == "a component of the path is not a directory");
  CHECK(reason(read_file("/dev/zero", 100)) == "not a regular file");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(reason(read_file(folder / "pipe", 100)) == "not a regular file");
  CHECK(reason(read_file(folder / std::string(300, 'n'), 100)) == "the file name is too long");
}

TEST_CASE("a file without permission") {
  if (permissions_count()) {
    const TemporaryFolder folder;
    fs::permissions(folder.write("a.yaml", "x"), fs::perms::none);
    CHECK(reason(read_file(folder / "a.yaml", 100)) == "permission denied");
  }
}

TEST_CASE("standard input has the same limit") {
  std::istringstream five("12345");
  CHECK(text_of(read_stdin(five, 5)) == "12345");
  std::istringstream six("123456");
  CHECK(std::get<LoadError>(read_stdin(six, 5)).too_large);
  std::istringstream none("");
  CHECK(text_of(read_stdin(none, 5)).empty());
  std::istringstream large(std::string(200'000, 'x'));
  CHECK(text_of(read_stdin(large, 1'000'000)).size() == 200'000);
  std::istringstream broken("x");
  broken.setstate(std::ios::badbit);
  CHECK(reason(read_stdin(broken, 5)) == "can't be read");
}

TEST_CASE("recipes of a folder are found in order") {
  const TemporaryFolder folder;
  for (const char* name : {"b.yaml", "a.yml", "c/z.md", "c/a.json", "B.py", "notes.txt", "yaml", ".git/x.yaml"}) {
    folder.write(name, "");
  }
  fs::create_symlink(folder / "b.yaml", folder / "link.yaml");
  fs::create_directory_symlink(folder.path(), folder / "again");
  REQUIRE(::mkfifo((folder / "pipe.yaml").c_str(), 0600) == 0);
  fs::create_directory(folder / "folder.yaml");
  const FoundFiles found = find_recipes(folder.path());
  CHECK(found.problems.empty());
  CHECK(found.files ==
        std::vector{folder / "B.py", folder / "a.yml", folder / "b.yaml", folder / "c/a.json", folder / "c/z.md"});
}

TEST_CASE("what git ignores, environments and packages of others are left out") {
  const TemporaryFolder folder;
  for (const char* name : {"a.yaml", "build/b.yaml", "sub/c.yaml", "sub/keep.yaml", "node_modules/d.yaml", "env/e.yaml",
                           ".git/info/exclude", "local.yaml"}) {
    folder.write(name, "");
  }
  folder.write("env/pyvenv.cfg", "");
  folder.write(".git/info/exclude", "local.yaml\n");
  folder.write(".gitignore", "build/\n/sub/c.yaml\nkeep.yaml\n");
  folder.write("sub/.gitignore", "!keep.yaml\n");
  CHECK(find_recipes(folder.path()).files == std::vector{folder / "a.yaml", folder / "sub/keep.yaml"});
  CHECK(find_recipes(folder / "sub").files == std::vector{folder / "sub/keep.yaml"});
  CHECK(find_recipes(folder.path(), {false, {}}).files == std::vector{folder / "a.yaml", folder / "build/b.yaml",
                                                                      folder / "local.yaml", folder / "sub/c.yaml",
                                                                      folder / "sub/keep.yaml"});
}

TEST_CASE("a search tells what it left out, and why") {
  const TemporaryFolder folder;
  for (const char* name : {"A.YAML", "b.YmL", "old.yaml", "build/b.yaml", "node_modules/d.yaml", "env/e.yaml",
                           ".git/x.yaml", ".cache/x.yaml", ".sparsecfg.yaml", "notes.txt"}) {
    folder.write(name, "");
  }
  folder.write("env/pyvenv.cfg", "");
  folder.write(".gitignore", "build/\n");
  fs::create_symlink(folder / "A.YAML", folder / "link.yaml");
  const auto excludes = [&](const std::string& path, bool) { return path.ends_with("old.yaml"); };
  const SearchResult found = search_recipes(folder.path(), {true, excludes});
  CHECK(found.files == std::vector{folder / "A.YAML", folder / "b.YmL"});
  std::vector<std::string> skipped;
  for (const auto& each : found.skipped) skipped.push_back(each.path.substr((folder / "").size()) + ": " + each.reason);
  CHECK(skipped == std::vector<std::string>{".cache/: hidden folder", "build/: excluded by .gitignore",
                                            "env/: virtual environment", "link.yaml: symbolic link",
                                            "node_modules/: dependencies", "old.yaml: excluded by .sparsecfg.yaml"});
}

TEST_CASE("the current folder adds nothing to a path") {
  const TemporaryFolder folder;
  folder.write("c/a.yaml", "");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  const auto found = find_recipes(".");
  fs::current_path(before);
  CHECK(found.files == std::vector<std::string>{"c/a.yaml"});
}

TEST_CASE("folders that can't be searched are told") {
  const TemporaryFolder folder;
  folder.write("a.yaml", "");
  const FoundFiles none = find_recipes(folder / "none");
  REQUIRE(none.problems.size() == 1);
  CHECK(none.problems[0].reason == "no such file");

  std::string deep = "d";
  for (int level = 0; level < 40; ++level) {
    deep += "/d";
  }
  folder.write(deep + "/b.yaml", "");
  const FoundFiles found = find_recipes(folder.path());
  CHECK(found.files == std::vector{folder / "a.yaml"});
  REQUIRE(found.problems.size() == 1);
  CHECK(found.problems[0].reason == "nested more than 32 folders deep");
}

TEST_CASE("a folder without permission is reported and the rest is searched") {
  if (permissions_count()) {
    const TemporaryFolder folder;
    folder.write("a.yaml", "");
    folder.write("closed/b.yaml", "");
    fs::permissions(folder / "closed", fs::perms::none);
    const FoundFiles found = find_recipes(folder.path());
    fs::permissions(folder / "closed", fs::perms::owner_all);
    CHECK(found.files == std::vector{folder / "a.yaml"});
    REQUIRE(found.problems.size() == 1);
    CHECK(found.problems[0].path == folder / "closed");
    CHECK(found.problems[0].reason == "permission denied");
  }
}

TEST_CASE("a file is written, replaced, and keeps its mode") {
  const TemporaryFolder folder;
  const std::string path = folder / "out.yaml";
  REQUIRE(write_file(path, "one") == std::nullopt);
  CHECK(content(path) == "one");
  fs::permissions(path, fs::perms(0640));
  REQUIRE(write_file(path, "two") == std::nullopt);
  CHECK(content(path) == "two");
  CHECK(mode_of(path) == fs::perms(0640));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a link stays a link") {
  const TemporaryFolder folder;
  folder.write("kept/a.yaml", "one");
  fs::create_symlink("kept/a.yaml", folder / "link.yaml");
  REQUIRE(write_file(folder / "link.yaml", "two") == std::nullopt);
  CHECK(fs::is_symlink(folder / "link.yaml"));
  CHECK(content(folder / "kept/a.yaml") == "two");
}

TEST_CASE("a failed write leaves nothing behind") {
  const TemporaryFolder folder;
  CHECK(write_file(folder / "none/out.yaml", "x") == "no such file");
  CHECK(write_file(folder.path(), "x") == "is a directory");
  CHECK(write_file("/dev/null", "x") == "not a regular file");
  CHECK(folder.entries() == 0);
}

TEST_CASE("a folder that takes no files") {
  if (permissions_count()) {
    const TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    CHECK(write_file(folder / "out.yaml", "x") == "permission denied");
    fs::permissions(folder.path(), fs::perms::owner_all);
    CHECK(folder.entries() == 0);
  }
}

TEST_CASE("a file is replaced only while it holds what was read") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.yaml", "one");
  CHECK(replace_file(path, "one", "two") == std::nullopt);
  CHECK(content(path) == "two");
  CHECK(replace_file(path, "one", "three") == "the file was changed in the meantime and was not written");
  CHECK(replace_file(path, "two and more", "three") == "the file was changed in the meantime and was not written");
  CHECK(content(path) == "two");
  CHECK(folder.entries() == 1);
}

TEST_CASE("a file that is there is not replaced unasked") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.yaml", "one");
  CHECK(write_file(path, "two", Existing::refuse) == "the file already exists; use --force to replace it");
  CHECK(content(path) == "one");
  CHECK(write_file(folder / "b.yaml", "two", Existing::refuse) == std::nullopt);
  CHECK(content(folder / "b.yaml") == "two");
}

TEST_CASE("what would change more than the text is refused") {
  const TemporaryFolder folder;
  fs::permissions(folder.write("read-only.yaml", "one"), fs::perms(0444));
  CHECK(write_file(folder / "read-only.yaml", "two") == "the file is read-only");
  fs::create_hard_link(folder.write("a.yaml", "one"), folder / "b.yaml");
  CHECK(write_file(folder / "a.yaml", "two") == "the file has several hard links, which writing would separate");
  fs::create_symlink("nowhere", folder / "link.yaml");
  CHECK(write_file(folder / "link.yaml", "two") == "broken symbolic link");
  fs::create_symlink("loop.yaml", folder / "loop.yaml");
  CHECK(write_file(folder / "loop.yaml", "two") == "too many symbolic links");
  CHECK(folder.entries() == 5);
}

TEST_CASE("the owner of a file stays") {
  if (!permissions_count()) {
    const TemporaryFolder folder;
    const std::string path = folder.write("a.yaml", "one");
    REQUIRE(::chown(path.c_str(), 1234, 2345) == 0);
    fs::permissions(path, fs::perms(0751));
    REQUIRE(replace_file(path, "one", "two") == std::nullopt);

    struct stat status {};

    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK(status.st_uid == 1234);
    CHECK(status.st_gid == 2345);
    CHECK((status.st_mode & 07777) == 0751);
  }
}

TEST_CASE("a file of the longest name is replaced too") {
  const TemporaryFolder folder;
  const std::string path = folder.write(std::string(255, 'n'), "one");
  CHECK(replace_file(path, "one", "two") == std::nullopt);
  CHECK(content(path) == "two");
}

TEST_CASE("two names of a file are told") {
  const TemporaryFolder folder;
  folder.write("a.yaml", "one");
  fs::create_symlink("a.yaml", folder / "link.yaml");
  CHECK(is_same_file(folder / "a.yaml", folder / "link.yaml"));
  CHECK_FALSE(is_same_file(folder / "a.yaml", folder.write("b.yaml", "one")));
  CHECK_FALSE(is_same_file(folder / "a.yaml", folder / "none.yaml"));
}

}  // namespace sparsecfg::source
