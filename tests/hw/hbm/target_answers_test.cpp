// What a target answers, and when, transaction by transaction.
#include <gmock/gmock.h>

#include <optional>

#include "tests/hw/hbm/device_bench.h"
#include "tests/support/allocations.h"

namespace railyard::hbm {
namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using testing::Each;
using testing::ElementsAre;

constexpr std::uint64_t kBase = 0x1000'0000;

/// One transaction at a time, written by a test.
struct Script : sc_core::sc_module, tlm::tlm_mm_interface {
  tlm_utils::simple_initiator_socket<Script> socket{"socket"};
  explicit Script(sc_core::sc_module_name name) : sc_core::sc_module(name) {
    socket.register_nb_transport_bw(this, &Script::nb_transport);
    trans.set_mm(this);
    trans.acquire();
  }
  void free(tlm::tlm_generic_payload*) override {}

  tlm::tlm_generic_payload& make(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
    trans.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    trans.set_dmi_allowed(false);
    trans.set_command(command);
    trans.set_address(address);
    trans.set_data_ptr(data.empty() ? nullptr : data.data());
    trans.set_data_length(bytes);
    trans.set_streaming_width(width.value_or(bytes));
    trans.set_byte_enable_ptr(enables.empty() ? nullptr : enables.data());
    trans.set_byte_enable_length(enables_length);
    return trans;
  }
  /// b_transport, and the time that it took.
  sc_time block(tlm::tlm_command command, std::uint64_t address, unsigned bytes,
                sc_time delay = sc_core::SC_ZERO_TIME) {
    const sc_time start = sc_time_stamp();
    socket->b_transport(make(command, address, bytes), delay);
    sc_core::wait(delay);
    return sc_time_stamp() - start;
  }
  tlm::tlm_response_status send(tlm::tlm_command command, std::uint64_t address, unsigned bytes) {
    block(command, address, bytes);
    return trans.get_response_status();
  }
  /// BEGIN_REQ.
  tlm::tlm_sync_enum begin(sc_time delay = sc_core::SC_ZERO_TIME) {
    phase = tlm::BEGIN_REQ;
    return socket->nb_transport_fw(trans, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport(tlm::tlm_generic_payload& of, tlm::tlm_phase& at, sc_time&) {
    EXPECT_EQ(&of, &trans);
    phase = at;
    phase_time = sc_time_stamp();
    return at == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }

  tlm::tlm_generic_payload trans;
  std::vector<unsigned char> data = std::vector<unsigned char>(8192, 0x5A);
  std::vector<unsigned char> enables;
  unsigned enables_length = 0;
  std::optional<unsigned> width;
  tlm::tlm_phase phase;
  sc_time phase_time;
};

struct ScriptBench {
  explicit ScriptBench(const HbmConfig& config = small_config(), HbmDeviceConfig device = {},
                       DataMode data = DataMode::kCarried)
      : simulation({}), initiator("initiator") {
    device.base = kBase;
    hbm = std::make_unique<Hbm>("hbm", simulation.partition(), config, device, data);
    check_commands(simulation, *hbm);
    initiator.socket.bind(hbm->socket());
    simulation.seal();
  }
  void run(const std::function<void(ScriptBench&, Script&)>& script) {
    bool ended = false;
    sc_core::sc_spawn(
        [&] {
          script(*this, initiator);
          ended = true;
        },
        "script");
    simulation.run(kForever / 2);
    EXPECT_TRUE(ended);
    EXPECT_EQ(hbm->port(0).in_flight(), 0U);
    EXPECT_EQ(initiator.trans.get_ref_count(), 1);
  }
  std::uint64_t end() const { return kBase + hbm->capacity(); }
  std::vector<unsigned char> bytes(std::uint64_t address, std::size_t count) const {
    std::vector<unsigned char> got(count);
    hbm->read(address, got.data(), count);
    return got;
  }

  Simulation simulation;
  Script initiator;
  std::unique_ptr<Hbm> hbm;
};

TEST(TargetAnswersTest, ErrorsAreTheStandardsResponses) {
  ScriptBench bench;
  bench.run([](ScriptBench& b, Script& s) {
    const auto read = tlm::TLM_READ_COMMAND;
    EXPECT_EQ(s.send(read, kBase - 1, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(read, b.end() - 3, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, b.end(), 1), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, ~0ULL - 1, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(s.send(static_cast<tlm::tlm_command>(3), kBase, 4), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(s.send(read, kBase, 0), tlm::TLM_BURST_ERROR_RESPONSE);
    s.width = 0;
    EXPECT_EQ(s.send(read, kBase, 4), tlm::TLM_BURST_ERROR_RESPONSE);
    s.width.reset();
    s.enables = {0xFF};
    EXPECT_EQ(s.send(read, kBase, 4), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    s.enables.clear();
    EXPECT_EQ(s.send(tlm::TLM_IGNORE_COMMAND, 0, 4), tlm::TLM_OK_RESPONSE);
    s.data.clear();
    EXPECT_EQ(s.send(read, kBase, 4), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(sc_time_stamp(), sc_core::SC_ZERO_TIME);  // none of them took any
  });
  EXPECT_THAT(bench.bytes(bench.end() - 64, 64), Each(0));
}

// A stream's last beat may touch less; its range ends with the width, here at the device's end.
TEST(TargetAnswersTest, AStreamReachesNoFurtherThanItsWidth) {
  ScriptBench bench;
  bench.run([](ScriptBench& b, Script& s) {
    s.data = {1, 2, 3, 4, 5, 6, 7};
    s.width = 4;
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, b.end() - 4, 7), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, b.end() - 3, 7), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    s.data.assign(7, 0);
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, b.end() - 4, 7), tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(s.data, ElementsAre(5, 6, 7, 4, 5, 6, 7));
  });
}

TEST(TargetAnswersTest, AStreamsBeatsAreDoneOneAfterTheOther) {
  ScriptBench bench;
  bench.run([](ScriptBench&, Script& s) {
    s.block(tlm::TLM_READ_COMMAND, kBase, 32);  // opens the row
    const sc_time one = s.block(tlm::TLM_READ_COMMAND, kBase, 32);
    s.width = 32;
    const sc_time four = s.block(tlm::TLM_READ_COMMAND, kBase, 128);
    EXPECT_GT(four, one * 3.5);
    EXPECT_LT(four, one * 4.5);
  });
}

TEST(TargetAnswersTest, ByteEnablesChooseBytesAndLeaveTheTimeAlone) {
  ScriptBench bench;
  bench.run([](ScriptBench&, Script& s) {
    s.send(tlm::TLM_WRITE_COMMAND, kBase, 64);
    sc_core::wait(1, sc_core::SC_US);
    const sc_time whole = s.block(tlm::TLM_READ_COMMAND, kBase, 64);
    sc_core::wait(1, sc_core::SC_US);
    s.enables = {0, 0xFF, 0};
    s.enables_length = 3;
    s.data = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kBase + 2, 8), tlm::TLM_OK_RESPONSE);
    sc_core::wait(1, sc_core::SC_US);
    s.data.assign(64, 9);
    const sc_time some = s.block(tlm::TLM_READ_COMMAND, kBase, 64);
    EXPECT_LT(some > whole ? some - whole : whole - some, sc_time(2, sc_core::SC_NS));
    s.data.resize(12);
    EXPECT_THAT(s.data, ElementsAre(9, 0x5A, 9, 9, 0x5A, 9, 9, 0x5A, 9, 9, 0x5A, 9));
  });
  EXPECT_THAT(bench.bytes(kBase, 12),
              ElementsAre(0x5A, 0x5A, 0x5A, 2, 0x5A, 0x5A, 5, 0x5A, 0x5A, 8, 0x5A, 0x5A));
}

TEST(TargetAnswersTest, AnnotatedDelaysAreWaitedOut) {
  ScriptBench bench;
  bench.run([](ScriptBench& b, Script& s) {
    const sc_time micro(1, sc_core::SC_US);
    const sc_time idle = s.block(tlm::TLM_READ_COMMAND, kBase + 4096, 32);
    EXPECT_GT(idle, sc_time(10, sc_core::SC_NS));
    const sc_time later = s.block(tlm::TLM_READ_COMMAND, kBase + (1U << 20), 32, micro);
    EXPECT_GE(later, micro + idle / 4);
    EXPECT_LT(later, micro + idle * 4);
    // Written at the end of the annotation, and not before.
    s.data.assign(4, 0x5A);
    s.make(tlm::TLM_WRITE_COMMAND, kBase, 4);
    const sc_time start = sc_time_stamp();
    EXPECT_EQ(s.begin(micro), tlm::TLM_ACCEPTED);
    sc_core::wait(micro - sc_time(1, sc_core::SC_PS));
    EXPECT_EQ(s.phase, tlm::BEGIN_REQ);
    EXPECT_THAT(b.bytes(kBase, 4), Each(0));
    sc_core::wait(2, sc_core::SC_PS);
    EXPECT_EQ(s.phase, tlm::END_REQ);
    EXPECT_EQ(s.phase_time, start + micro);
    EXPECT_THAT(b.bytes(kBase, 4), Each(0x5A));
    sc_core::wait(micro);
    EXPECT_EQ(s.phase, tlm::BEGIN_RESP);
    EXPECT_EQ(s.trans.get_response_status(), tlm::TLM_OK_RESPONSE);
  });
}

TEST(TargetAnswersTest, WithoutDelaysTheRequestEndsWithinTheCall) {
  ScriptBench bench;
  bench.run([](ScriptBench& b, Script& s) {
    s.make(tlm::TLM_WRITE_COMMAND, kBase, 4);
    EXPECT_EQ(s.begin(), tlm::TLM_UPDATED);
    EXPECT_EQ(s.phase, tlm::END_REQ);
    EXPECT_THAT(b.bytes(kBase, 4), Each(0x5A));
    sc_core::wait(1, sc_core::SC_US);
    EXPECT_EQ(s.phase, tlm::BEGIN_RESP);
    // What needs no memory is complete.
    s.make(tlm::TLM_READ_COMMAND, kBase - 1, 4);
    EXPECT_EQ(s.begin(), tlm::TLM_COMPLETED);
    EXPECT_EQ(s.trans.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    s.make(tlm::TLM_IGNORE_COMMAND, kBase - 1, 4);
    EXPECT_EQ(s.begin(), tlm::TLM_COMPLETED);
    EXPECT_EQ(s.trans.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.hbm->port(0).accepted(), 0U);
  });
}

TEST(TargetAnswersTest, DebugAccessTakesNoTimeAndIsCutAtTheEnd) {
  ScriptBench bench;
  bench.run([](ScriptBench& b, Script& s) {
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_WRITE_COMMAND, b.end() - 5, 8)), 5U);
    s.data.assign(8, 1);
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_READ_COMMAND, b.end() - 6, 8)), 6U);
    EXPECT_THAT(s.data, ElementsAre(0, 0x5A, 0x5A, 0x5A, 0x5A, 0x5A, 1, 1));
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_READ_COMMAND, b.end(), 8)), 0U);
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_READ_COMMAND, kBase - 1, 8)), 0U);
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_READ_COMMAND, kBase, 0)), 0U);
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_IGNORE_COMMAND, kBase, 8)), 0U);
    EXPECT_EQ(sc_time_stamp(), sc_core::SC_ZERO_TIME);
  });
}

