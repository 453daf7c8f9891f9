#include "platforms/cc_block/block.h"
#include "platforms/cc_block/context_block.h"
#include "rtl/verilated/dcqcn_np.h"
#include "rtl/verilated/dcqcn_rp.h"
#include "rtl/verilated/ecn_marker.h"
#include "rtl/verilated/pacer.h"
#include "rtl/verilated/pfc_gen.h"
#include "rtl/verilated/pfc_rx.h"
#include "rtl/verilated/pfc_watchdog.h"

namespace railyard {

// A block more: a row here, stimuli/NAME.csv, and NAME.yaml that expects something of it.
std::vector<BlockType> shipped_blocks() {
  // A valid bit, and a stamp with its fraction.
  constexpr unsigned kNpWord = 1 + rtl::DcqcnNp::kStampBits;
  constexpr unsigned kPacerWord = 1 + rtl::Pacer::kStampBits + rtl::Pacer::kFracBits;
  return {
      block_type<rtl::PfcGenModel, rtl::PfcGenRtl>("pfc_gen"),
      block_type<rtl::PfcRxModel, rtl::PfcRxRtl>("pfc_rx"),
      block_type<rtl::PfcWatchdogModel, rtl::PfcWatchdogRtl>("pfc_watchdog"),
      context_block_type<rtl::DcqcnRpModel, rtl::DcqcnRpRtl>("dcqcn_rp",
                                                             {{"tx_qp_i", "cnp_qp_i", "out_qp_o"}}),
      context_block_type<rtl::DcqcnNpModel, rtl::DcqcnNpRtl>(
          "dcqcn_np", {{"ce_index_i", "cnp_index_o"}, kNpWord}),
      context_block_type<rtl::PacerModel, rtl::PacerRtl>(
          "pacer", {{"tx_index_i", "next_index_o"}, kPacerWord}),
      block_type<rtl::EcnMarkerModel, rtl::EcnMarkerRtl>("ecn_marker"),
  };
}

}  // namespace railyard
