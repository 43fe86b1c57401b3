# Finds the libraries, or reports the missing ones and how to install them.

# Packages of each library on Debian and Ubuntu, Fedora, and Arch, separated by `|`. Several packages are separated by
# spaces; `-` means that no package exists. The test `documents` compares this table with that in docs/install.md.
set(packages_libyaml "libyaml-dev|libyaml-devel|libyaml")
set(packages_yaml-cpp "libyaml-cpp-dev|yaml-cpp-devel yaml-cpp-static|yaml-cpp")
set(packages_PCRE2 "libpcre2-dev|pcre2-devel pcre2-static|pcre2")
set(packages_libmd "libmd-dev|libmd-devel|libmd")
set(packages_CLI11 "libcli11-dev|cli11-devel|cli11")
set(packages_spdlog "libspdlog-dev|spdlog-devel|spdlog")
set(packages_nlohmann_json "nlohmann-json3-dev|json-devel|nlohmann-json")
set(packages_fmt "libfmt-dev|fmt-devel|fmt")

# Sets `out` to instructions for installing missing libraries (a list of names). `distribution` contains ID and ID_LIKE of
# /etc/os-release. The lines are indented, because CMake reflows unindented ones.
function(how_to_get out libraries distribution)
  set(column 0)
  set(command "On Debian and Ubuntu: apt-get install -y")
  if(distribution MATCHES "fedora|rhel")
    set(column 1)
    set(command "On Fedora: dnf install -y")
  elseif(distribution MATCHES "arch")
    set(column 2)
    set(command "On Arch: pacman -S --needed")
  endif()
  set(names "")
  set(without "")
  foreach(library IN LISTS libraries)
    string(REPLACE "|" ";" columns "${packages_${library}}")
    list(GET columns ${column} name)
    if(name STREQUAL "-")
      string(APPEND without " ${library}")
    else()
      string(APPEND names " ${name}")
    endif()
  endforeach()
  set(text "")
  if(names)
    string(APPEND text "  ${command}${names}\n")
  endif()
  if(without)
    string(APPEND text "  No package available for${without}: download the sources and pass -D CMAKE_PREFIX_PATH=DIR,\n"
      "  or set the environment variable CMAKE_PREFIX_PATH.\n")
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Sets `out` to ON if static archives of all linked libraries exist, including system libraries.
function(archives_are_there out)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES -static -lyaml -lyaml-cpp -lpcre2-8 -lmd)
  check_cxx_source_compiles("int main() {}" SPARSECFG_ARCHIVES)
  set(${out} ${SPARSECFG_ARCHIVES} PARENT_SCOPE)
endfunction()

# Finds a library by the names of its header and its file. Appends it to `missing` if it is not found.
macro(require_library variable library header file)
  find_path(${variable}_INCLUDE ${header})
  find_library(${variable} ${file})
  if(${variable} AND ${variable}_INCLUDE)
    include_directories(SYSTEM ${${variable}_INCLUDE})
  else()
    list(APPEND missing ${library})
  endif()
endmacro()

# Finds a header-only library by its CMake package, whose target is `target`, or by a header in a folder of
# CMAKE_PREFIX_PATH or its subfolder `include`.
macro(require_headers library target header)
  find_package(${library} QUIET)
  if(NOT TARGET ${target})
    find_path(${library}_INCLUDE ${header} HINTS ${CMAKE_PREFIX_PATH} ENV CMAKE_PREFIX_PATH PATH_SUFFIXES include)
    if(${library}_INCLUDE)
      include_directories(SYSTEM ${${library}_INCLUDE})
      add_library(${target} INTERFACE IMPORTED GLOBAL)
    else()
      list(APPEND missing ${library})
    endif()
  endif()
endmacro()

# Includes {fmt} and spdlog without their targets, which link libraries that have no static archives.
macro(include_headers_of target)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(folders)
    include_directories(SYSTEM ${folders})
  endif()
endmacro()
