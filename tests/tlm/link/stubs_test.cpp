#include "tlm/link/stubs.h"

#include <gtest/gtest.h>

namespace railyard {
namespace {

TEST(PacketProbe, ShowsWhatPassesAndPassesIt) {
  net::PacketPool pool;
  PacketStub left("left");
  PacketStub right("right");
  int seen = 0;
  PacketProbe probe("probe", [&](const net::Packet& packet, const PacketPhase&) {
    ++seen;
    EXPECT_EQ(packet.id, 7U);
  });
  left.tx.bind(probe.in);
  probe.out.bind(right.rx);
  right.tx.bind(left.rx);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Ref<net::Packet> packet = pool.packets.acquire();
  packet->id = 7;
  left.send_now(*packet);
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(right.received.size(), 1U);
  int told = 0;
  left.on_line = [&](const PacketPhase& phase) {
    EXPECT_EQ(phase.kind, PacketPhase::Kind::kLinkUp);
    ++told;
  };
  tell(right.rx, *packet, PacketPhase::Kind::kLinkUp);
  EXPECT_EQ(told, 1);
  EXPECT_EQ(seen, 2);
  right.received.clear();
}

TEST(BindBoth, JoinsTwoPortsBackToBack) {
  net::PacketPool pool;
  PacketStub left("left");
  PacketStub right("right");
  bind_both(left, right);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const Ref<net::Packet> packet = pool.packets.acquire();
  left.send_now(*packet);
  right.send_now(*packet);
  EXPECT_EQ(left.received.size(), 1U);
  EXPECT_EQ(right.received.size(), 1U);
  left.received.clear();
  right.received.clear();
}

}  // namespace
}  // namespace railyard
