# railyard_verbs_program(NAME sources...): a verbs program in C or C++, unchanged, as a module that
# verbs::Program runs. Its own symbols are its own, exit() ends it alone, and an exception of the
# model may pass through it: a simulation that ends unwinds its thread.
function(railyard_verbs_program name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:C>:-fexceptions>
                                         $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE LINKER:-Bsymbolic LINKER:--wrap=exit LINKER:--wrap=_exit
                                      LINKER:--wrap=_Exit)
endfunction()

# railyard_runs_verbs_programs(EXECUTABLE): its symbols are there for modules.
function(railyard_runs_verbs_programs name)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
endfunction()
