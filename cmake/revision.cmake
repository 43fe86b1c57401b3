# Sets `commit` and `date` to the short hash and the day (UTC) of the commit that is built. Both are empty without git,
# and outside a clone of this project, such as in an unpacked archive or in the clone of another project that contains it.
# SOURCE_DATE_EPOCH overrides the day, so that a build from an archive can be reproduced.
function(find_revision commit date)
  set(found_commit "")
  set(found_date "")
  find_package(Git QUIET)
  if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env TZ=UTC0 ${GIT_EXECUTABLE} log -1 --no-show-signature --abbrev=10 --date=format-local:%Y-%m-%d --format=%h\ %cd
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE line RESULT_VARIABLE status ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(status EQUAL 0 AND line MATCHES "^([0-9a-f]+) ([0-9-]+)$")
      set(found_commit ${CMAKE_MATCH_1})
      set(found_date ${CMAKE_MATCH_2})
    endif()
  endif()
  if(NOT "$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
    string(TIMESTAMP found_date "%Y-%m-%d" UTC)  # CMake reads SOURCE_DATE_EPOCH here
  endif()
  set(${commit} "${found_commit}" PARENT_SCOPE)
  set(${date} "${found_date}" PARENT_SCOPE)
endfunction()
