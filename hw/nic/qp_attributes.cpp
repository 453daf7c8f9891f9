#include "hw/nic/qp_attributes.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace railyard::nic {

namespace {

using abi::Command;
using abi::ModifyQpInput;
using abi::QpState;

constexpr std::array<Transition, 4> kTransitions = {{
    {Command::kRstToInit, QpState::kReset, QpState::kInit,
     abi::qp_field::kPort | abi::qp_field::kAccess, 0},
    {Command::kInitToRtr, QpState::kInit, QpState::kRtr,
     abi::qp_field::kAddress | abi::qp_field::kPathMtu | abi::qp_field::kRemoteQp |
         abi::qp_field::kReceivePsn | abi::qp_field::kMaxDestReads | abi::qp_field::kMinRnrTimer,
     abi::qp_field::kAccess},
    {Command::kRtrToRts, QpState::kRtr, QpState::kRts,
     abi::qp_field::kTimeout | abi::qp_field::kRetryCount | abi::qp_field::kRnrRetry |
         abi::qp_field::kSendPsn | abi::qp_field::kMaxReads,
     abi::qp_field::kAccess | abi::qp_field::kMinRnrTimer},
    {Command::kRtsToRts, QpState::kRts, QpState::kRts, 0,
     abi::qp_field::kAccess | abi::qp_field::kMinRnrTimer},
}};

constexpr std::uint32_t kQpAccess = abi::access::kLocalWrite | abi::access::kRemoteWrite |
                                    abi::access::kRemoteRead | abi::access::kRemoteAtomic;
constexpr std::uint32_t kFieldsNumber = 2;
constexpr unsigned kFiveBits = 31;
constexpr unsigned kThreeBits = 7;
constexpr std::size_t kMappedPrefix = 12;  // of ::ffff:a.b.c.d
constexpr unsigned kDscpShift = 2;

bool is_mapped_ipv4(const std::uint8_t* gid) {
  return std::all_of(gid, gid + 10, [](std::uint8_t byte) { return byte == 0; }) &&
         gid[10] == 0xFF && gid[11] == 0xFF;
}

net::Ipv4Address ipv4_of(const std::uint8_t* gid) {
  std::uint32_t value = 0;
  for (std::size_t i = kMappedPrefix; i < 16; ++i) value = value << 8 | gid[i];
  return {value};
}

template <std::size_t N>
bool is_zero(const abi::Byte (&bytes)[N]) {
  return std::all_of(bytes, bytes + N, [](abi::Byte byte) { return byte == 0; });
}

bool is_path_mtu(std::uint32_t bytes) {
  constexpr std::array<std::uint32_t, 5> kSizes = {256, 512, 1024, 2048, 4096};
  return std::find(kSizes.begin(), kSizes.end(), bytes) != kSizes.end();
}

/// An address of the kind that the NIC itself has, of one host.
std::uint32_t address_fault(const ModifyQpInput& in, const NicAddress& own) {
  if (in.hop_limit == 0) return 15;
  if (is_zero(in.remote_mac) || (in.remote_mac[0] & 1U) != 0) return 16;
  const bool ipv4 = is_mapped_ipv4(in.remote_ip);
  if (is_zero(in.remote_ip) || ipv4 != is_mapped_ipv4(own.gid.data())) return 18;
  return 0;
}

/// A field that holds a number, and what it may be.
struct Check {
  std::uint32_t field;
  bool good;
  std::uint32_t number;
};

}  // namespace

const Transition& transition_of(Command command) {
  for (const Transition& transition : kTransitions) {
    if (transition.command == command) return transition;
  }
  throw std::logic_error("no transition of a queue pair with attributes");
}

std::uint32_t fault_of(const ModifyQpInput& in, const Transition& transition,
                       const NicConfig& config, const NicAddress& own) {
  const std::uint32_t fields = in.fields;
  const bool missing = (transition.required & ~fields) != 0;
  const bool alien = (fields & ~(transition.required | transition.optional)) != 0;
  if (missing || alien) return kFieldsNumber;
  const std::uint32_t mtu = in.path_mtu;
  const Check checks[] = {
      {abi::qp_field::kAccess, (in.access & ~kQpAccess) == 0, 3},
      {abi::qp_field::kPathMtu, is_path_mtu(mtu) && mtu <= net::path_mtu(config.interface_mtu), 4},
      {abi::qp_field::kRemoteQp, in.remote_qp <= psn::kMask, 5},
      {abi::qp_field::kReceivePsn, in.receive_psn <= psn::kMask, 6},
      {abi::qp_field::kSendPsn, in.send_psn <= psn::kMask, 7},
      {abi::qp_field::kMinRnrTimer, in.min_rnr_timer <= kFiveBits, 8},
      {abi::qp_field::kTimeout, in.timeout <= kFiveBits, 9},
      {abi::qp_field::kRetryCount, in.retry_count <= kThreeBits, 10},
      {abi::qp_field::kRnrRetry, in.rnr_retry <= kThreeBits, 11},
      {abi::qp_field::kMaxReads, in.max_reads <= config.limits.reads, 12},
      {abi::qp_field::kMaxDestReads, in.max_dest_reads <= config.limits.reads, 13},
      {abi::qp_field::kPort, in.port == 1, 17},
  };
  for (const Check& check : checks) {
    if ((fields & check.field) != 0 && !check.good) return check.number;
  }
  return (fields & abi::qp_field::kAddress) != 0 ? address_fault(in, own) : 0;
}

