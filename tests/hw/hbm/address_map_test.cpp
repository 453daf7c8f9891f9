// From addresses to places and back: no two addresses meet, and no place is left out.
#include "hw/hbm/address_map.h"

#include <gmock/gmock.h>

#include <set>
#include <string>
#include <tuple>

#include "hw/hbm/hbm_config.h"
#include "tests/tlm/config/trees.h"
#include "tlm/base/error.h"
#include "tlm/sim/random.h"

namespace railyard::hbm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Organisation small() {
  Organisation o;
  o.stacks = 3;
  o.channels = 2;
  o.sids = 2;
  o.groups = 2;
  o.banks = 2;
  o.rows = 12;  // three quarters of 16
  o.columns = 16;
  return o;
}

/// One channel of one SID.
Organisation one_channel() {
  Organisation o;
  o.stacks = 1;
  o.channels = 1;
  o.sids = 1;
  return o;
}

using Key = std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>;
Key key(const Place& p) { return {p.channel, p.pseudo_channel, p.bank, p.row, p.column}; }

bool within(const Organisation& o, const Place& p) {
  return p.channel < o.total_channels() && p.pseudo_channel < o.pseudo_channels &&
         p.bank < o.banks_per_pseudo_channel() && p.row < o.rows && p.column < o.columns;
}

/// Each access of the device has a place of its own, and all places are some access'.
void expect_bijection(const Organisation& o, const AddressMap& map) {
  std::set<Key> seen;
  for (std::uint64_t address = 0; address < o.capacity(); address += o.access_bytes) {
    const Place place = map.place(address);
    ASSERT_TRUE(within(o, place)) << address;
    ASSERT_TRUE(seen.insert(key(place)).second) << address;
    ASSERT_EQ(map.place(address + o.access_bytes - 1), place) << address;
    ASSERT_EQ(map.address(place), address);
  }
  EXPECT_EQ(seen.size() * o.access_bytes, o.capacity());
  const std::uint64_t places =
      std::uint64_t{o.total_pseudo_channels()} * o.banks_per_pseudo_channel() * o.rows * o.columns;
  EXPECT_EQ(seen.size(), places);
}

/// What a map is refused with, or "".
std::string refusal(const Organisation& o, const AddressMapConfig& config) {
  try {
    const AddressMap map(o, config);
  } catch (const ConfigError& error) {
    return error.remedy().empty() ? "no remedy" : error.what();
  }
  return "";
}

TEST(AddressMap, DefaultOfOneChannelIsTheMapOfPublicControllers) {
  const Organisation o = one_channel();
  const AddressMapConfig config = default_map(o);
  EXPECT_EQ(config.row, "28-15");
  EXPECT_EQ(config.bank, "14-13");
  EXPECT_EQ(config.column, "12-8");
  EXPECT_EQ(config.group, "7-6");
  EXPECT_EQ(config.pseudo_channel, "5");
  EXPECT_EQ(config.channel, "");
  EXPECT_EQ(config.sid, "");
  const AddressMap map(o, {});
  RandomStream random(1, "map");
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t a = random.below(o.capacity());
    const Place place = map.place(a);
    EXPECT_EQ(place.row, a >> 15U);
    EXPECT_EQ(place.bank, (a >> 6U & 3U) * 4 + (a >> 13U & 3U));
    EXPECT_EQ(place.column, a >> 8U & 31U);
    EXPECT_EQ(place.pseudo_channel, a >> 5U & 1U);
    EXPECT_EQ(place.channel, 0U);
  }
}

TEST(AddressMap, AGranuleOfTheDefaultMapIsOnEachPseudoChannelAndGroupOfAStack) {
  const Organisation o;
  const AddressMap map(o, {});
  for (const std::uint64_t granule : {0U, 1U, 7U, 1'000'003U}) {
    std::set<std::tuple<unsigned, unsigned, unsigned>> seen;
    for (std::uint64_t a = granule * 4096; a < (granule + 1) * 4096; a += 32) {
      const Place p = map.place(a);
      seen.insert({p.channel, p.pseudo_channel, o.group_of(p.bank)});
      EXPECT_EQ(p.channel / o.channels, granule % o.stacks);
    }
    EXPECT_EQ(seen.size(), 128U);
  }
}

TEST(AddressMap, RandomAddressesOfEveryPresetComeBack) {
  for (const auto& [name, preset] : hbm_preset_names()) {
    const Organisation o = hbm_preset(preset).organisation;
    const AddressMap map(o, {});
    RandomStream random(7, "map");
    std::uint64_t last = o.capacity() - 1;
    for (int i = 0; i < 100'000; ++i) {
      const std::uint64_t a = i == 0 ? last : random.below(o.capacity());
      const Place place = map.place(a);
      ASSERT_TRUE(within(o, place)) << name << " " << a;
      ASSERT_EQ(map.address(place), a / o.access_bytes * o.access_bytes) << name;
    }
  }
}