TEST(TargetAnswersTest, DirectAccessIsAPageWithTheLatenciesOfAnIdleBank) {
  HbmDeviceConfig device;
  device.target.dmi = true;
  HbmConfig config = small_config();
  config.controller.write_response = WriteResponse::kWritten;
  config.controller.drain.idle = 0;
  config.controller.front_latency = 5 * kNanosecond;
  config.controller.back_latency = 8 * kNanosecond;
  ScriptBench bench(config, device);
  bench.run([](ScriptBench& b, Script& s) {
    const sc_time clock(764, sc_core::SC_PS);
    sc_core::wait(10, sc_core::SC_US);
    const sc_time read = s.block(tlm::TLM_READ_COMMAND, kBase, 32);
    EXPECT_TRUE(s.trans.is_dmi_allowed());
    tlm::tlm_dmi dmi;
    ASSERT_TRUE(s.socket->get_direct_mem_ptr(s.make(tlm::TLM_READ_COMMAND, b.end() - 5, 4), dmi));
    EXPECT_EQ(dmi.get_start_address(), b.end() - 4096);
    EXPECT_EQ(dmi.get_end_address(), b.end() - 1);
    EXPECT_TRUE(dmi.is_read_write_allowed());
    EXPECT_GE(read, dmi.get_read_latency());
    EXPECT_LE(read, dmi.get_read_latency() + clock * 2);
    sc_core::wait(10, sc_core::SC_US);
    s.data.assign(32, 0x5A);
    const sc_time write = s.block(tlm::TLM_WRITE_COMMAND, b.end() - 64, 32);
    EXPECT_GE(write, dmi.get_write_latency());
    EXPECT_LE(write, dmi.get_write_latency() + clock * 2);
    EXPECT_EQ(dmi.get_dmi_ptr()[4096 - 64], 0x5A);
    dmi.get_dmi_ptr()[4095] = 0x77;
    EXPECT_FALSE(s.socket->get_direct_mem_ptr(s.make(tlm::TLM_READ_COMMAND, b.end(), 4), dmi));
    EXPECT_EQ(dmi.get_start_address(), b.end());
    EXPECT_EQ(dmi.get_end_address(), b.end());
  });
  EXPECT_THAT(bench.bytes(bench.end() - 2, 2), ElementsAre(0, 0x77));
}

