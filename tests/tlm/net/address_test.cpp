#include "tlm/net/address.h"

#include <gtest/gtest.h>

#include "tests/tlm/net/random_frame.h"

namespace railyard::net {
namespace {

std::string canonical_ipv6(const char* text) {
  const auto address = parse_ipv6(text);
  return address ? to_string(*address) : "refused";
}

TEST(Address, MacReadsBothSeparatorsAndWritesColons) {
  const MacAddress expected{{0x02, 0xAB, 0x00, 0xCD, 0xEF, 0x10}};
  EXPECT_EQ(parse_mac("02:ab:00:cd:ef:10"), expected);
  EXPECT_EQ(parse_mac("02-AB-00-CD-EF-10"), expected);
  EXPECT_EQ(to_string(expected), "02:ab:00:cd:ef:10");
  EXPECT_FALSE(expected.is_multicast());
  EXPECT_TRUE(parse_mac("01:80:c2:00:00:01")->is_multicast());
}

TEST(Address, MacRefusesWhatIsNotOne) {
  for (const char* text : {"", "02:ab:00:cd:ef", "02:ab:00:cd:ef:1", "02:ab:00:cd:ef:10:",
                           "02:ab-00:cd:ef:10", "0g:ab:00:cd:ef:10", "02.ab.00.cd.ef.10"}) {
    EXPECT_FALSE(parse_mac(text)) << text;
  }
}

TEST(Address, Ipv4ReadsAndWrites) {
  EXPECT_EQ(parse_ipv4("10.0.1.255")->value, 0x0A0001FFu);
  EXPECT_EQ(to_string(Ipv4Address{0xC0A80007}), "192.168.0.7");
}

TEST(Address, Ipv4RefusesWhatIsNotOne) {
  for (const char* text : {"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.04", "1..3.4", "1.2.3.",
                           "1.2.3.-4", "1.2.3.4 ", "0x1.2.3.4", "1000.1.1.1"}) {
    EXPECT_FALSE(parse_ipv4(text)) << text;
  }
}

TEST(Address, Ipv6WritesTheCanonicalFormOfRfc5952) {
  EXPECT_EQ(canonical_ipv6("2001:0DB8:0:0:1:0:0:1"), "2001:db8::1:0:0:1");
  EXPECT_EQ(canonical_ipv6("2001:db8:0:1:1:1:1:1"), "2001:db8:0:1:1:1:1:1");
  EXPECT_EQ(canonical_ipv6("2001:0:0:1:0:0:0:1"), "2001:0:0:1::1");
  EXPECT_EQ(canonical_ipv6("::"), "::");
  EXPECT_EQ(canonical_ipv6("0:0:0:0:0:0:0:1"), "::1");
  EXPECT_EQ(canonical_ipv6("fe80::"), "fe80::");
  EXPECT_EQ(canonical_ipv6("::ffff:10.1.2.3"), "::ffff:10.1.2.3");
  EXPECT_EQ(canonical_ipv6("::ffff:a01:203"), "::ffff:10.1.2.3");
  EXPECT_EQ(canonical_ipv6("1:2:3:4:5:6:7.8.9.10"), "1:2:3:4:5:6:708:90a");
  EXPECT_EQ(canonical_ipv6("1:2:3:4:5:6:7::"), "1:2:3:4:5:6:7:0");
}

TEST(Address, Ipv6RefusesWhatIsNotOne) {
  for (const char* text : {"", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
                           "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "g::", "1.2.3.4::",
                           "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", ":1::2", "1::2:", "::1.2.3.4:5"}) {
    EXPECT_FALSE(parse_ipv6(text)) << text;
  }
}

TEST(Address, EveryAddressReadsBackFromItsText) {
  TestRandom random(3);
  for (int i = 0; i < 2000; ++i) {
    MacAddress mac;
    Ipv6Address ipv6;
    random.fill(mac.bytes);
    for (std::size_t group = 0; group < 8; ++group) {
      if (random.flip()) ipv6.bytes[2 * group + 1] = random.bits<std::uint8_t>(8);
    }
    const Ipv4Address ipv4{random.bits(32)};
    ASSERT_EQ(parse_mac(to_string(mac)), mac);
    ASSERT_EQ(parse_ipv4(to_string(ipv4)), ipv4);
    ASSERT_EQ(parse_ipv6(to_string(ipv6)), ipv6) << to_string(ipv6);
  }
}

}  // namespace
}  // namespace railyard::net
