// A model's own type as a parameter.
#include <gmock/gmock.h>

#include <vector>

#include "tests/tlm/config/trees.h"
#include "tlm/config/parameters.h"

namespace railyard {
namespace {

struct Address {
  int value = 0;
};

}  // namespace

template <>
struct ScalarType<Address> {
  static constexpr bool kText = true;
  static std::string name() { return "address"; }
  static std::string example() { return "@5"; }
  static Address parse(const std::string& text) {
    if (text.substr(0, 1) != "@") throw ConfigError("", "is no address", "begin with @");
    return {static_cast<int>(parse_unsigned(text.substr(1), 100))};
  }
  static std::string format(const Address& address) { return "@" + std::to_string(address.value); }
};

namespace {

struct Custom {
  Address address;
  std::vector<Address> more;
  void declare(Parameters& p) {
    p.add("address", address);
    p.list("more", more);
  }
};

TEST(ATypeOfAModel, IsDeclaredLikeAnyOther) {
  Custom config;
  bind_config(map({{"address", text("@7")}, {"more", list({text("@1"), text("@2")})}}), config);
  EXPECT_EQ(config.address.value, 7);
  EXPECT_EQ(config.more[1].value, 2);
  EXPECT_EQ(dump_config(config).find("address")->text, "@7");
}

TEST(ATypeOfAModel, HasItsRefusalsPlaced) {
  Custom config;
  try {
    bind_config(map({{"address", text("7")}}), config);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "f.yaml:1:10: address: is no address; begin with @");
  }
}

}  // namespace
}  // namespace railyard
