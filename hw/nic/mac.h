// The port of a NIC: the line in both directions, PFC in both directions, the receive buffer.
#pragma once

#include <functional>
#include <string>

#include "hw/congestion/blocks.h"
#include "hw/congestion/pause_log.h"
#include "hw/congestion/pause_receiver.h"
#include "hw/nic/receive_path.h"
#include "hw/nic/units.h"
#include "tlm/link/packet_protocol.h"

namespace railyard::nic {

/// What the line is fed from.
class LineSource {
 public:
  virtual ~LineSource() = default;
  /// The packet that goes next, of priorities whose bit in `may_send` is set; it begins to leave
  /// now. Null: there is none now; the source calls Mac::wake() when there is.
  virtual Ref<net::Packet> next_packet(std::uint8_t may_send) = 0;
};

class Mac : public sc_core::sc_module, public ReceiveBuffer, private PauseListener {
 public:
  PacketInitiatorSocket<Mac> tx{"tx"};
  PacketTargetSocket<Mac> rx{"rx"};

  /// `line_rate` is the link's, `peer` the hierarchical name of the port at the other end.
  Mac(sc_core::sc_module_name name, Units& units, Rate line_rate, const std::string& peer,
      Blocks& blocks);
  ~Mac() override;

  /// Before the run.
  void set_source(LineSource& source);
  /// Who takes RoCE packets that have arrived whole with a good FCS and have a place in the buffer.
  void set_receiver(std::function<void(net::Packet&)> receiver);

  void wake();
  void release(const net::Packet& packet) override;
  /// Bit n: the peer has paused priority n, in effect.
  std::uint8_t paused() const;
  const PauseLog& pause_log() const;

 private:
  void pause_changed(std::uint8_t paused, std::uint8_t changed) override;
};

}  // namespace railyard::nic
