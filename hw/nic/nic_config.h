// Parameters of a NIC.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/congestion/cnp_config.h"
#include "hw/congestion/congestion_config.h"
#include "hw/pcie/endpoint_config.h"
#include "tlm/base/quantity.h"
#include "tlm/base/time.h"
#include "tlm/config/parameters.h"
#include "tlm/net/address.h"

namespace railyard::nic {

/// A stage of the pipeline, in cycles of the NIC's clock.
struct StageConfig {
  std::uint32_t latency = 1;   // from its input to its output
  std::uint32_t interval = 1;  // from one input to the next

  void declare(Parameters& p);
};

/// The stages in the order in which a message passes them.
struct StagesConfig {
  StageConfig doorbell;     // a doorbell or BlueField write is taken from the registers
  StageConfig scheduler;    // a queue pair is chosen
  StageConfig context;      // a QP context is found in its cache
  StageConfig wqe;          // a WQE is parsed
  StageConfig translation;  // a key is checked, a page translated
  StageConfig dma_read;     // a read request of payload is made
  StageConfig packetiser;   // headers are put before a payload, ICRC behind it
  StageConfig transmit;     // MAC, towards the line
  StageConfig receive;      // MAC and parser, from the line
  StageConfig transport;    // PSN check, acknowledgements
  StageConfig dma_write;    // a write of payload is made
  StageConfig acknowledge;  // an ACK or NAK is made
  StageConfig completion;   // a CQE is made
  StageConfig event;        // an EQE is made, an interrupt raised

  void declare(Parameters& p);
};

/// A set-associative cache of lines that live in host memory.
struct CacheConfig {
  std::uint32_t entries = 1024;
  std::uint32_t ways = 8;
  std::uint32_t misses = 16;  // outstanding at once

  void declare(Parameters& p);
};

struct DmaConfig {
  std::uint32_t payload_reads = 64;      // requests of at most a path MTU outstanding
  Bytes payload_bytes = kibibytes(128);  // that these ask for
  std::uint32_t control_reads = 64;      // of WQEs, contexts, translations, outstanding
  Bytes write_bytes = kibibytes(32);     // of payload writes given to PCIe and not on its line

  void declare(Parameters& p);
};

struct SendConfig {
  std::uint32_t wqe_prefetch = 8;   // WQEs of a queue pair read ahead of the one being sent
  std::uint32_t wqe_fetch = 4;      // basic blocks that one read asks for at most
  std::uint32_t fetch_latency = 0;  // cycles from an idle queue pair's context to that read
  std::uint32_t quantum = 4096;     // bytes of a queue pair's turn
  std::vector<std::uint32_t> weights = {1};  // of the traffic classes (deficit round robin)
  Bytes egress_buffer = kibibytes(64);       // of a priority, towards the line

  void declare(Parameters& p);
};

struct ReceiveConfig {
  Bytes buffer = kibibytes(512);
  bool pfc = true;
  Bytes xoff = kibibytes(256);
  Bytes xon = kibibytes(128);
  std::uint16_t quanta = 0xFFFF;
  std::uint64_t response_quanta = 0;  // to obey a pause
  std::uint32_t wqe_prefetch = 8;     // receive WQEs of a queue pair read ahead
  std::uint32_t ack_every = 0;        // request packets at most between ACKs of a message; 0: last

  void declare(Parameters& p);
};

struct LimitsConfig {
  std::uint32_t qps = 4096;
  std::uint32_t cqs = 4096;
  std::uint32_t eqs = 64;
  std::uint32_t mkeys = 65'536;
  std::uint32_t translation_entries = 1U << 20;  // pages of all keys; a key's are rounded up to 8
  std::uint32_t pds = 4096;
  std::uint32_t log_wqes = 15;
  std::uint32_t log_cqes = 22;
  std::uint32_t sge = 30;
  std::uint32_t reads = 16;
  std::uint32_t vectors = 64;

  void declare(Parameters& p);
};

struct NicConfig {
  std::string profile = "connectx7_400g";  // what the defaults come from: nic_profile.h
  Time clock = kNanosecond;
  std::uint32_t datapath = 0;  // bytes of a packet that move in a cycle; 0: all at once
  StagesConfig stages;
  CacheConfig qp_cache;
  CacheConfig key_cache;          // memory keys
  CacheConfig translation_cache;  // lines of 8 pages
  DmaConfig dma;
  SendConfig send;
  ReceiveConfig receive;
  CnpConfig cnp;
  LimitsConfig limits;
  Time command = 2 * kMicrosecond;  // the firmware's, a command
  Time ack_delay = 0;               // an ACK waits so long for later ones
  std::uint32_t interface_mtu = 4200;
  pcie::EndpointConfig function;  // identity and BARs are set by the NIC
  CongestionConfig congestion;    // not a key here: the platform's
  /// Not a key here: what the queue pairs in slots 0, 1, ... are called in metrics and signals of
  /// congestion control; those without a name have none.
  std::vector<std::string> qp_names;
  bool payload_carried = true;  // not a key here: `data`

  void declare(Parameters& p);

  /// What so many bytes of payload take over the datapath, in whole cycles.
  Time moving(std::uint32_t bytes) const {
    return datapath == 0 ? 0 : clock * static_cast<Time>((bytes + datapath - 1) / datapath);
  }
};

/// Who a NIC is on the fabric.
struct NicAddress {
  net::MacAddress mac;
  std::array<std::uint8_t, 16> gid{};  // IPv6, or IPv4 as ::ffff:a.b.c.d
};

}  // namespace railyard::nic
