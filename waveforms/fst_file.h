// A closed FST, read back.
#pragma once

#include <string>

namespace railyard {

/// Throws std::runtime_error unless `path` is a whole FST: fstapi does not say when a write failed.
void check_fst(const std::string& path);

/// Writes `fst` as a VCD with fstapi's own reader. Enums become their numbers. Throws
/// std::runtime_error if either cannot be read or written.
void convert_fst_to_vcd(const std::string& fst, const std::string& vcd);

}  // namespace railyard
