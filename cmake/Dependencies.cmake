# Debian's packages, as imported targets.
find_package(PkgConfig REQUIRED)
pkg_check_modules(SYSTEMC REQUIRED IMPORTED_TARGET systemc)
# SystemC hides sc_spawn behind this.
target_compile_definitions(PkgConfig::SYSTEMC INTERFACE SC_INCLUDE_DYNAMIC_PROCESSES)

find_package(ZLIB REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(verilator REQUIRED HINTS /usr/share/verilator)
