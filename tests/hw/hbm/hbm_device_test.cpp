// The device as a whole: its bytes, several of them in a process, one socket before many channels.
#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

#include "tests/hw/hbm/device_bench.h"
#include "tlm/base/error.h"

namespace railyard::hbm {
namespace {

using testing::ElementsAre;

TEST(HbmDeviceTest, WhatIsLoadedIsRead) {
  Simulation simulation({});
  HbmDeviceConfig device;
  device.base = 0x8000'0000;
  Hbm hbm("hbm", simulation.partition(), small_config(), device);
  const std::vector<std::uint8_t> four{1, 2, 3, 4};
  const std::uint64_t end = hbm.base() + hbm.capacity();
  hbm.load(end - 4, four.data(), 4);
  EXPECT_THROW(hbm.load(end - 3, four.data(), 4), std::out_of_range);
  EXPECT_THROW(hbm.load(hbm.base() - 1, four.data(), 1), std::out_of_range);
  std::vector<std::uint8_t> got(4);
  EXPECT_THROW(hbm.read(end - 3, got.data(), 4), std::out_of_range);
  hbm.read(end - 4, got.data(), 4);
  EXPECT_THAT(got, ElementsAre(1, 2, 3, 4));
  EXPECT_THROW(hbm.socket(1), std::out_of_range);
}

TEST(HbmDeviceTest, ADeviceBeyondTheAddressesIsRefused) {
  Simulation simulation({});
  HbmDeviceConfig device;
  device.base = std::numeric_limits<std::uint64_t>::max() - 4096;
  EXPECT_THROW(Hbm("hbm", simulation.partition(), small_config(), device), ConfigError);
}

TEST(HbmDeviceTest, ItsParametersAreDeclaredOnce) {
  HbmDeviceConfig config;
  config.base = 0x4000;
  config.ports = 3;
  config.target.requests = 7;
  config.target.accept_delay = 2 * kNanosecond;
  config.target.dmi = true;
  HbmDeviceConfig bound;
  bind_config(dump_config(config), bound);
  EXPECT_EQ(bound.base, config.base);
  EXPECT_EQ(bound.ports, 3U);
  EXPECT_EQ(bound.target.requests, 7U);
  EXPECT_EQ(bound.target.accept_delay, 2 * kNanosecond);
  EXPECT_TRUE(bound.target.dmi);
}

// One instance a process was a fault of others.
TEST(HbmDeviceTest, TwoDevicesKeepTheirOwnBytes) {
  const auto fill = [](unsigned char value) {
    return [value, sent = 0](Pump::Transaction& trans) mutable {
      trans.set_address(static_cast<std::uint64_t>(sent / 2 % 100) * 32);
      trans.data.assign(32, value);
      trans.expected = trans.data;
      if (sent++ % 2 == 0) {
        trans.set_write();
      } else {
        trans.set_read();
        trans.data.assign(32, 0);
      }
    };
  };
  Simulation simulation({});
  Hbm left("left", simulation.partition(), small_config());
  Hbm right("right", simulation.partition(), small_config());
  check_commands(simulation, left);
  check_commands(simulation, right);
  Pump one("one", 10'000, 16, fill(0x11));
  Pump two("two", 10'000, 16, fill(0x22));
  one.socket.bind(left.socket());
  two.socket.bind(right.socket());
  simulation.seal();
  EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
  EXPECT_EQ(one.responses, 10'000U);
  EXPECT_EQ(two.responses, 10'000U);
  EXPECT_EQ(one.faults + two.faults, 0U);
  EXPECT_EQ(one.last, two.last);  // alike, and neither in the other's way
}

// One answer for two was a fault of others.
class HbmReadsTest : public testing::TestWithParam<bool> {};

TEST_P(HbmReadsTest, IdenticalReadsAreAnsweredEach) {
  std::uint64_t sent = 0;
  const auto make = [&](Pump::Transaction& trans) {
    const bool write = GetParam() && sent++ == 0;
    trans.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    trans.set_address(64);
    trans.data.assign(32, write ? 9 : 1);
    trans.expected.assign(32, GetParam() ? 9 : 0);
  };
  Simulation simulation({});
  Hbm hbm("hbm", simulation.partition(), small_config());
  check_commands(simulation, hbm);
  Pump pump("pump", 3, 3, make);
  pump.socket.bind(hbm.socket());
  simulation.seal();
  EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
  EXPECT_EQ(pump.responses, 3U);
  EXPECT_EQ(pump.faults, 0U);
  EXPECT_TRUE(pump.idle());
}

INSTANTIATE_TEST_SUITE_P(AfterAWrite, HbmReadsTest, testing::Bool());

// A front end that takes one request at a time made one channel of 16: a fault of others.
TEST(HbmDeviceTest, OneSocketFeedsSixteenChannels) {
  HbmConfig config;
  config.organisation.stacks = 1;
  config.controller.refresh.mode = RefreshMode::kOff;
  const Organisation& o = config.organisation;
  ASSERT_EQ(o.total_channels(), 16U);
  Simulation simulation({});
  Hbm hbm("hbm", simulation.partition(), config, {}, DataMode::kElided);
  check_commands(simulation, hbm);
  // Channels in turn, then pseudo-channels, groups, columns, banks: the next row opens in time.
  constexpr std::uint64_t kCount = 400'000;
  std::uint64_t sent = 0;
  const auto next = [&](Pump::Transaction& trans) {
    std::uint64_t left = sent++;
    const auto take = [&left](unsigned of) {
      const std::uint64_t digit = left % of;
      left /= of;
      return digit;
    };
    Place place;
    place.channel = static_cast<std::uint16_t>(take(16));
    place.pseudo_channel = static_cast<std::uint8_t>(take(o.pseudo_channels));
    const std::uint64_t group = take(o.groups);
    place.column = static_cast<std::uint32_t>(take(o.columns));
    place.bank = static_cast<std::uint8_t>(group * o.banks + take(o.banks));
    place.row = static_cast<std::uint32_t>(left);
    trans.set_read();
    trans.set_address(hbm.controller().map().address(place));
    trans.data.resize(o.access_bytes);
  };
  Pump pump("pump", kCount, 1U << 20, next);
  pump.on_response = [](Pump::Transaction& trans) { trans.expected.clear(); };
  pump.socket.bind(hbm.socket());
  simulation.seal();
  EXPECT_EQ(simulation.run(kForever / 2), RunEnd::kDrained);
  EXPECT_EQ(pump.responses, kCount);
  const double peak = hbm.controller().peak();
  const double reached = static_cast<double>(kCount * o.access_bytes) / pump.last.to_seconds();
  EXPECT_GT(reached, 0.9 * peak);
  EXPECT_LE(reached, peak);
}

}  // namespace
}  // namespace railyard::hbm
