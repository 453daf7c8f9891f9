#include "hw/host/combining_buffers.h"

#include <algorithm>

namespace railyard::host {

std::size_t CombiningBuffers::find(Address base) const {
  std::size_t i = 0;
  while (i < lines_.size() && lines_[i].base != base) ++i;
  return i;
}

bool CombiningBuffers::put(Address address, const std::uint8_t* from, std::size_t bytes) {
  const Address base = line_of(address);
  const std::size_t index = find(base);
  if (index == lines_.size()) {
    lines_.emplace_back();
    lines_.back().base = base;
  }
  CombiningLine& line = lines_[index];
  const std::size_t first = address - base;
  std::copy(from, from + bytes, line.data.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < first + bytes; ++i) line.valid |= std::uint64_t{1} << i;
  return line.full();
}

CombiningLine CombiningBuffers::take_at(std::size_t index) {
  const CombiningLine line = lines_[index];
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(index));
  return line;
}

}  // namespace railyard::host
