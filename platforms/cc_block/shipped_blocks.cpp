#include "platforms/cc_block/block.h"
#include "rtl/verilated/pfc_gen.h"
#include "rtl/verilated/pfc_rx.h"

namespace railyard {

// A block more: a row here, stimuli/NAME.csv, and NAME.yaml that expects something of it.
std::vector<BlockKind> shipped_blocks() {
  return {
      block_kind<rtl::PfcGenModel, rtl::PfcGenRtl>("pfc_gen"),
      block_kind<rtl::PfcRxModel, rtl::PfcRxRtl>("pfc_rx"),
  };
}

}  // namespace railyard
