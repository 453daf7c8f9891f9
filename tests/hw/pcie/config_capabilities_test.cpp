// The capabilities of a configuration space.
#include <gmock/gmock.h>

#include <string>

#include "hw/pcie/config_space.h"
#include "tests/hw/pcie/config_tools.h"
#include "tlm/base/error.h"

namespace railyard::pcie {
namespace {

namespace cfg = config;
using test::capability;
using test::extended_capability;
using test::modify;

ConfigSpace device_with(const ExpressShape& shape = {}) {
  BarShapes bars;
  bars[0] = {1U << 16, true, true};
  ConfigSpace space = ConfigSpace::endpoint("nic0", {0x15B3, 0x1021, 0x020000, 0, false}, bars);
  space.add_express(shape);
  return space;
}

ConfigSpace port_of(PortType type, std::uint32_t boundary = 64) {
  ConfigSpace space = ConfigSpace::bridge("port0", {0x1D0F, 1, 0x060400, 0, false});
  ExpressShape shape;
  shape.type = type;
  shape.read_completion_boundary = boundary;
  space.add_express(shape);
  return space;
}

unsigned express(const ConfigSpace& space) { return capability(space, cfg::kExpressCapability); }

TEST(ConfigCapabilities, AreFoundAlongBothLists) {
  ConfigSpace space = port_of(PortType::kRootPort);
  EXPECT_EQ(extended_capability(space, cfg::kAerCapability), 0U);
  space.add_error_reporting();
  space.add_access_control();
  EXPECT_EQ(extended_capability(space, cfg::kAerCapability), 0x100U);
  EXPECT_EQ(extended_capability(space, cfg::kAcsCapability), 0x148U);
  EXPECT_EQ(capability(space, cfg::kMsixCapability), 0U);
  ConfigSpace endpoint = device_with();
  endpoint.add_msix({8, 0, 0, 0, 0x800});
  EXPECT_EQ(express(endpoint), 0x40U);
  EXPECT_EQ(capability(endpoint, cfg::kMsixCapability), 0x7CU);
  EXPECT_EQ(endpoint.read(0x7C) & 0xFF00U, 0U) << "the end of the list";
  EXPECT_EQ(capability(ConfigSpace::bridge("p", {}), cfg::kExpressCapability), 0U);
}

TEST(ConfigCapabilities, ExpressTellsItsPortTypeAndVersion) {
  EXPECT_EQ(device_with().read(0x40) >> 16, 0x0002U);
  EXPECT_EQ(port_of(PortType::kRootPort).read(0x40) >> 16, 0x0042U);
  EXPECT_EQ(port_of(PortType::kSwitchUpstream).read(0x40) >> 16, 0x0052U);
  EXPECT_EQ(port_of(PortType::kSwitchDownstream).read(0x40) >> 16, 0x0062U);
  EXPECT_EQ(port_of(PortType::kSwitchDownstream).type(), PortType::kSwitchDownstream);
}

TEST(ConfigCapabilities, PayloadAndReadRequestSizesFollowTheirFields) {
  ExpressShape shape;
  shape.max_payload = 1024;
  ConfigSpace space = device_with(shape);
  EXPECT_EQ(space.max_payload_supported(), 1024U);
  EXPECT_EQ(space.max_payload(), 128U);
  EXPECT_EQ(space.max_read_request(), 512U);
  const unsigned control = express(space) + cfg::kDeviceControl;
  for (unsigned code = 0; code < 8; ++code) {
    modify(space, control, code << 5, 7U << 5);
    EXPECT_EQ(space.max_payload(), std::min(128U << code, 1024U));
    EXPECT_EQ(space.max_read_request(), 512U);
  }
  for (unsigned code = 0; code < 8; ++code) {
    modify(space, control, code << 12, 7U << 12);
    EXPECT_EQ(space.max_read_request(), std::min(128U << code, 4096U));
    EXPECT_EQ(space.max_payload(), 1024U);
  }
  space.write(express(space) + cfg::kDeviceCapabilities, 0);
  EXPECT_EQ(space.max_payload_supported(), 1024U) << "capabilities can only be read";
}

TEST(ConfigCapabilities, TagsAreEnabledWhereTheyAreSupported) {
  for (const bool supported : {false, true}) {
    ExpressShape shape;
    shape.extended_tag = supported;
    shape.ten_bit_requester = supported;
    shape.ten_bit_completer = supported;
    ConfigSpace space = device_with(shape);
    const unsigned at = express(space);
    EXPECT_EQ(space.read(at + cfg::kDeviceCapabilities) >> 5 & 1U, supported ? 1U : 0U);
    EXPECT_EQ(space.read(at + cfg::kDeviceCapabilities2) >> 16 & 3U, supported ? 3U : 0U);
    EXPECT_FALSE(space.extended_tags());
    EXPECT_FALSE(space.ten_bit_tags());
    modify(space, at + cfg::kDeviceControl, cfg::kExtendedTag, cfg::kExtendedTag);
    EXPECT_EQ(space.extended_tags(), supported);
    EXPECT_FALSE(space.ten_bit_tags());
    space.write(at + cfg::kDeviceControl2, cfg::kTenBitTag);
    EXPECT_EQ(space.ten_bit_tags(), supported);
  }
}

TEST(ConfigCapabilities, RelaxedOrderingIsAllowedUntilItIsForbidden) {
  ConfigSpace space = device_with();
  EXPECT_TRUE(space.relaxed_ordering());
  modify(space, express(space) + cfg::kDeviceControl, 0, cfg::kRelaxedOrdering);
  EXPECT_FALSE(space.relaxed_ordering());
}

TEST(ConfigCapabilities, TheCompletionTimeoutFollowsItsRangeUntilItIsDisabled) {
  ConfigSpace space = device_with();
  const unsigned control = express(space) + cfg::kDeviceControl2;
  const auto at_most = [&](std::uint32_t code) {
    space.write(control, code);
    return space.completion_timeout()->max;
  };
  EXPECT_EQ(space.read(express(space) + cfg::kDeviceCapabilities2) & 0x1FU, 0x1FU);
  EXPECT_EQ(space.completion_timeout()->min, 50 * kMicrosecond);
  EXPECT_EQ(space.completion_timeout()->max, 50 * kMillisecond);
  Time last = 0;
  for (const std::uint32_t code : {0x1U, 0x2U, 0x5U, 0x6U, 0x9U, 0xAU, 0xDU, 0xEU}) {
    const Time most = at_most(code);
    EXPECT_GT(most, last) << code;
    EXPECT_LT(space.completion_timeout()->min, most) << code;
    EXPECT_GE(space.completion_timeout()->min, last) << code;
    last = most;
  }
  EXPECT_EQ(at_most(0x1), 100 * kMicrosecond);
  EXPECT_EQ(at_most(0xE), 64'000 * kMillisecond);
  EXPECT_EQ(at_most(0x3), 50 * kMillisecond) << "a reserved value";
  space.write(control, cfg::kTimeoutDisable | 0x1);
  EXPECT_FALSE(space.completion_timeout().has_value());
}

TEST(ConfigCapabilities, TheLinkTellsWhatItIsAndWhatItCould) {
  ExpressShape shape;
  shape.generation = 4;
  shape.lanes = 8;
  ConfigSpace space = device_with(shape);
  const unsigned at = express(space);
  EXPECT_EQ(space.read(at + cfg::kLinkCapabilities), 0x084U);
  EXPECT_EQ(space.read(at + cfg::kLinkCapabilities2), 0x1EU);
  for (const PortType type : {PortType::kRootPort, PortType::kSwitchDownstream}) {
    EXPECT_EQ(port_of(type).read(0x40 + cfg::kLinkCapabilities),
              cfg::kLinkActiveReporting | 0x105U);
  }
  EXPECT_EQ(port_of(PortType::kSwitchUpstream).read(0x40 + cfg::kLinkCapabilities), 0x105U);
  EXPECT_EQ(space.read(at + cfg::kLinkControl) >> 16, 0x084U);
  space.write(at + cfg::kLinkControl, 0xFFFF0000);
  EXPECT_EQ(space.read(at + cfg::kLinkControl) >> 16, 0x084U) << "status can only be read";
  space.set_link(3, 4);
  EXPECT_EQ(space.read(at + cfg::kLinkControl) >> 16, 0x043U);
  EXPECT_EQ(space.read(at + cfg::kLinkCapabilities), 0x084U);
  space.set_link(3, 0);
  EXPECT_EQ(space.read(at + cfg::kLinkControl) >> 16, 0U);
  EXPECT_EQ(port_of(PortType::kSwitchUpstream).read(0x40 + cfg::kLinkControl) >> 16, 0x105U);
  EXPECT_EQ(port_of(PortType::kRootPort).read(0x40 + cfg::kLinkControl) >> 16, 0x2105U)
      << "a port that leads downstream says that its link is active";
}

TEST(ConfigCapabilities, TheReadCompletionBoundaryIsARootPortsOwnAndTheEndpointsToBeTold) {
  ConfigSpace root = port_of(PortType::kRootPort, 128);
  EXPECT_EQ(root.read_completion_boundary(), 128U);
  root.write(express(root) + cfg::kLinkControl, 0);
  EXPECT_EQ(root.read_completion_boundary(), 128U);
  EXPECT_EQ(port_of(PortType::kRootPort).read_completion_boundary(), 64U);
  ConfigSpace space = device_with();
  EXPECT_EQ(space.read_completion_boundary(), 64U);
  space.write(express(space) + cfg::kLinkControl, cfg::kReadCompletionBoundary);
  EXPECT_EQ(space.read_completion_boundary(), 128U);
}

TEST(ConfigCapabilities, MsixSaysWhereItsTableIsAndTakesEnableAndMask) {
  ConfigSpace space = device_with();
  EXPECT_FALSE(space.msix_enabled());
  EXPECT_FALSE(space.msix_function_mask());
  space.add_msix({64, 0, 0x1000, 0, 0x2000});
  const unsigned at = capability(space, cfg::kMsixCapability);
  EXPECT_EQ(space.read(at) >> 16, 63U);
  EXPECT_EQ(space.read(at + cfg::kMsixTable), 0x1000U);
  EXPECT_EQ(space.read(at + cfg::kMsixPending), 0x2000U);
  space.write(at, 0xFFFFFFFF);
  EXPECT_EQ(space.read(at) >> 16, 0xC03FU) << "the size can only be read";
  EXPECT_TRUE(space.msix_enabled());
  EXPECT_TRUE(space.msix_function_mask());
  space.write(at, cfg::kMsixEnable);
  EXPECT_TRUE(space.msix_enabled());
  EXPECT_FALSE(space.msix_function_mask());
}

TEST(ConfigCapabilities, AnMsixTableThatDoesNotFitIsRefused) {
  const auto problem = [](const MsixShape& shape) {
    ConfigSpace space = device_with();
    try {
      space.add_msix(shape);
    } catch (const ConfigError& error) {
      return error.problem();
    }
    return std::string();
  };
  EXPECT_EQ(problem({2048, 0, 0, 0, 0x8000}), "");
  EXPECT_EQ(problem({1, 0, 0xFFF0, 0, 0}), "") << "to the last byte of the BAR";
  EXPECT_EQ(problem({2048, 0, 0x100, 0, 0}), "") << "the last byte before the table";
  EXPECT_THAT(problem({2048, 0, 0xF8, 0, 0}), testing::HasSubstr("overlap"));
  EXPECT_THAT(problem({2048, 0, 0, 0, 0x7FF8}), testing::HasSubstr("overlap"));
  EXPECT_THAT(problem({0, 0, 0, 0, 0x8000}), testing::HasSubstr("0 MSI-X vectors"));
  EXPECT_THAT(problem({2049, 0, 0, 0, 0xF000}), testing::HasSubstr("2049 MSI-X vectors"));
  EXPECT_THAT(problem({2, 1, 0, 0, 0x8000}), testing::HasSubstr("BAR 1, which is not there"));
  EXPECT_THAT(problem({2, 6, 0, 0, 0x8000}), testing::HasSubstr("BAR 6, which is not there"));
  EXPECT_THAT(problem({2, 0, 4, 0, 0x8000}), testing::HasSubstr("not aligned"));
  EXPECT_THAT(problem({2, 0, 0xFFE8, 0, 0}), testing::HasSubstr("beyond BAR 0 of 64KiB"));
  EXPECT_THAT(problem({2, 0, 0, 0, 0x10000}), testing::HasSubstr("pending bit array"));
}

TEST(ConfigCapabilities, AccessControlRedirectsRequestsAndCompletionsApart) {
  ConfigSpace space = port_of(PortType::kSwitchDownstream);
  EXPECT_FALSE(space.acs_request_redirect());
  space.add_access_control();
  const unsigned at = extended_capability(space, cfg::kAcsCapability) + cfg::kAcs;
  EXPECT_EQ(space.read(at), 0xCU);
  EXPECT_FALSE(space.acs_request_redirect());
  space.write(at, cfg::kAcsRequestRedirect << 16);
  EXPECT_TRUE(space.acs_request_redirect());
  EXPECT_FALSE(space.acs_completion_redirect());
  space.write(at, cfg::kAcsCompletionRedirect << 16);
  EXPECT_FALSE(space.acs_request_redirect());
  EXPECT_TRUE(space.acs_completion_redirect());
  space.write(at, 0xFFFFFFFF);
  EXPECT_EQ(space.read(at), 0x000C000CU) << "of the others none is there";
  ConfigSpace upstream = port_of(PortType::kSwitchUpstream);
  EXPECT_THROW(upstream.add_access_control(), ConfigError);
}

TEST(ConfigCapabilities, AShapeThatIsWrongIsRefused) {
  ExpressShape shape;
  shape.max_payload = 384;
  EXPECT_THROW(device_with(shape), ConfigError);
  shape.max_payload = 8192;
  EXPECT_THROW(device_with(shape), ConfigError);
  shape.max_payload = 64;
  EXPECT_THROW(device_with(shape), ConfigError);
  for (const std::uint32_t payload : {128U, 256U, 512U, 1024U, 2048U, 4096U}) {
    shape.max_payload = payload;
    EXPECT_EQ(device_with(shape).max_payload_supported(), payload);
  }
  shape.type = PortType::kRootPort;
  EXPECT_THROW(device_with(shape), ConfigError);
  EXPECT_THROW(port_of(PortType::kEndpoint), ConfigError);
  EXPECT_THROW(port_of(PortType::kRootPort, 256), ConfigError);
}

}  // namespace
}  // namespace railyard::pcie