TEST(AddressMap, RandomPlacesOfEveryPresetComeBack) {
  for (const auto& [name, preset] : hbm_preset_names()) {
    const Organisation o = hbm_preset(preset).organisation;
    const AddressMap map(o, {});
    RandomStream random(8, "map");
    for (int i = 0; i < 100'000; ++i) {
      Place place;
      place.channel = static_cast<std::uint16_t>(random.below(o.total_channels()));
      place.pseudo_channel = static_cast<std::uint8_t>(random.below(o.pseudo_channels));
      place.bank = static_cast<std::uint8_t>(random.below(o.banks_per_pseudo_channel()));
      place.row = static_cast<std::uint32_t>(random.below(o.rows));
      place.column = static_cast<std::uint32_t>(random.below(o.columns));
      const std::uint64_t a = map.address(place);
      ASSERT_LT(a, o.capacity()) << name;
      ASSERT_EQ(map.place(a), place) << name;
    }
  }
}

TEST(AddressMap, AllAddressesOfASmallDeviceAreAllItsPlaces) {
  Organisation o = small();
  AddressMapConfig config;
  for (const unsigned stacks : {1U, 2U, 3U, 5U}) {
    o.stacks = stacks;
    for (const std::uint32_t granule : {256U, 1024U, 16'384U}) {
      config.stack_granule = granule;
      expect_bijection(o, AddressMap(o, config));
    }
  }
}

TEST(AddressMap, FieldsOfOneValueHaveNoBits) {
  Organisation o = small();
  o.stacks = o.channels = o.pseudo_channels = o.sids = o.groups = o.banks = 1;
  expect_bijection(o, AddressMap(o, {}));
}

TEST(AddressMap, ExclusiveOrsLoseNothing) {
  Organisation o = small();
  o.sids = 1;
  AddressMapConfig config;  // bits 5 to 16
  config.pseudo_channel = "5+16+9";
  config.channel = "6+12+14";
  config.group = "7+13+15";
  config.bank = "8+14";
  config.column = "10+16 11 12+15 13";
  config.row = "16 15 14+11 9+14+8";
  for (const unsigned rows : {16U, 12U}) {
    o.rows = rows;
    ASSERT_EQ(refusal(o, config), "");
    expect_bijection(o, AddressMap(o, config));
  }
}

TEST(AddressMap, AHashedBankIsTheExclusiveOrOfItsBits) {
  const Organisation o = one_channel();
  AddressMapConfig config = default_map(o);
  config.bank = "14+20 13+19";
  const AddressMap map(o, config);
  EXPECT_EQ(map.place(1U << 14U).bank, 2U);
  EXPECT_EQ(map.place(1U << 20U).bank, 2U);
  EXPECT_EQ(map.place((1U << 14U) + (1U << 20U)).bank, 0U);
  EXPECT_EQ(map.place((1U << 13U) + (1U << 20U)).bank, 3U);
  EXPECT_EQ(map.place(1U << 20U).row, 1U << 5U);
}

TEST(AddressMap, TextThatNamesNoBitsIsRefused) {
  const Organisation o = one_channel();
  const auto bank = [&o](const char* text) {
    AddressMapConfig config = default_map(o);
    config.bank = text;
    return refusal(o, config);
  };
  EXPECT_EQ(bank("14 13"), "");
  EXPECT_EQ(bank("  14   13 "), "");
  for (const char* text : {"14,13", "a 13", "14 +13", "14+ 13", "14--13", "14-13-12", "14+13-12",
                           "99999999999 13", "-14 13"}) {
    EXPECT_THAT(bank(text), AllOf(HasSubstr("map.bank"), HasSubstr("names no bits"))) << text;
  }
  EXPECT_THAT(bank("13-14"), HasSubstr("counts up"));
  EXPECT_THAT(bank("14+14 13"), HasSubstr("bit 14 twice"));
  EXPECT_THAT(bank("29 13"), AllOf(HasSubstr("bit 29"), HasSubstr("5 to 28")));
  EXPECT_THAT(bank("14 4"), AllOf(HasSubstr("bit 4 lies within an access")));
}

TEST(AddressMap, AnotherNumberOfBitsThanTheFieldNeedsIsRefused) {
  const Organisation o = one_channel();
  AddressMapConfig config = default_map(o);
  config.row = "28-16";
  EXPECT_THAT(refusal(o, config),
              AllOf(HasSubstr("map.row"), HasSubstr("13 bits"), HasSubstr("16384 rows need 14")));
  config = default_map(o);
  config.sid = "28";
  EXPECT_THAT(refusal(o, config), AllOf(HasSubstr("map.sid"), HasSubstr("1 SIDs need 0")));
  AddressMapConfig alone;  // the others are not filled in
  alone.bank = "14 13";
  EXPECT_THAT(refusal(o, alone), HasSubstr("map.pseudo_channel"));
}

TEST(AddressMap, AddressesThatMeetAreRefused) {
  const Organisation o = one_channel();
  AddressMapConfig config = default_map(o);
  config.bank = "14 12";  // 13 is nowhere
  EXPECT_THAT(refusal(o, config), HasSubstr("bit 13 of the address is in no field"));
  config = default_map(o);
  config.bank = "14+13 13+14";  // the same twice
  EXPECT_THAT(refusal(o, config), AllOf(HasSubstr("map.bank"), HasSubstr("bit 1 ")));
  config = default_map(o);
  config.column = "12-9 13+14";  // bank and column say the same of 13 and 14; 8 is in the row
  config.row = "28-16 15+8";
  EXPECT_THAT(refusal(o, config), AllOf(HasSubstr("map.column"), HasSubstr("bit 0 ")));
}

TEST(AddressMap, RowsThatAreNoPowerOfTwoMustBeAtTheTop) {
  Organisation o = one_channel();
  o.rows = 12'288;
  EXPECT_EQ(refusal(o, {}), "");
  AddressMapConfig config = default_map(o);
  config.row = "27 28 26-15";
  EXPECT_THAT(refusal(o, config), AllOf(HasSubstr("map.row"), HasSubstr("\"28 27\"")));
  config.row = "28+15 27-15";
  EXPECT_THAT(refusal(o, config), HasSubstr("map.row"));
  config.row = "28 27+15 26-15";
  EXPECT_THAT(refusal(o, config), HasSubstr("map.row"));
  config.row = "28 27 26+28 25-15";
  EXPECT_EQ(refusal(o, config), "");
}

TEST(AddressMap, WithInlineEccTheLastRowsMustBeTheLastAddresses) {
  const auto inlined = [](const std::string& rows, const std::string& row) {
    HbmConfig config;
    AddressMapConfig plain = default_map([&rows] {
      Organisation o = one_channel();
      o.rows = static_cast<unsigned>(std::stoul(rows));
      return o;
    }());
    if (!row.empty()) plain.row = row;
    try {
      bind_config(
          railyard::map({{"ecc", railyard::map({{"mode", text("inline")}})},
                         {"organisation", railyard::map({{"stacks", text("1")},
                                                         {"channels", text("1")},
                                                         {"sids", text("1")},
                                                         {"rows", text(rows)}})},
                         {"map", railyard::map({{"pseudo_channel", text(plain.pseudo_channel)},
                                                {"group", text(plain.group)},
                                                {"bank", text(plain.bank)},
                                                {"column", text(plain.column)},
                                                {"row", text(plain.row)}})}}),
          config);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    // What check() promises.
    const Organisation& o = config.organisation;
    const AddressMap map(o, config.map);
    for (std::uint64_t a = 0; a < o.capacity() / 8 * 7; a += 4096) {
      EXPECT_LT(map.place(a).row, o.rows / 8 * 7);
    }
    return std::string();
  };
  EXPECT_EQ(inlined("16384", ""), "");
  EXPECT_EQ(inlined("16384", "28-26 25+28 24-15"), "");
  EXPECT_EQ(inlined("12288", ""), "");
  EXPECT_EQ(inlined("12288", "28-24 23+28 22-15"), "");
  EXPECT_THAT(inlined("16384", "28 27 26+15 25-15"),
              AllOf(HasSubstr("map.row"), HasSubstr("3 highest")));
  EXPECT_THAT(inlined("12288", "28-25 24+15 23-15"),
              AllOf(HasSubstr("map.row"), HasSubstr("5 highest")));
  EXPECT_THAT(inlined("4", ""), HasSubstr("organisation.rows"));
}

TEST(AddressMap, AGranuleThatDoesNotDivideAStackIsRefused) {
  const Organisation o = small();
  AddressMapConfig config;
  config.stack_granule = 1U << 20U;
  EXPECT_THAT(refusal(o, config), HasSubstr("map.stack_granule"));
  config.stack_granule = 16;
  EXPECT_THAT(refusal(o, config), HasSubstr("map.stack_granule"));
}

TEST(AddressMap, AMapInAConfigurationIsCheckedAgainstItsPreset) {
  HbmConfig config;
  try {
    bind_config(railyard::map(
                    {{"preset", text("hbm2")}, {"map", railyard::map({{"bank", text("14 13")}})}}),
                config);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("f.yaml:"), HasSubstr("map.pseudo_channel")));
  }
}

}  // namespace
}  // namespace railyard::hbm
