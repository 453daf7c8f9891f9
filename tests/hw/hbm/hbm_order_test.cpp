// Random reads and writes of a few addresses with queues that are always full, against a reference
// of the bytes in the order in which the requests were made: a million of them.
#include <algorithm>
#include <array>
#include <ostream>
#include <random>
#include <string>

#include "tests/hw/hbm/device_bench.h"

namespace railyard::hbm {
namespace {

struct OrderCase {
  const char* name;
  bool forward;
  WriteResponse response;
};

constexpr std::array<OrderCase, 4> kOrderCases = {{
    {"ForwardAccepted", true, WriteResponse::kAccepted},
    {"ForwardWritten", true, WriteResponse::kWritten},
    {"AcceptedOnly", false, WriteResponse::kAccepted},
    {"WrittenOnly", false, WriteResponse::kWritten},
}};

void PrintTo(const OrderCase& of, std::ostream* out) { *out << of.name; }

std::string name_of_case(const testing::TestParamInfo<OrderCase>& info) { return info.param.name; }

/// Two sockets, whose requests are accepted at once and so in the order in which they are made.
void run_in_order(const OrderCase& of, std::uint64_t count) {
  constexpr std::uint64_t kBytes = 4096;
  std::mt19937_64 random(7);
  std::vector<unsigned char> shadow(kBytes);
  // Single accesses of one row, neighbours, other rows of the bank, and pieces that overlap.
  const auto make = [&](Pump::Transaction& trans) {
    const std::uint64_t address = random() % 4 == 0 ? random() % (kBytes - 128) : random() % 4 * 32;
    trans.set_address(address);
    trans.data.resize(random() % 4 == 0 ? 1 + random() % 128 : 32);
    if (random() % 2 == 0) {
      trans.set_write();
      for (unsigned char& byte : trans.data) byte = static_cast<unsigned char>(random());
      std::copy(trans.data.begin(), trans.data.end(), shadow.begin() + static_cast<long>(address));
      trans.expected = trans.data;
    } else {
      trans.set_read();
      std::fill(trans.data.begin(), trans.data.end(), 0xEE);
      const auto from = shadow.begin() + static_cast<long>(address);
      trans.expected.assign(from, from + static_cast<long>(trans.data.size()));
    }
  };
  Simulation simulation({});
  HbmDeviceConfig device;
  device.ports = 2;
  Hbm hbm("hbm", simulation.partition(), tiny_queues(of.forward, of.response), device);
  check_commands(simulation, hbm);
  Pump one("one", count / 2, 64, make);
  Pump two("two", count / 2, 64, make);
  one.socket.bind(hbm.socket(0));
  two.socket.bind(hbm.socket(1));
  simulation.seal();
  EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
  EXPECT_EQ(one.responses + two.responses, count / 2 * 2);
  EXPECT_EQ(one.faults + two.faults, 0U);
  EXPECT_TRUE(one.idle() && two.idle());
  std::vector<unsigned char> got(kBytes);
  hbm.read(0, got.data(), kBytes);
  EXPECT_EQ(got, shadow);
}

class HbmOrderTest : public testing::TestWithParam<OrderCase> {};

TEST_P(HbmOrderTest, FullQueuesGiveEachReadWhatWasWrittenBeforeIt) {
  run_in_order(GetParam(), 250'000);
}

INSTANTIATE_TEST_SUITE_P(Cases, HbmOrderTest, testing::ValuesIn(kOrderCases), name_of_case);

}  // namespace
}  // namespace railyard::hbm
