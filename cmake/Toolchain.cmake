# The compiler's settings, once for every target.
set(CMAKE_CXX_STANDARD 17)  # exactly: Debian's SystemC links with nothing else
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

option(RAILYARD_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
if(RAILYARD_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

option(RAILYARD_UNITY
       "Compile some files of a folder together: from scratch in a third of the time, a change slower" ON)

# Warnings for our own code alone: third-party headers are SYSTEM.
function(railyard_target name)
  # Most of a file's time goes to the libraries' headers.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${RAILYARD_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor
                                         -Woverloaded-virtual -Wconversion -Wno-sign-conversion)
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
endfunction()
