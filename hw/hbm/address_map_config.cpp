#include "hw/hbm/address_map.h"

namespace railyard::hbm {

void AddressMapConfig::declare(Parameters& p) {
  const char* list = "most significant first; \"14+20\": exclusive or, \"28-15\": 28 down to 15";
  p.add("channel", channel)
      .doc(std::string("Bits of a stack's address that make the channel, ") + list);
  p.add("pseudo_channel", pseudo_channel).doc("Those that make the pseudo-channel");
  p.add("sid", sid).doc("Those that make the SID");
  p.add("group", group).doc("Those that make the bank group");
  p.add("bank", bank).doc("Those that make the bank of its group");
  p.add("row", row).doc("Those that make the row");
  p.add("column", column)
      .doc(
          "Those that make the column. With no list at all, from the lowest bit up: byte, "
          "pseudo_channel, group, channel, column, bank, sid, row: what follows each other goes "
          "over "
          "buses and bank groups first, then over channels, and finds its rows open");
  p.add("stack_granule", stack_granule)
      .range(256, 1U << 30)
      .accept("is no power of two", "a power of two",
              [](std::uint32_t n) { return (n & (n - 1)) == 0; })
      .doc("Bytes that a stack has in its turn, of several");
}

}  // namespace railyard::hbm
