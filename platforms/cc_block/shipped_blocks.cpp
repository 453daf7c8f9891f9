#include "platforms/cc_block/block.h"
#include "rtl/verilated/pfc_gen.h"
#include "rtl/verilated/pfc_rx.h"
#include "rtl/verilated/pfc_watchdog.h"

namespace railyard {

// A block more: a row here, stimuli/NAME.csv, and NAME.yaml that expects something of it.
std::vector<BlockType> shipped_blocks() {
  return {
      block_type<rtl::PfcGenModel, rtl::PfcGenRtl>("pfc_gen"),
      block_type<rtl::PfcRxModel, rtl::PfcRxRtl>("pfc_rx"),
      block_type<rtl::PfcWatchdogModel, rtl::PfcWatchdogRtl>("pfc_watchdog"),
  };
}

}  // namespace railyard
