// What a hierarchy must agree on, and what stops an enumeration.
#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "hw/host/enumeration.h"
#include "tests/hw/host/fake_hierarchy.h"
#include "tlm/base/error.h"

namespace railyard::host {
namespace {

using fake::bars;
using fake::endpoint;
using fake::FakeFunction;
using fake::FakeHierarchy;
using pcie::ExpressShape;
using pcie::PortType;
namespace cfg = pcie::config;

std::string refusal(FakeHierarchy& fake, const EnumerationConfig& config = {},
                    const AddressPools& pools = fake::kPools) {
  try {
    enumerate(fake, config, pools);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// A root port and an endpoint directly behind it, and one behind a switch.
struct Small {
  explicit Small(const ExpressShape& root_shape = {}, const ExpressShape& nic_shape = {})
      : root(fake.root(0, root_shape)),
        nic(root.add(0, endpoint(bars(fake::kMiB), nic_shape))),
        upstream(FakeHierarchy::add_switch(fake.root(1), 1)),
        downstream(*upstream.behind[0]),
        gpu(downstream.add(0, endpoint(bars(fake::kMiB)))) {}

  std::vector<FakeFunction*> all() { return {&root, &nic, &upstream, &downstream, &gpu}; }

  FakeHierarchy fake;
  FakeFunction& root;
  FakeFunction& nic;
  FakeFunction& upstream;
  FakeFunction& downstream;
  FakeFunction& gpu;
};

TEST(EnumerationSettings, TheSmallestPayloadHoldsEverywhereAndTheReadRequestIsWhatWasAsked) {
  for (const std::uint32_t payload : {128U, 256U, 512U}) {
    ExpressShape shape;
    shape.max_payload = payload;
    Small small({}, shape);
    EnumerationConfig config;
    config.max_read_request = payload * 8;
    const DeviceTree found = enumerate(small.fake, config, fake::kPools);
    EXPECT_EQ(found.max_payload, payload);
    for (FakeFunction* f : small.all()) {
      EXPECT_EQ(f->space.max_payload(), payload);
      EXPECT_EQ(f->space.max_read_request(), payload * 8);
    }
  }
}

TEST(EnumerationSettings, ExtendedTagsNeedAllFunctions) {
  for (const bool asked : {false, true}) {
    for (const bool supported : {false, true}) {
      ExpressShape shape;
      shape.extended_tag = supported;
      Small small({}, shape);
      EnumerationConfig config;
      config.extended_tags = asked;
      EXPECT_EQ(enumerate(small.fake, config, fake::kPools).extended_tags, asked && supported);
      for (FakeFunction* f : small.all()) {
        EXPECT_EQ(f->space.extended_tags(), asked && supported);
      }
    }
  }
}

TEST(EnumerationSettings, TenBitTagsNeedAllCompletersAndTheRequesterItself) {
  ExpressShape no_completer;
  no_completer.ten_bit_completer = false;
  Small without(no_completer);
  EXPECT_FALSE(enumerate(without.fake, {}, fake::kPools).ten_bit_tags);
  for (FakeFunction* f : without.all()) EXPECT_FALSE(f->space.ten_bit_tags());

  ExpressShape no_requester;
  no_requester.ten_bit_requester = false;
  Small small({}, no_requester);
  EXPECT_TRUE(enumerate(small.fake, {}, fake::kPools).ten_bit_tags);
  EXPECT_FALSE(small.nic.space.ten_bit_tags());
  EXPECT_TRUE(small.gpu.space.ten_bit_tags());

  EnumerationConfig config;
  config.ten_bit_tags = false;
  EXPECT_FALSE(enumerate(small.fake, config, fake::kPools).ten_bit_tags);
  EXPECT_FALSE(small.gpu.space.ten_bit_tags()) << "they were enabled before";
}

TEST(EnumerationSettings, RelaxedOrderingIsAllowedOrForbidden) {
  Small small;
  enumerate(small.fake, {}, fake::kPools);
  EXPECT_TRUE(small.nic.space.relaxed_ordering());
  EnumerationConfig config;
  config.relaxed_ordering = false;
  enumerate(small.fake, config, fake::kPools);
  EXPECT_FALSE(small.nic.space.relaxed_ordering());
}

TEST(EnumerationSettings, RedirectionIsSetWhereItIsAskedFor) {
  Small small;
  enumerate(small.fake, {}, fake::kPools);
  EXPECT_FALSE(small.downstream.space.acs_request_redirect());
  EnumerationConfig config;
  config.acs_redirect = true;
  enumerate(small.fake, config, fake::kPools);
  EXPECT_TRUE(small.downstream.space.acs_request_redirect());
  EXPECT_TRUE(small.downstream.space.acs_completion_redirect());
  EXPECT_TRUE(small.root.space.acs_request_redirect());
}

TEST(EnumerationSettings, RedirectionThatASwitchCannotDoIsRefused) {
  FakeHierarchy fake;
  FakeFunction& upstream = FakeHierarchy::add_switch(fake.root(0), 0);
  auto bare = pcie::ConfigSpace::bridge("bare", {0x1D0F, 1, 0x060400, 0, false});
  ExpressShape shape;
  shape.type = PortType::kSwitchDownstream;
  bare.add_express(shape);
  upstream.add(4, std::move(bare)).add(0, endpoint({}));
  EXPECT_EQ(refusal(fake), "");
  EnumerationConfig config;
  config.acs_redirect = true;
  EXPECT_THAT(refusal(fake, config), testing::StartsWith("02:04.0: this switch port cannot"));
}

TEST(EnumerationSettings, ErrorsThatWereNotedBeforeStayNoted) {
  Small small;
  small.nic.space.log_error(pcie::UncorrectableError::kUnsupportedRequest, {});
  enumerate(small.fake, {}, fake::kPools);
  const std::uint32_t status = small.nic.space.read(0x40 + cfg::kDeviceControl);
  EXPECT_EQ(status & cfg::kDeviceStatusBits, cfg::kNonFatalDetected | cfg::kUnsupportedDetected);
}

TEST(EnumerationSettings, ASecondEnumerationFindsTheSame) {
  Small small;
  const std::string first = enumerate(small.fake, {}, fake::kPools).text();
  EXPECT_EQ(enumerate(small.fake, {}, fake::kPools).text(), first);
}

TEST(EnumerationRefusals, ABarLargerThanTheWindowIsNamed) {
  Small small;
  small.fake.root(5).add(0, endpoint(bars(0, 2 * fake::kGiB)));
  EXPECT_THAT(refusal(small.fake),
              testing::StartsWith("05:00.0: BAR 2 asks for 2GiB, more than the whole memory window "
                                  "of 1GiB"));
  FakeHierarchy fake;
  fake.root(0).add(0, endpoint(bars(1ULL << 43)));
  EXPECT_THAT(refusal(fake), testing::HasSubstr("BAR 0 asks for 8TiB, more than the whole "
                                                "prefetchable window of 4TiB"));
}

TEST(EnumerationRefusals, AWindowThatIsExhaustedSaysWhatWasAskedAndWhatIsLeft) {
  FakeHierarchy fake;
  for (unsigned i = 0; i < 5; ++i) fake.root(i).add(0, endpoint(bars(0, 256 * fake::kMiB)));
  EXPECT_THAT(refusal(fake),
              testing::StartsWith("00:04.0: what is behind this bridge asks for 256MiB aligned to "
                                  "256MiB, and 0B of the memory window of 1GiB are left"));
  AddressPools pools = fake::kPools;
  pools.memory = {fake::kGiB, fake::kGiB + 256 * fake::kMiB};
  EXPECT_EQ(refusal(fake, {}, pools), "") << "to the last byte";
  pools.memory.bytes = fake::kGiB + 255 * fake::kMiB;
  EXPECT_THAT(refusal(fake, {}, pools), testing::HasSubstr("255MiB of the memory window"));
}

TEST(EnumerationRefusals, WhatDoesNotFitBehindABridgeIsNamedItself) {
  FakeHierarchy fake;
  for (const auto& port : FakeHierarchy::add_switch(fake.root(0), 5).behind) {
    port->add(0, endpoint(bars(0, 256 * fake::kMiB)));
  }
  EXPECT_THAT(refusal(fake),
              testing::StartsWith("02:04.0: what is behind this bridge asks for 256MiB aligned to "
                                  "256MiB, and 0B of the memory window of 1GiB are left"));
}

/// BARs of `size`, one or two, and one of 1 MiB.
pcie::BarShapes with_a_small_one(std::uint64_t size, bool twice) {
  pcie::BarShapes shapes;
  shapes[0] = {size, true, true};
  shapes[2] = {twice ? size : 0, true, true};
  shapes[4] = {fake::kMiB, true, true};
  return shapes;
}

TEST(EnumerationRefusals, AlignmentThatLeadsBeyondTheWindowIsRefused) {
  FakeHierarchy fake;
  fake.root(0).add(0, endpoint(with_a_small_one(64 * fake::kMiB, false)));
  fake.root(1).add(0, endpoint(bars(64 * fake::kMiB)));
  AddressPools pools = fake::kPools;
  pools.prefetchable = {fake::kGiB, 70 * fake::kMiB};
  EXPECT_THAT(refusal(fake, {}, pools), testing::HasSubstr("and 5MiB of the prefetchable window"));
  pools.prefetchable.bytes = 192 * fake::kMiB;
  EXPECT_EQ(refusal(fake, {}, pools), "") << "to the last byte";
  FakeHierarchy nested;
  FakeFunction& upstream = FakeHierarchy::add_switch(nested.root(0), 2);
  upstream.behind[0]->add(0, endpoint(with_a_small_one(64 * fake::kMiB, false)));
  upstream.behind[1]->add(0, endpoint(bars(64 * fake::kMiB)));
  EXPECT_EQ(refusal(nested, {}, pools), "");
  pools.prefetchable.bytes = 70 * fake::kMiB;
  EXPECT_THAT(refusal(nested, {}, pools),
              testing::HasSubstr("and 5MiB of the prefetchable window"));
}

TEST(EnumerationRefusals, AlignmentThatLeadsBeyond64BitsIsRefused) {
  FakeHierarchy fake;
  fake.root(0).add(0, endpoint(with_a_small_one(fake::kGiB, true)));
  fake.root(1).add(0, endpoint(bars(fake::kGiB)));
  AddressPools pools = fake::kPools;
  pools.prefetchable = {~0ULL - 3 * fake::kGiB + 1, 3 * fake::kGiB - fake::kMiB};
  EXPECT_THAT(refusal(fake, {}, pools), testing::StartsWith("00:01.0: what is behind this bridge"));
}

TEST(EnumerationRefusals, SizesWhoseSumExceeds64BitsAreRefused) {
  FakeHierarchy fake;
  for (const auto& port : FakeHierarchy::add_switch(fake.root(0), 2).behind) {
    port->add(0, endpoint(bars(1ULL << 63)));
  }
  AddressPools pools = fake::kPools;
  pools.prefetchable = {1ULL << 62, (3ULL << 62) - fake::kMiB};
  EXPECT_THAT(refusal(fake, {}, pools), testing::StartsWith("02:01.0: what is behind this bridge"));
}

TEST(EnumerationRefusals, ABridgeWhoseLinkHasNoLanesIsNamed) {
  Small small;
  small.downstream.space.set_link(5, 0);
  EXPECT_THAT(refusal(small.fake),
              testing::StartsWith("03:00.0: this bridge's link has no lanes of the 16"));
  ExpressShape narrow;
  narrow.lanes = 8;
  Small other(narrow);
  other.root.space.set_link(5, 0);
  EXPECT_THAT(refusal(other.fake),
              testing::StartsWith("00:00.0: this bridge's link has no lanes of the 8"));
}

TEST(EnumerationRefusals, ThereAre256BusesAndNoMore) {
  // Bus 0; a root port, an upstream port and its downstream ports take one each.
  const auto ports = [](unsigned first, unsigned second, unsigned last) {
    FakeHierarchy fake;
    unsigned root = 0;
    for (unsigned i = 0; i < 7; ++i) FakeHierarchy::add_switch(fake.root(root++), first);
    FakeHierarchy::add_switch(fake.root(root++), second);
    for (unsigned i = 0; i < last; ++i) fake.root(root++).add(0, endpoint({}));
    return refusal(fake);
  };
  EXPECT_EQ(ports(32, 15, 0), "") << "1 + 7 x 34 + 17: all 256";
  EXPECT_EQ(ports(32, 14, 1), "");
  EXPECT_THAT(ports(32, 16, 0), testing::StartsWith("f0:0f.0: this bridge asks for a bus"));
  EXPECT_THAT(ports(32, 15, 1), testing::StartsWith("00:08.0: this bridge asks for a bus"));
}

/// A function whose BAR 1 reads as `kept` after all ones, and whose lists of capabilities point at
/// themselves.
struct Odd : ConfigAccess {
  std::uint32_t read(pcie::DeviceId id, unsigned offset) override {
    if (id != pcie::DeviceId::of(0, 2)) return ~0U;
    if (offset == cfg::kVendorId) return 0x00011D0F;
    if (offset == cfg::kCommand) return cfg::kCapabilityList;
    if (offset == cfg::kCapabilityPointer) return 0x40;
    if (offset == 0x40) return 0x40U << 8 | 0x77;
    if (offset == cfg::kExtendedCapabilities) return 0x100U << 20 | 0x77;
    return offset == 0x14 ? kept : 0;
  }
  void write(pcie::DeviceId, unsigned, std::uint32_t) override {}
  std::uint32_t kept = 0;
};

TEST(EnumerationRefusals, IoSpaceAndSizesThatAreNoneAreNamed) {
  Odd odd;
  const auto text = [&odd](std::uint32_t kept) {
    odd.kept = kept;
    try {
      enumerate(odd, {}, fake::kPools);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(text(0xFFFFFF01), testing::StartsWith("00:02.0: BAR 1 asks for I/O space"));
  EXPECT_THAT(text(0xFFF0F000), testing::StartsWith("00:02.0: BAR 1 keeps"));
  EXPECT_THAT(text(0x0000000C), testing::StartsWith("00:02.0: BAR 1 keeps"));
}

TEST(EnumerationRefusals, AListOfCapabilitiesThatGoesRoundComesToAnEnd) {
  Odd odd;
  EXPECT_LE(enumerate(odd, {}, fake::kPools).functions[0].capabilities.size(), 1008U);
}

TEST(EnumerationRefusals, ABridgeWith32BitPrefetchableAddressesTakesNoneAbove4GiB) {
  // A router that hides that the root port's window has 64-bit addresses.
  struct Narrow : FakeHierarchy {
    std::uint32_t read(pcie::DeviceId id, unsigned offset) override {
      const std::uint32_t value = FakeHierarchy::read(id, offset);
      return id.bus() == 0 && offset == cfg::kPrefetchableBase ? value & ~cfg::kWindow64 : value;
    }
  };
  Narrow narrow;
  narrow.root(0).add(0, endpoint(bars(fake::kMiB)));
  EXPECT_THAT(refusal(narrow), testing::StartsWith("00:00.0: this bridge's prefetchable window"));
  AddressPools pools = fake::kPools;
  pools.prefetchable = {fake::kGiB, fake::kGiB};
  EXPECT_EQ(refusal(narrow, {}, pools), "");
}

TEST(EnumerationRefusals, AWindowThatCannotBeIsRefusedBeforeAnythingIsRead) {
  FakeHierarchy fake;
  fake.root(0);
  const auto refused = [&fake](const AddressPool& memory, const AddressPool& prefetchable) {
    return refusal(fake, {}, {memory, prefetchable});
  };
  EXPECT_EQ(refused({3 * fake::kGiB, fake::kGiB}, {}), "");
  fake.accesses = 0;
  EXPECT_THAT(refused({3 * fake::kGiB, 2 * fake::kGiB}, {}),
              testing::HasSubstr("ends beyond 4GiB"));
  EXPECT_THAT(refused({3 * fake::kGiB + fake::kMiB, fake::kGiB}, {}),
              testing::HasSubstr("ends beyond 4GiB"));
  EXPECT_THAT(refused({8 * fake::kGiB, fake::kGiB}, {}), testing::HasSubstr("ends beyond 4GiB"));
  EXPECT_THAT(refused({4096, fake::kGiB}, {}), testing::HasSubstr("multiple of 1MiB"));
  EXPECT_THAT(refused({}, {fake::kMiB / 2, fake::kGiB}), testing::HasSubstr("multiple of 1MiB"));
  EXPECT_THAT(refused({}, {~0ULL - fake::kGiB + 1, fake::kGiB}),
              testing::HasSubstr("beyond 64-bit"));
  EnumerationConfig config;
  for (const auto& [request, text] :
       {std::pair<std::uint64_t, const char*>{64, "64B"}, {300, "300B"}, {8192, "8KiB"}}) {
    config.max_read_request = request;
    EXPECT_THAT(refusal(fake, config), testing::HasSubstr(text));
  }
  EXPECT_EQ(fake.accesses, 0U);
}

}  // namespace
}  // namespace railyard::host
