# Verilator's list of what a class was made from is read again by CMake, which stops at a file that is
# gone since. Then the class is to be made anew.
function(railyard_forget_stale folder prefix)
  set(record ${folder}/${prefix}.cmake)
  if(NOT EXISTS ${record})
    return()
  endif()
  file(STRINGS ${record} made_from REGEX "_DEPS ")
  string(REGEX MATCHALL "\"[^\"]+\"" made_from "${made_from}")
  foreach(file IN LISTS made_from)
    string(REPLACE "\"" "" file ${file})
    if(NOT EXISTS ${file})
      file(REMOVE_RECURSE ${folder})
      return()
    endif()
  endforeach()
endfunction()

# railyard_verilate(TARGET TOP [PREFIX CLASS] SOURCES... [ARGS verilator arguments...])
#
# A static library of the Verilated class V<TOP>, or CLASS, traced into the simulation's one FST, with its
# assertions live. verilate() would compile a copy of Verilator's runtime into every library, and
# those without our hooks: they are taken out, and railyard_verilator_runtime is linked instead.
function(railyard_verilate target top)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX" "SOURCES;ARGS")
  if(NOT arg_PREFIX)
    set(arg_PREFIX V${top})
  endif()
  railyard_forget_stale(
    ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/${arg_PREFIX}.dir ${arg_PREFIX})
  add_library(${target} STATIC)
  verilate(
    ${target}
    TRACE_FST TRACE_STRUCTS
    PREFIX ${arg_PREFIX}
    TOP_MODULE ${top}
    SOURCES ${arg_SOURCES}
    VERILATOR_ARGS --assert -Wall ${arg_ARGS})
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources EXCLUDE REGEX "^${VERILATOR_ROOT}/include/.*\\.cpp$")
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  get_target_property(generated ${target} INCLUDE_DIRECTORIES)
  target_include_directories(${target} SYSTEM INTERFACE ${generated})
  target_compile_options(${target} PRIVATE -w)
  target_link_libraries(${target} PUBLIC railyard_verilator_runtime)
endfunction()