TEST(TargetAnswersTest, DirectAccessIsRefusedUnlessAskedForAndCarried) {
  HbmDeviceConfig device;
  device.target.dmi = true;
  Simulation simulation({});
  Hbm elided("elided", simulation.partition(), small_config(), device, DataMode::kElided);
  Hbm timed("timed", simulation.partition(), small_config());
  Script one("one");
  Script two("two");
  one.socket.bind(elided.socket());
  two.socket.bind(timed.socket());
  simulation.seal();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (Script* s : {&one, &two}) {
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(s->socket->get_direct_mem_ptr(s->make(tlm::TLM_READ_COMMAND, 0, 4), dmi));
    EXPECT_EQ(dmi.get_start_address(), 0U);
    EXPECT_EQ(dmi.get_end_address(), ~0ULL);
  }
}

TEST(TargetAnswersTest, ElidedBytesAreAFunctionOfThePlace) {
  ScriptBench bench(small_config(), {}, DataMode::kElided);
  bench.run([](ScriptBench&, Script& s) {
    EXPECT_EQ(s.send(tlm::TLM_WRITE_COMMAND, kBase + 1, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kBase + 1, 2), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.data[0], SparseMemory::elided_byte(1));
    EXPECT_EQ(s.data[1], SparseMemory::elided_byte(2));
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_WRITE_COMMAND, kBase, 2)), 0U);
    EXPECT_EQ(s.socket->transport_dbg(s.make(tlm::TLM_READ_COMMAND, kBase, 2)), 2U);
  });
}

