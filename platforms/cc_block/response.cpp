#include "platforms/cc_block/response.h"

namespace railyard {

Response::Response(const std::string& place, const std::string& path, const BlockType& block)
    : file_(place, path) {
  std::string header = "cycle";
  for (const auto* ports : {&block.outputs, &block.registers}) {
    for (const BlockPort& port : *ports) header += "," + port.name;
  }
  file_.append(header + "\n");
}

void Response::cycle(std::uint64_t cycle, const BlockView& view) {
  row_.clear();
  for (const Values* values : {&view.outputs, &view.registers}) {
    for (const std::uint64_t value : *values) row_ += "," + std::to_string(value);
  }
  if (row_ == last_) return;
  file_.append(std::to_string(cycle) + row_ + "\n");
  last_.swap(row_);
}

}  // namespace railyard
