# Adds files to the Debian package. CPack runs this script before packaging.

set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
if(EXISTS ${root}/ALL_COMPONENTS_IN_ONE)
  set(root ${root}/ALL_COMPONENTS_IN_ONE)
endif()
set(root ${root}/usr/share)
set(doc ${root}/doc/sparsecfg)

# The executable is static so that it runs on any system. The linked libraries are listed in `copyright`.
file(WRITE ${root}/lintian/overrides/sparsecfg
  "sparsecfg: statically-linked-binary [usr/bin/sparsecfg]\nsparsecfg: embedded-library libyaml [usr/bin/sparsecfg]\n")

# The notices of the libraries, from the packages that they were linked from. The C++ library's package is named after the
# compiler's release.
file(GLOB standard_library RELATIVE /usr/share/doc /usr/share/doc/libstdc++-*-dev)
set(packages libyaml-dev libyaml-cpp-dev libpcre2-dev libmd-dev libcli11-dev libspdlog-dev nlohmann-json3-dev libfmt-dev
  libc6-dev ${standard_library})
file(MAKE_DIRECTORY ${doc}/libraries)
foreach(package IN LISTS packages)
  if(EXISTS /usr/share/doc/${package}/copyright)
    file(COPY_FILE /usr/share/doc/${package}/copyright ${doc}/libraries/${package})
  endif()
endforeach()
file(WRITE ${doc}/copyright
  "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: sparsecfg\n\n"
  "Files: *\nCopyright: 2026 the authors of sparsecfg\nLicense: Apache-2.0\nComment:\n"
  " The executable contains libraries. Their notices are in /usr/share/doc/sparsecfg/libraries.\n\n"
  "License: Apache-2.0\n On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.\n")
file(REMOVE ${doc}/LICENSE)

string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog
  "sparsecfg (${CPACK_PACKAGE_VERSION}) stable; urgency=low\n\n  * See CHANGELOG.md in this folder.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
file(GLOB manual_pages ${root}/man/man*/*.[17])
execute_process(COMMAND gzip -9n ${doc}/changelog ${manual_pages} COMMAND_ERROR_IS_FATAL ANY)