// The first thread's transaction goes on without it; its record is used again.
TEST(TargetAnswersTest, AThreadMayBeKilledInATransaction) {
  ScriptBench bench;
  bench.run([](ScriptBench& b, Script& s) {
    sc_core::sc_process_handle victim = sc_core::sc_spawn([&] {
      s.block(tlm::TLM_READ_COMMAND, kBase, 4096);
      ADD_FAILURE() << "not killed";
    });
    sc_core::wait(1, sc_core::SC_NS);
    EXPECT_EQ(b.hbm->port(0).in_flight(), 1U);
    victim.kill();
    sc_core::wait(10, sc_core::SC_US);
    EXPECT_EQ(b.hbm->port(0).in_flight(), 0U);
    EXPECT_EQ(s.send(tlm::TLM_READ_COMMAND, kBase, 4), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.hbm->port(0).requests_made(), 1U);
  });
}

// Four blocks of transactions by the script: what the first needs, the others use again.
TEST(TargetAnswersTest, NothingIsAllocatedAfterWarmUp) {
  std::vector<std::uint64_t> counts;
  ScriptBench bench;
  bench.run([&](ScriptBench&, Script& s) {
    for (int block = 0; block < 4; ++block) {
      const std::uint64_t before = support::allocations();
      for (unsigned i = 0; i < 1000; ++i) {
        const auto command = i % 2 == 0 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND;
        s.block(command, kBase + (i * 97) % 8000, 40);
        s.make(command, kBase + (i * 89) % 8000, 40);
        s.begin(sc_time(i % 3, sc_core::SC_NS));
        sc_core::wait(300, sc_core::SC_NS);
      }
      counts.push_back(support::allocations() - before);
    }
  });
  ASSERT_EQ(counts.size(), 4U);
  EXPECT_EQ(counts[3], 0U);
}

}  // namespace
}  // namespace railyard::hbm
