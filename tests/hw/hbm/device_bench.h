// A small device, and initiators for it.
#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "hw/hbm/command_checker.h"
#include "hw/hbm/hbm.h"
#include "tests/support/foreign/base_protocol_checker.h"
#include "tests/support/foreign/foreign_initiator.h"
#include "tlm/sim/simulation.h"

namespace railyard::hbm {

/// One stack of two channels, 4 MiB, without refresh.
inline HbmConfig small_config() {
  HbmConfig config;
  config.organisation.stacks = 1;
  config.organisation.channels = 2;
  config.organisation.sids = 1;
  config.organisation.rows = 64;
  config.controller.refresh.mode = RefreshMode::kOff;
  return config;
}

/// Queues that are full at once.
inline HbmConfig tiny_queues(bool forward, WriteResponse response) {
  HbmConfig config = small_config();
  config.controller.read_queue = 4;
  config.controller.write_queue = 4;
  config.controller.drain.high = 3;
  config.controller.drain.low = 1;
  config.controller.forward = forward;
  config.controller.write_response = response;
  return config;
}

/// Has each command of a device checked.
inline void check_commands(Simulation& simulation, Hbm& hbm) {
  Controller& controller = hbm.controller();
  const HbmConfig& config = controller.config();
  auto& checker = simulation.partition().add_checker<CommandChecker>(
      hbm.name(), config.organisation, config.timing, config.controller.refresh);
  checker.set_catch_up([&controller] { controller.catch_up(); });
  controller.add_listener(checker);
}

/// Foreign initiators, a checker before each, and a device with as many sockets.
struct ForeignBench {
  ForeignBench(const std::vector<foreign::InitiatorConfig>& initiator_configs,
               const HbmConfig& config, HbmDeviceConfig device = {},
               DataMode data = DataMode::kCarried)
      : simulation({}) {
    device.ports = static_cast<unsigned>(initiator_configs.size());
    hbm = std::make_unique<Hbm>("hbm", simulation.partition(), config, device, data);
    check_commands(simulation, *hbm);
    for (unsigned i = 0; i < device.ports; ++i) {
      const std::string number = std::to_string(i);
      initiators.push_back(std::make_unique<foreign::ForeignInitiator>(
          ("initiator" + number).c_str(), initiator_configs[i]));
      checkers.push_back(
          std::make_unique<foreign::BaseProtocolChecker>(("checker" + number).c_str()));
      initiators[i]->socket.bind(checkers[i]->in);
      checkers[i]->out.bind(hbm->socket(i));
    }
    simulation.seal();
  }
  void run_and_check() {
    EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
    for (unsigned i = 0; i < hbm->ports(); ++i) {
      EXPECT_TRUE(initiators[i]->finished()) << initiators[i]->completed();
      EXPECT_THAT(initiators[i]->faults(), testing::IsEmpty());
      checkers[i]->check_end();
      EXPECT_THAT(checkers[i]->violations(), testing::IsEmpty());
      EXPECT_EQ(initiators[i]->payloads_held(), 0U);
      EXPECT_EQ(hbm->port(i).in_flight(), 0U);
      EXPECT_EQ(hbm->port(i).accepted(), 0U);
      EXPECT_TRUE(initiators[i]->verify());
    }
  }

  Simulation simulation;
  std::unique_ptr<Hbm> hbm;
  std::vector<std::unique_ptr<foreign::ForeignInitiator>> initiators;
  std::vector<std::unique_ptr<foreign::BaseProtocolChecker>> checkers;
};

/// Pushes transactions through nb_transport as fast as they are accepted, and takes each response
/// at once.
class Pump : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  struct Transaction : tlm::tlm_generic_payload {
    std::vector<unsigned char> data, expected;
    bool responded = false;
  };
  using Make = std::function<void(Transaction&)>;

  tlm_utils::simple_initiator_socket<Pump> socket{"socket"};
  std::function<void(Transaction&)> on_response;

  /// `make` sets command, address and data; called when the transaction is sent.
  Pump(sc_core::sc_module_name name, std::uint64_t count, std::size_t outstanding, Make make)
      : sc_core::sc_module(name), count_(count), most_(outstanding), make_(std::move(make)) {
    socket.register_nb_transport_bw(this, &Pump::nb_transport);
    sc_core::sc_spawn([this] { run(); }, "run");
  }

  std::uint64_t responses = 0;
  std::uint64_t faults = 0;  // other data than expected, another status, a second response
  sc_core::sc_time last;
  bool idle() const { return free_.size() == made_.size(); }

 private:
  void free(tlm::tlm_generic_payload* trans) override {
    trans->reset();
    free_.push_back(static_cast<Transaction*>(trans));
  }
  void run() {
    for (std::uint64_t sent = 0; sent < count_; ++sent) {
      while (request_ || sent - responses >= most_) sc_core::wait(changed_);
      send();
    }
  }
  void send() {
    if (free_.empty()) free_.push_back(&made_.emplace_back());
    Transaction& trans = *free_.back();
    free_.pop_back();
    trans.set_mm(this);
    trans.acquire();
    trans.responded = false;
    make_(trans);
    trans.set_data_ptr(trans.data.data());
    trans.set_data_length(static_cast<unsigned>(trans.data.size()));
    trans.set_streaming_width(trans.get_data_length());
    trans.set_dmi_allowed(false);
    trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    request_ = true;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum result = socket->nb_transport_fw(trans, phase, delay);
    if (result != tlm::TLM_ACCEPTED) request_ = false;
    if (result == tlm::TLM_COMPLETED) finish(trans);
  }
  tlm::tlm_sync_enum nb_transport(tlm::tlm_generic_payload& trans, tlm::tlm_phase& phase,
                                  sc_core::sc_time&) {
    changed_.notify(sc_core::SC_ZERO_TIME);
    if (phase == tlm::END_REQ) {
      request_ = false;
      return tlm::TLM_ACCEPTED;
    }
    finish(static_cast<Transaction&>(trans));
    return tlm::TLM_COMPLETED;
  }
  void finish(Transaction& trans) {
    ++responses;
    if (trans.responded || !trans.is_response_ok() || trans.data != trans.expected) ++faults;
    trans.responded = true;
    last = sc_core::sc_time_stamp();
    if (on_response) on_response(trans);
    trans.release();
  }

  std::uint64_t count_;
  std::size_t most_;
  Make make_;
  bool request_ = false;  // one is in its request phase
  sc_core::sc_event changed_;
  std::deque<Transaction> made_;
  std::vector<Transaction*> free_;
};

}  // namespace railyard::hbm
