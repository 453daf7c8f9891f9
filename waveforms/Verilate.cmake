# railyard_verilate(TARGET TOP SOURCES... [PREFIX class, if not VTOP] [ARGS verilator arguments...])
#
# A static library of the Verilated class V<TOP>, traced into the simulation's one FST, with its
# assertions live. verilate() would compile a copy of Verilator's runtime into every library, and
# those without our hooks: they are taken out, and railyard_verilator_runtime is linked instead.
function(railyard_verilate target top)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "PREFIX" "SOURCES;ARGS")
  if(NOT arg_PREFIX)
    set(arg_PREFIX V${top})
  endif()
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
