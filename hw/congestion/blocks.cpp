#include "hw/congestion/blocks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rtl/verilated/pfc_gen.h"
#include "rtl/verilated/pfc_rx.h"
#include "rtl/verilated/pfc_watchdog.h"

namespace railyard {

void CongestionConfig::declare(Parameters& p) {
  p.choice("engine", engine, {{"rtl", BlockEngine::kRtl}, {"model", BlockEngine::kModel}})
      .doc(
          "What computes the blocks of congestion control: the SystemVerilog, Verilated, or its "
          "bit-exact twin in C++; every result is the same");
  p.choice("clocking", clocking,
           {{"gated", BlockClocking::kGated}, {"free_running", BlockClocking::kFreeRunning}})
      .doc(
          "Whether blocks skip the cycles in which none of their registers would change; every "
          "result is the same");
}

const char* name_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::kPfcGen:
      return "pfc_gen";
    case BlockKind::kPfcRx:
      return "pfc_rx";
    case BlockKind::kPfcWatchdog:
      return "pfc_watchdog";
  }
  return "";
}

Blocks::Blocks(const CongestionConfig& config, VerilatedContext* context)
    : engine_(config.engine), clocking_(config.clocking), context_(context) {
  if (engine_ == BlockEngine::kRtl && context_ == nullptr) {
    throw std::logic_error("Verilated blocks need a context");
  }
}

Blocks::~Blocks() = default;

template <class Interface, class Model, class Rtl>
std::unique_ptr<Interface> Blocks::make(const std::string& name) {
  if (engine_ == BlockEngine::kModel) return std::make_unique<Model>();
  std::string scopes = name;
  std::replace(scopes.begin(), scopes.end(), '.', ' ');
  auto block = std::make_unique<Rtl>(context_, scopes);
  traced_.push_back({name, [&block = *block](VerilatedFstC& fst) { block.trace(fst); }});
  return block;
}

std::unique_ptr<rtl::PfcGen> Blocks::pfc_gen(const std::string& name) {
  return make<rtl::PfcGen, rtl::PfcGenModel, rtl::PfcGenRtl>(name);
}

std::unique_ptr<rtl::PfcRx> Blocks::pfc_rx(const std::string& name) {
  return make<rtl::PfcRx, rtl::PfcRxModel, rtl::PfcRxRtl>(name);
}

std::unique_ptr<rtl::PfcWatchdog> Blocks::pfc_watchdog(const std::string& name) {
  return make<rtl::PfcWatchdog, rtl::PfcWatchdogModel, rtl::PfcWatchdogRtl>(name);
}

}  // namespace railyard
