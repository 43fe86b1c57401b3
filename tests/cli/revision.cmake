# Holds cmake/revision.cmake against folders with and without a repository.
#
#   cmake -D SOURCES=<root of the project> -D WORK=<folder for this test> -P revision.cmake
cmake_minimum_required(VERSION 3.25)
include(${SOURCES}/cmake/revision.cmake)
find_package(Git QUIET)

function(expect what value pattern)
  if(NOT value MATCHES "${pattern}")
    message(SEND_ERROR "${what}: `${value}` does not match `${pattern}`")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(PROJECT_SOURCE_DIR ${WORK})
unset(ENV{SOURCE_DATE_EPOCH})
find_revision(commit date)
expect("no repository" "${commit},${date}" "^,$")
set(ENV{SOURCE_DATE_EPOCH} 86400)
find_revision(commit date)
expect("an archive" "${commit},${date}" "^,1970-01-02$")
unset(ENV{SOURCE_DATE_EPOCH})

if(GIT_FOUND)
  set(ENV{GIT_COMMITTER_DATE} "2001-02-03T23:30:00-0500")
  foreach(arguments "init;--quiet" "commit;--quiet;--allow-empty;--message;first")
    execute_process(COMMAND ${GIT_EXECUTABLE} -c user.name=Test -c user.email=test@localhost ${arguments}
      WORKING_DIRECTORY ${WORK} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  find_revision(commit date)
  expect("a repository, in UTC" "${commit},${date}" "^[0-9a-f]+,2001-02-04$")
  file(MAKE_DIRECTORY ${WORK}/below)
  set(PROJECT_SOURCE_DIR ${WORK}/below)
  find_revision(commit date)
  expect("a folder in another repository" "${commit},${date}" "^,$")
endif()
