#include "platforms/cc_block/setup.h"

#include <algorithm>
#include <cstddef>

#include "rtl/model/dcqcn_rp.h"
#include "rtl/model/dcqcn_setup.h"

namespace railyard {

bool has_setup(const BlockType& block) {
  return std::any_of(block.inputs.begin(), block.inputs.end(),
                     [](const BlockPort& port) { return port.name == "cfg_addr_i"; });
}

std::vector<Values> setup_edges(const BlockType& block, const CongestionConfig& congestion,
                                Time clock, Rate line) {
  std::vector<Values> edges;
  for (unsigned k = 0; k < rtl::DcqcnRp::kClasses; ++k) {
    const rtl::DcqcnSetup setup = congestion.of_class(k).setup(clock, line);
    for (const rtl::DcqcnWrite& write : rtl::dcqcn_writes(setup)) {
      Values inputs(block.inputs.size());
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        const std::string& name = block.inputs[i].name;
        if (name == "cfg_valid_i") inputs[i] = 1;
        if (name == "cfg_class_i") inputs[i] = k;
        if (name == "cfg_addr_i") inputs[i] = write.addr;
        if (name == "cfg_data_i") inputs[i] = write.data;
      }
      edges.push_back(std::move(inputs));
    }
  }
  return edges;
}

}  // namespace railyard
