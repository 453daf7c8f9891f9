#include "hw/host/enumeration.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "tests/hw/host/fake_hierarchy.h"
#include "tlm/base/error.h"

namespace railyard::host {
namespace {

using fake::bars;
using fake::endpoint;
using fake::FakeFunction;
using fake::FakeHierarchy;
using pcie::DeviceId;
using pcie::PortType;
namespace cfg = pcie::config;

TEST(Enumeration, NothingThereIsAnEmptyHierarchy) {
  FakeHierarchy fake;
  const DeviceTree found = enumerate(fake, {}, fake::kPools);
  EXPECT_TRUE(found.functions.empty());
  EXPECT_EQ(found.text(), "");
}

TEST(Enumeration, FindsAnEndpointBehindARootPortAndMakesItUsable) {
  FakeHierarchy fake;
  FakeFunction& root = fake.root(3);
  auto space = endpoint(bars(32 * fake::kMiB, 64 << 10));
  space.add_msix({8, 0, 0, 0, 0x1000});
  FakeFunction& nic = root.add(0, std::move(space));
  const DeviceTree found = enumerate(fake, {}, fake::kPools);
  ASSERT_EQ(found.all().size(), 2U);
  const FoundFunction& port = found.functions[0];
  EXPECT_EQ(port.id, DeviceId::of(0, 3));
  EXPECT_EQ(port.type, PortType::kRootPort);
  const FoundFunction* f = found.find(DeviceId::of(1, 0));
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->vendor, 0x15B3);
  EXPECT_EQ(f->device, fake::kNicDevice);
  EXPECT_EQ(f->class_code, 0x020000U);
  EXPECT_EQ(f->capability(cfg::kExpressCapability), 0x40U);
  EXPECT_EQ(f->capability(cfg::kMsixCapability), 0x7CU);
  EXPECT_EQ(port.capability(cfg::kMsixCapability), 0U);
  EXPECT_EQ(f->extended_capability(cfg::kAerCapability), 0x100U);
  EXPECT_EQ(f->capability(cfg::kAerCapability), 0U);
  EXPECT_EQ(f->capabilities.size(), 3U);
  EXPECT_EQ(port.extended_capability(cfg::kAcsCapability), 0x148U);
  ASSERT_EQ(f->bars.size(), 2U);
  EXPECT_EQ(f->bar(0)->base, 0x1000'0000'0000U);
  EXPECT_EQ(f->bar(0)->size, 32 * fake::kMiB);
  EXPECT_TRUE(f->bar(0)->is_64_bit && f->bar(0)->prefetchable);
  EXPECT_EQ(f->bar(2)->base, 0x8000'0000U);
  EXPECT_EQ(f->bar(2)->size, 64U << 10);
  EXPECT_FALSE(f->bar(2)->is_64_bit || f->bar(2)->prefetchable);
  EXPECT_EQ(f->bar(1), nullptr);

  EXPECT_EQ(nic.space.bar(0).base, f->bar(0)->base);
  EXPECT_EQ(nic.space.bar(2).base, f->bar(2)->base);
  EXPECT_TRUE(nic.space.memory_enabled() && nic.space.bus_master());
  EXPECT_TRUE(root.space.memory_enabled() && root.space.bus_master());
  EXPECT_EQ(root.space.primary_bus(), 0U);
  EXPECT_EQ(root.space.secondary_bus(), 1U);
  EXPECT_EQ(root.space.subordinate_bus(), 1U);
  EXPECT_EQ(fake.at_address(0x8000'FFFF), &nic);
  EXPECT_EQ(root.space.memory_window().last, 0x800F'FFFFU) << "granules of 1 MiB";
  EXPECT_EQ(fake.stray, 0U);
}

TEST(Enumeration, NumbersBusesDepthFirst) {
  FakeHierarchy fake;
  FakeFunction& first = FakeHierarchy::add_switch(fake.root(0), 2);
  FakeFunction& second = FakeHierarchy::add_switch(*first.behind[0], 2);
  second.behind[0]->add(0, endpoint(bars(fake::kMiB)));
  second.behind[1]->add(0, endpoint(bars(fake::kMiB)));
  first.behind[1]->add(0, endpoint(bars(fake::kMiB)));
  fake.root(1).add(0, endpoint(bars(fake::kMiB)));
  const DeviceTree found = enumerate(fake, {}, fake::kPools);
  std::vector<std::string> ids;
  for (const FoundFunction* f : found.all()) {
    std::string text = pcie::format_id(f->id);
    if (f->is_bridge) {
      text += " " + std::to_string(f->secondary_bus) + "-" + std::to_string(f->subordinate_bus);
    }
    ids.push_back(text);
  }
  EXPECT_THAT(ids, testing::ElementsAre("00:00.0 1-7", "01:00.0 2-7", "02:00.0 3-6", "03:00.0 4-6",
                                        "04:00.0 5-5", "05:00.0", "04:01.0 6-6", "06:00.0",
                                        "02:01.0 7-7", "07:00.0", "00:01.0 8-8", "08:00.0"));
  EXPECT_EQ(second.space.primary_bus(), 3U);
  EXPECT_EQ(found.find(0x15B3, fake::kNicDevice, 2)->id, DeviceId::of(7, 0));
  EXPECT_EQ(found.find(0x15B3, fake::kNicDevice, 4), nullptr);
  EXPECT_EQ(found.find(0x15B4, fake::kNicDevice), nullptr);
}

TEST(Enumeration, PrintsATree) {
  FakeHierarchy fake;
  FakeFunction& upstream = FakeHierarchy::add_switch(fake.root(0), 2);
  upstream.behind[0]->add(0, endpoint(bars(32 * fake::kMiB, 4096)));
  upstream.behind[1]->add(0, endpoint({}));
  fake.root(2).add(0, endpoint(bars(fake::kMiB)));
  EXPECT_EQ(enumerate(fake, {}, fake::kPools).text(),
            "+-00:00.0 root port 1d0f:0001, bus 01-04, memory 80000000-800fffff, "
            "prefetchable 100000000000-100001ffffff\n"
            "| +-01:00.0 switch upstream port 1d0f:0001, bus 02-04, memory 80000000-800fffff, "
            "prefetchable 100000000000-100001ffffff\n"
            "|   +-02:00.0 switch downstream port 1d0f:0001, bus 03, memory 80000000-800fffff, "
            "prefetchable 100000000000-100001ffffff\n"
            "|   | +-03:00.0 endpoint 15b3:1021, "
            "BAR 0 100000000000-100001ffffff (32MiB, 64-bit, prefetchable), "
            "BAR 2 80000000-80000fff (4KiB, 32-bit)\n"
            "|   +-02:01.0 switch downstream port 1d0f:0001, bus 04\n"
            "|     +-04:00.0 endpoint 15b3:1021\n"
            "+-00:02.0 root port 1d0f:0001, bus 05, prefetchable 100002000000-1000020fffff\n"
            "  +-05:00.0 endpoint 15b3:1021, "
            "BAR 0 100002000000-1000020fffff (1MiB, 64-bit, prefetchable)\n");
}

TEST(Enumeration, ABridgeWithNothingToPassOnPassesNothing) {
  FakeHierarchy fake;
  FakeFunction& root = fake.root(0);
  root.add(0, endpoint({}));
  AddressPools pools = fake::kPools;
  pools.memory = {0, fake::kGiB};
  pools.prefetchable = {fake::kGiB, fake::kGiB};
  enumerate(fake, {}, pools);
  EXPECT_TRUE(root.space.memory_enabled());
  for (const std::uint64_t address : {0ULL, 0xFFFF'FFFFULL, 0xFFF0'0000ULL, 1ULL << 40, ~0ULL}) {
    EXPECT_FALSE(root.space.in_window(address)) << address;
  }
}

TEST(Enumeration, A64BitBarThatIsNotPrefetchableAndA32BitOneThatIsGoBelow4GiB) {
  pcie::BarShapes shapes;
  shapes[0] = {fake::kMiB, true, false};
  shapes[2] = {fake::kMiB, false, true};
  FakeHierarchy fake;
  FakeFunction& nic = fake.root(0).add(0, endpoint(shapes));
  AddressPools pools = fake::kPools;
  pools.prefetchable.bytes = 0;
  const DeviceTree found = enumerate(fake, {}, pools);
  EXPECT_EQ(nic.space.bar(0).base, 0x8000'0000U);
  EXPECT_EQ(nic.space.bar(2).base, 0x8010'0000U);
  EXPECT_EQ(fake.at_address(0x8010'0000), &nic);
  EXPECT_EQ(found.memory_left, fake::kGiB - 2 * fake::kMiB);
}

TEST(Enumeration, EverySizeOfABarGoesRound) {
  for (unsigned shift = 7; shift <= 42; ++shift) {
    FakeHierarchy fake;
    FakeFunction& nic =
        fake.root(0).add(0, endpoint(bars(1ULL << shift, shift < 30 ? 1ULL << shift : 0)));
    const DeviceTree found = enumerate(fake, {}, fake::kPools);
    const FoundFunction* f = found.find(DeviceId::of(1, 0));
    ASSERT_NE(f->bar(0), nullptr);
    EXPECT_EQ(f->bar(0)->size, 1ULL << shift);
    EXPECT_EQ(nic.space.bar(0).base, f->bar(0)->base);
    if (shift < 30) {
      EXPECT_EQ(f->bar(2)->size, 1ULL << shift);
    }
  }
}

TEST(Enumeration, BarsAreNaturallyAlignedAlsoInAPoolThatIsNot) {
  FakeHierarchy fake;
  fake.root(0).add(0, endpoint(bars(256 * fake::kMiB, 16 * fake::kMiB)));
  AddressPools pools = fake::kPools;
  pools.memory = {0x8010'0000, 64 * fake::kMiB};
  pools.prefetchable = {fake::kGiB * 64 + fake::kMiB, fake::kGiB};
  const DeviceTree found = enumerate(fake, {}, pools);
  EXPECT_EQ(found.find(DeviceId::of(1, 0))->bar(2)->base, 0x8100'0000U);
  EXPECT_EQ(found.find(DeviceId::of(1, 0))->bar(0)->base, fake::kGiB * 64 + 256 * fake::kMiB);
}

TEST(Enumeration, FunctionsOfAMultiFunctionDeviceAreFound) {
  // Function 1 and 5 of device 0 on bus 0, beside a device of one function.
  struct Many : ConfigAccess {
    std::uint32_t read(DeviceId id, unsigned offset) override {
      if (id.bus() != 0 || id.device() > 1) return ~0U;
      if (id.device() == 1 && id.function() != 0) ++asked;
      if (id.device() == 0 && id.function() != 0 && id.function() != 1 && id.function() != 5) {
        return ~0U;
      }
      if (offset == cfg::kVendorId) return 0x00011D0F + (id.function() << 16);
      if (offset == cfg::kCacheLine && id.device() == 0) return cfg::kMultiFunction;
      return 0;
    }
    void write(DeviceId, unsigned, std::uint32_t) override {}
    unsigned asked = 0;
  };
  Many many;
  const DeviceTree found = enumerate(many, {}, fake::kPools);
  ASSERT_EQ(found.functions.size(), 4U);
  EXPECT_EQ(found.functions[1].id, DeviceId::of(0, 0, 1));
  EXPECT_EQ(found.functions[2].id, DeviceId::of(0, 0, 5));
  EXPECT_EQ(found.functions[2].device, 6);
  EXPECT_EQ(found.functions[3].id, DeviceId::of(0, 1));
  EXPECT_EQ(many.asked, 0U);
}

TEST(EnumerationConfig, IsReadFromItsKeys) {
  EnumerationConfig config;
  Node root = Node::of_kind(Node::Kind::kMap);
  for (const auto& [key, value] : {std::pair<const char*, const char*>{"max_read_request", "4KiB"},
                                   {"relaxed_ordering", "false"},
                                   {"extended_tags", "false"},
                                   {"ten_bit_tags", "false"},
                                   {"acs_redirect", "true"}}) {
    root.members.push_back({key, {}, Node::scalar(value, false)});
  }
  bind_config(root, config);
  EXPECT_EQ(config.max_read_request, 4096U);
  EXPECT_FALSE(config.relaxed_ordering || config.extended_tags || config.ten_bit_tags);
  EXPECT_TRUE(config.acs_redirect);
}

TEST(EnumerationConfig, IsCheckedWhereItIsWritten) {
  const auto refused = [](const std::string& key, const std::string& value) {
    EnumerationConfig config;
    Node root = Node::of_kind(Node::Kind::kMap);
    root.members.push_back({key, {}, Node::scalar(value, false)});
    try {
      bind_config(root, config);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused("max_read_request", "1KiB"), "");
  EXPECT_THAT(refused("max_read_request", "384B"), testing::HasSubstr("power of two"));
}

}  // namespace
}  // namespace railyard::host
