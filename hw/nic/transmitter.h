// Reads payloads, makes packets, feeds the line: stages dma_read, packetiser, transmit.
#pragma once

#include "hw/nic/dma_path.h"
#include "hw/nic/mac.h"
#include "hw/nic/transmit_path.h"
#include "hw/nic/units.h"

namespace railyard::nic {

class Transmitter : public TransmitPath, public LineSource, private DmaClient {
 public:
  Transmitter(Units& units, Mac& mac);
  ~Transmitter() override;

  bool room(std::uint8_t priority, std::uint32_t payload_bytes) const override;
  void add_room_client(RoomClient& client) override;
  void take(const TransmitJob& job) override;
  void drop(TransmitClient& client, std::uint64_t ticket) override;
  Ref<net::Packet> next_packet(std::uint8_t may_send) override;

 private:
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override;
};

}  // namespace railyard::nic
