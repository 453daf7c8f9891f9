// A block's response as CSV: cycle, all outputs, all registers, by their names in the RTL, decimal;
// a row for the first cycle and for each that differs from the row before. Outputs are those before
// the cycle's edge, with its inputs; registers are what they were set to by earlier edges. wake_o
// is 0 while wake_valid_o is.
#pragma once

#include <cstdint>
#include <string>

#include "platforms/cc_block/block.h"
#include "waveforms/output_file.h"

namespace railyard {

class Response {
 public:
  /// ConfigError at `place` if the file cannot be written.
  Response(const std::string& place, const std::string& path, const BlockType& block);

  /// What is seen in a cycle. Cycles rise.
  void cycle(std::uint64_t cycle, const BlockView& view);
  void close() { file_.close(); }

 private:
  OutputFile file_;
  std::string last_;
  std::string row_;
};

}  // namespace railyard