void set_attributes(Qp& qp, const ModifyQpInput& in) {
  ModifyQpInput& a = qp.attributes;
  const std::uint32_t fields = in.fields;
  const auto set = [fields](std::uint32_t field, auto& to, const auto& from) {
    if ((fields & field) != 0) to = from;
  };
  a.number = qp.number;
  a.fields = a.fields | fields;
  set(abi::qp_field::kAccess, a.access, in.access);
  set(abi::qp_field::kPort, a.port, in.port);
  set(abi::qp_field::kPathMtu, a.path_mtu, in.path_mtu);
  set(abi::qp_field::kRemoteQp, a.remote_qp, in.remote_qp);
  set(abi::qp_field::kReceivePsn, a.receive_psn, in.receive_psn);
  set(abi::qp_field::kSendPsn, a.send_psn, in.send_psn);
  set(abi::qp_field::kMaxDestReads, a.max_dest_reads, in.max_dest_reads);
  set(abi::qp_field::kMinRnrTimer, a.min_rnr_timer, in.min_rnr_timer);
  set(abi::qp_field::kTimeout, a.timeout, in.timeout);
  set(abi::qp_field::kRetryCount, a.retry_count, in.retry_count);
  set(abi::qp_field::kRnrRetry, a.rnr_retry, in.rnr_retry);
  set(abi::qp_field::kMaxReads, a.max_reads, in.max_reads);
  if ((fields & abi::qp_field::kAddress) != 0) {
    a.traffic_class = in.traffic_class;
    a.hop_limit = in.hop_limit;
    std::copy(std::begin(in.remote_mac), std::end(in.remote_mac), a.remote_mac);
    std::copy(std::begin(in.remote_ip), std::end(in.remote_ip), a.remote_ip);
  }
  const auto follow = [fields](std::uint32_t field, auto& to, auto from) {
    if ((fields & field) != 0) to = from;
  };
  follow(abi::qp_field::kAccess, qp.access, std::uint32_t{a.access});
  follow(abi::qp_field::kPathMtu, qp.path_mtu, std::uint32_t{a.path_mtu});
  follow(abi::qp_field::kRemoteQp, qp.remote_qp, std::uint32_t{a.remote_qp});
  follow(abi::qp_field::kMaxDestReads, qp.max_dest_reads, a.max_dest_reads);
  follow(abi::qp_field::kMinRnrTimer, qp.min_rnr_timer, a.min_rnr_timer);
  follow(abi::qp_field::kTimeout, qp.timeout, a.timeout);
  follow(abi::qp_field::kRetryCount, qp.retry_count, a.retry_count);
  follow(abi::qp_field::kRnrRetry, qp.rnr_retry, a.rnr_retry);
  follow(abi::qp_field::kMaxReads, qp.max_reads, a.max_reads);
  follow(abi::qp_field::kAddress, qp.traffic_class, a.traffic_class);
}

void make_headers(Qp& qp, const NicAddress& own, bool ect) {
  const ModifyQpInput& a = qp.attributes;
  net::Frame& f = qp.headers = net::Frame{};
  const auto dscp = static_cast<std::uint8_t>(a.traffic_class >> kDscpShift);
  const net::Ecn ecn = ect ? net::Ecn::kEct0 : net::Ecn::kNotEct;
  f.ethernet.source = own.mac;
  std::copy(std::begin(a.remote_mac), std::end(a.remote_mac), f.ethernet.destination.bytes.begin());
  if (is_mapped_ipv4(a.remote_ip)) {
    f.ethernet.type = net::EtherType::kIpv4;
    f.ipv4.dscp = dscp;
    f.ipv4.ecn = ecn;
    f.ipv4.dont_fragment = true;
    f.ipv4.ttl = a.hop_limit;
    f.ipv4.source = ipv4_of(own.gid.data());
    f.ipv4.destination = ipv4_of(a.remote_ip);
  } else {
    f.ethernet.type = net::EtherType::kIpv6;
    f.ipv6.dscp = dscp;
    f.ipv6.ecn = ecn;
    f.ipv6.hop_limit = a.hop_limit;
    f.ipv6.source.bytes = own.gid;
    std::copy(std::begin(a.remote_ip), std::end(a.remote_ip), f.ipv6.destination.bytes.begin());
  }
  f.udp.source_port = net::udp_source_port(qp.number, qp.remote_qp);
  f.bth.p_key = 0xFFFF;
  f.bth.destination_qp = qp.remote_qp;
}

}  // namespace railyard::nic
