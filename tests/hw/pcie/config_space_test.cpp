#include "hw/pcie/config_space.h"

#include <gmock/gmock.h>

#include <string>

#include "tests/hw/pcie/config_tools.h"
#include "tlm/base/error.h"

namespace railyard::pcie {
namespace {

namespace cfg = config;
using test::capability;
using test::extended_capability;
using test::modify;

const FunctionIdentity kNic = {0x15B3, 0x1021, 0x020000, 3, false};
const FunctionIdentity kPort = {0x1D0F, 0x0001, 0x060400, 1, false};

ConfigSpace device(const BarShapes& bars = {}) { return ConfigSpace::endpoint("nic0", kNic, bars); }

ConfigSpace express_device(const ExpressShape& shape = {}) {
  ConfigSpace space = device();
  space.add_express(shape);
  return space;
}

ConfigSpace port(PortType type, std::uint32_t boundary = 64) {
  ConfigSpace space = ConfigSpace::bridge("port0", kPort);
  ExpressShape shape;
  shape.type = type;
  shape.read_completion_boundary = boundary;
  space.add_express(shape);
  return space;
}

TEST(ConfigSpace, AnIdentifierReadsAsLspciWritesIt) {
  EXPECT_EQ(format_id(DeviceId::of(0, 0)), "00:00.0");
  EXPECT_EQ(format_id(DeviceId::of(0xAF, 31, 7)), "af:1f.7");
}

TEST(ConfigSpace, AHeaderTellsWhoItIsAndCannotBeWritten) {
  ConfigSpace space = device();
  ConfigSpace bridge = ConfigSpace::bridge("port0", {0x1D0F, 1, 0x060400, 1, true});
  space.write(cfg::kVendorId, 0);
  space.write(cfg::kRevision, 0);
  space.write(cfg::kCacheLine, 0);
  bridge.write(cfg::kCacheLine, 0);
  EXPECT_EQ(space.read(cfg::kVendorId), 0x102115B3U);
  EXPECT_EQ(space.read(cfg::kRevision), 0x02000003U);
  EXPECT_EQ(space.read(cfg::kCacheLine) & ~0xFFU, 0U);
  EXPECT_EQ(bridge.read(cfg::kCacheLine), 1U << 16 | cfg::kMultiFunction);
  EXPECT_FALSE(space.is_bridge());
  EXPECT_TRUE(bridge.is_bridge());
}

TEST(ConfigSpace, SoftwareKeepsItsOwnInCacheLineSizeAndInterruptLine) {
  ConfigSpace space = device();
  for (const unsigned offset : {cfg::kCacheLine, cfg::kInterruptLine}) {
    space.write(offset, ~0U);
    EXPECT_EQ(space.read(offset), 0xFFU) << offset;
  }
}

TEST(ConfigSpace, EveryByteEnableWritesItsByteAlone) {
  for (unsigned enables = 0; enables < 16; ++enables) {
    ConfigSpace space = port(PortType::kRootPort);
    space.write(cfg::kPrefetchableBaseUpper, 0x11223344);
    space.write(cfg::kPrefetchableBaseUpper, 0xAABBCCDD, static_cast<std::uint8_t>(enables));
    std::uint32_t expected = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t from = (enables >> i & 1U) != 0 ? 0xAABBCCDD : 0x11223344;
      expected |= from & 0xFFU << 8 * i;
    }
    EXPECT_EQ(space.read(cfg::kPrefetchableBaseUpper), expected) << enables;
  }
}

TEST(ConfigSpace, ABitThatAWriteOfOneClearsIsKeptByAZeroAndByOtherBytes) {
  ConfigSpace space = express_device();
  space.log_error(UncorrectableError::kUnsupportedRequest, {});
  const unsigned at = capability(space, cfg::kExpressCapability) + cfg::kDeviceControl;
  const std::uint32_t set = cfg::kUnsupportedDetected | cfg::kNonFatalDetected;
  EXPECT_EQ(space.read(at) >> 16, set >> 16);
  space.write(at, 0x0000FFFF);
  EXPECT_EQ(space.read(at) >> 16, set >> 16);
  space.write(at, 0xFFFFFFFF, 0x3);
  EXPECT_EQ(space.read(at) >> 16, set >> 16);
  space.write(at, cfg::kUnsupportedDetected, 0xC);
  EXPECT_EQ(space.read(at) >> 16, cfg::kNonFatalDetected >> 16);
}

TEST(ConfigSpace, WhatIsNotThereReadsAsZeroAndTakesNoWrite) {
  ConfigSpace space = express_device();
  const auto before = space.changes();
  for (const unsigned offset : {0x14U, 0x28U, 0x2CU, 0x30U, 0x100U, 0x400U, 0xFFCU}) {
    space.write(offset, ~0U);
    EXPECT_EQ(space.read(offset), 0U) << offset;
  }
  EXPECT_EQ(space.changes(), before);
}

TEST(ConfigSpace, AChangeIsCountedAndAWriteOfTheSameIsNone) {
  ConfigSpace space = device();
  const auto before = space.changes();
  space.write(cfg::kCommand, cfg::kBusMaster);
  EXPECT_EQ(space.changes(), before + 1);
  space.write(cfg::kCommand, cfg::kBusMaster);
  EXPECT_EQ(space.changes(), before + 1);
}

TEST(ConfigSpace, CommandEnablesMemoryAndBusMaster) {
  ConfigSpace space = device();
  EXPECT_FALSE(space.memory_enabled());
  EXPECT_FALSE(space.bus_master());
  space.write(cfg::kCommand, cfg::kMemorySpace);
  EXPECT_TRUE(space.memory_enabled());
  EXPECT_FALSE(space.bus_master());
  space.write(cfg::kCommand, cfg::kBusMaster);
  EXPECT_FALSE(space.memory_enabled());
  EXPECT_TRUE(space.bus_master());
  space.write(cfg::kCommand, 0xFFFF);
  EXPECT_EQ(space.read(cfg::kCommand) & 0xFFFFU, 0x0546U) << "I/O space is not there";
}

TEST(ConfigSpace, ABarTellsItsSizeAndKindWhenAllOnesAreWritten) {
  for (unsigned shift = 7; shift < 63; ++shift) {
    for (const bool is_64_bit : {false, true}) {
      if (!is_64_bit && shift > 31) continue;
      BarShapes bars;
      bars[2] = {1ULL << shift, is_64_bit, is_64_bit};
      ConfigSpace space = device(bars);
      space.write(0x18, ~0U);
      space.write(0x1C, ~0U);
      const std::uint32_t low = space.read(0x18);
      const std::uint64_t high = is_64_bit ? space.read(0x1C) : ~0U;
      EXPECT_EQ(~(high << 32 | (low & ~0xFU)) + 1, 1ULL << shift);
      EXPECT_EQ(low & 0xFU, is_64_bit ? 0xCU : 0U);
      if (!is_64_bit) {
        EXPECT_EQ(space.read(0x1C), 0U);
      }
    }
  }
}

TEST(ConfigSpace, ABarAnswersAtItsAddressOnceMemoryIsEnabled) {
  BarShapes bars;
  bars[0] = {1ULL << 25, true, true};
  bars[3] = {4096, false, false};
  ConfigSpace space = device(bars);
  space.write(0x10, 0x4000000C);
  space.write(0x14, 0x12);
  space.write(0x1C, 0x80003000);
  EXPECT_FALSE(space.bar(0).enabled);
  EXPECT_FALSE(space.bar_at(0x80003000).has_value());
  space.write(cfg::kCommand, cfg::kMemorySpace);
  EXPECT_EQ(space.bar(0).base, 0x1240000000U);
  EXPECT_EQ(space.bar(0).size, 1U << 25);
  EXPECT_TRUE(space.bar(0).enabled);
  EXPECT_EQ(space.bar(1).size, 0U);
  EXPECT_FALSE(space.bar(1).enabled);
  EXPECT_EQ(space.bar(3).base, 0x80003000U);
  EXPECT_EQ(space.bar_at(0x1240000000), 0U);
  EXPECT_EQ(space.bar_at(0x1241FFFFFF), 0U);
  EXPECT_FALSE(space.bar_at(0x1242000000).has_value());
  EXPECT_FALSE(space.bar_at(0x123FFFFFFF).has_value());
  EXPECT_EQ(space.bar_at(0x80003FFF), 3U);
  EXPECT_FALSE(space.bar_at(0).has_value()) << "a BAR that is not there is at no address";
}

TEST(ConfigSpace, ABridgeKnowsItsBuses) {
  ConfigSpace space = port(PortType::kRootPort);
  space.write(cfg::kBusNumbers, 0xFF090503);
  EXPECT_EQ(space.read(cfg::kBusNumbers), 0x00090503U) << "no latency timer";
  EXPECT_EQ(space.primary_bus(), 3U);
  EXPECT_EQ(space.secondary_bus(), 5U);
  EXPECT_EQ(space.subordinate_bus(), 9U);
  EXPECT_FALSE(space.has_bus(4));
  EXPECT_TRUE(space.has_bus(5));
  EXPECT_TRUE(space.has_bus(9));
  EXPECT_FALSE(space.has_bus(10));
  EXPECT_FALSE(device().has_bus(0)) << "a device without buses";
}

TEST(ConfigSpace, ABridgePassesAddressesInItsWindowsOnceMemoryIsEnabled) {
  ConfigSpace space = port(PortType::kSwitchDownstream);
  space.write(cfg::kMemoryBase, 0x8020800F);
  EXPECT_EQ(space.read(cfg::kMemoryBase), 0x80208000U) << "32-bit addresses";
  space.write(cfg::kPrefetchableBase, 0x4000C000);
  EXPECT_EQ(space.read(cfg::kPrefetchableBase), 0x4001C001U) << "64-bit addresses";
  space.write(cfg::kPrefetchableBaseUpper, 0x10);
  space.write(cfg::kPrefetchableLimitUpper, 0x12);
  EXPECT_FALSE(space.in_window(0x80000000));
  space.write(cfg::kCommand, cfg::kMemorySpace);
  EXPECT_FALSE(space.in_window(0x7FFFFFFF));
  EXPECT_TRUE(space.in_window(0x80000000));
  EXPECT_TRUE(space.in_window(0x802FFFFF));
  EXPECT_FALSE(space.in_window(0x80300000));
  EXPECT_FALSE(space.in_window(0x10BFFFFFFF));
  EXPECT_TRUE(space.in_window(0x10C0000000));
  EXPECT_TRUE(space.in_window(0x12400FFFFF));
  EXPECT_FALSE(space.in_window(0x1240100000));
}

TEST(ConfigSpace, AWindowWhoseLimitIsBelowItsBaseIsClosed) {
  ConfigSpace space = port(PortType::kSwitchDownstream);
  space.write(cfg::kCommand, cfg::kMemorySpace);
  space.write(cfg::kMemoryBase, 0x00108020);
  space.write(cfg::kPrefetchableBase, 0x0000FFF0);
  EXPECT_FALSE(space.in_window(0x80200000));
  EXPECT_FALSE(space.in_window(0x00100000));
  EXPECT_FALSE(space.in_window(0));
  ConfigSpace endpoint = device();
  endpoint.write(cfg::kCommand, cfg::kMemorySpace);
  EXPECT_FALSE(endpoint.in_window(0)) << "no bridge";
}

TEST(ConfigSpace, BridgeControlHoldsWhatIsThere) {
  ConfigSpace space = port(PortType::kRootPort);
  space.write(cfg::kBridgeControl, 0xFFFFFFFF);
  EXPECT_EQ(space.read(cfg::kBridgeControl), 0x004300FFU);
}

TEST(ConfigSpace, WhatAShapeGetsWrongIsSaidWithItsName) {
  const auto problem = [](BarShapes bars) {
    try {
      device(bars);
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.place(), "nic0");
      return error.problem();
    }
    return std::string();
  };
  BarShapes bars;
  bars[1] = {64, false, false};
  EXPECT_THAT(problem(bars), testing::HasSubstr("BAR 1 of 64B"));
  bars[1] = {192, false, false};
  EXPECT_THAT(problem(bars), testing::HasSubstr("BAR 1 of 192B"));
  bars[1] = {1ULL << 32, false, false};
  EXPECT_THAT(problem(bars), testing::HasSubstr("32-bit addresses"));
  bars[1] = {128, true, false};
  bars[2] = {128, true, false};
  EXPECT_THAT(problem(bars), testing::HasSubstr("BAR 1 is a 64-bit one"));
  bars = {};
  bars[5] = {128, true, false};
  EXPECT_THAT(problem(bars), testing::HasSubstr("BAR 5 is a 64-bit one"));
  EXPECT_THROW(ConfigSpace::endpoint("nic0", {0xFFFF, 0, 0, 0, false}, {}), ConfigError);
}

}  // namespace
}  // namespace railyard::pcie
