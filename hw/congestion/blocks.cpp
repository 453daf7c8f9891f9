#include "hw/congestion/blocks.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rtl/verilated/dcqcn_np.h"
#include "rtl/verilated/dcqcn_rp.h"
#include "rtl/verilated/ecn_marker.h"
#include "rtl/verilated/pacer.h"
#include "rtl/verilated/pfc_gen.h"
#include "rtl/verilated/pfc_rx.h"
#include "rtl/verilated/pfc_watchdog.h"

namespace railyard {

namespace {

unsigned size_class(const std::string& name, std::size_t contexts) {
  for (const unsigned size : {16U, 256U, 4096U}) {
    if (contexts <= size) return size;
  }
  throw std::length_error(name + " has at most 4,096 contexts, not " + std::to_string(contexts));
}

}  // namespace

const char* name_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::kPfcGen:
      return "pfc_gen";
    case BlockKind::kPfcRx:
      return "pfc_rx";
    case BlockKind::kPfcWatchdog:
      return "pfc_watchdog";
    case BlockKind::kEcnMarker:
      return "ecn_marker";
    case BlockKind::kDcqcnRp:
      return "dcqcn_rp";
    case BlockKind::kDcqcnNp:
      return "dcqcn_np";
    case BlockKind::kPacer:
      return "pacer";
  }
  return "";
}

Blocks::Blocks(const BlocksConfig& config, VerilatedContext* context)
    : engine_(config.engine), clocking_(config.clocking), context_(context) {
  if (engine_ == BlockEngine::kRtl && context_ == nullptr) {
    throw std::logic_error("Verilated blocks need a context");
  }
}

Blocks::~Blocks() = default;

void Blocks::tick(Time now) {
  ticked_ = now;
  if (engine_ == BlockEngine::kModel) return;
  for (const Tick& each : ticks_) each(now);
}

template <class Interface, class Model, class Rtl, class... Size>
std::unique_ptr<Interface> Blocks::make(const std::string& name, Size... size) {
  if (engine_ == BlockEngine::kModel) return std::make_unique<Model>(size...);
  std::string scopes = name;
  std::replace(scopes.begin(), scopes.end(), '.', ' ');
  auto block = std::make_unique<Rtl>(context_, scopes, size...);
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

std::unique_ptr<rtl::EcnMarker> Blocks::ecn_marker(const std::string& name) {
  return make<rtl::EcnMarker, rtl::EcnMarkerModel, rtl::EcnMarkerRtl>(name);
}

std::unique_ptr<rtl::DcqcnRp> Blocks::dcqcn_rp(const std::string& name, std::size_t contexts) {
  return make<rtl::DcqcnRp, rtl::DcqcnRpModel, rtl::DcqcnRpRtl>(name, size_class(name, contexts));
}

std::unique_ptr<rtl::DcqcnNp> Blocks::dcqcn_np(const std::string& name, std::size_t contexts) {
  return make<rtl::DcqcnNp, rtl::DcqcnNpModel, rtl::DcqcnNpRtl>(name, size_class(name, contexts));
}

std::unique_ptr<rtl::Pacer> Blocks::pacer(const std::string& name, std::size_t contexts) {
  return make<rtl::Pacer, rtl::PacerModel, rtl::PacerRtl>(name, size_class(name, contexts));
}

}  // namespace railyard
