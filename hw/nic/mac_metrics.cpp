// What a NIC's port measures and shows. Names are those of a tester's port where they mean the
// same.
#include "hw/nic/mac.h"

namespace railyard::nic {

void Mac::register_all(const std::string& peer) {
  const std::string me = name();
  const std::string prefix = units_.name + ".";
  obeyed_.register_all(me, peer, prefix,
                       "Time that a priority was paused and had a packet to send");
  partition_.waits().add(link_wait_, {me, me + ".tx", "the link to come up"});

  StatisticsRegistry& s = partition_.statistics();
  s.add(sent_packets_, {prefix + "sent_packets", "packets", "Packets put on the line"});
  s.add(sent_bytes_, {prefix + "sent_bytes", "bytes", "Their bytes, destination address to FCS"});
  s.add(received_packets_, {prefix + "received_packets", "packets",
                            "RoCE packets that found a place in the receive buffer"});
  s.add(received_bytes_,
        {prefix + "received_bytes", "bytes", "Their bytes, destination address to FCS"});
  s.add(bad_fcs_, {prefix + "bad_fcs", "frames", "Frames discarded for their FCS"});
  s.add(not_roce_, {prefix + "not_roce", "frames", "Frames discarded that are not RoCE v2"});
  s.add(xoff_sent_, {prefix + "pfc_xoff_sent", "frames",
                     "PFC frames put on the line that pause a priority, refreshes included"});
  s.add(xon_sent_,
        {prefix + "pfc_xon_sent", "frames", "PFC frames put on the line that let a priority go"});
}

void Mac::register_probes() {
  const std::string prefix = units_.name + ".";
  ProbeRegistry& probes = partition_.probes();
  constexpr std::uint32_t kPriorities = PauseReceiver::kPriorities;
  probes.add(told_probe_, {prefix + "xoff_sent",
                           ProbeKind::kUnsigned,
                           kPriorities,
                           "",
                           "Bit n: the peer was told to pause priority n, and not yet to go on",
                           {}});
  probes.add(state_probe_, {prefix + "send_state",
                            ProbeKind::kEnum,
                            2,
                            "",
                            "What the transmitter does",
                            {"IDLE", "SENDING", "PAUSED", "LINK_DOWN"}});
  probes.add(xoff_moment_, {prefix + "xoff", "An XOFF was sent"});
}

}  // namespace railyard::nic
