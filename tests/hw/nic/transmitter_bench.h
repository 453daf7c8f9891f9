// A transmitter and its port on a link to a stub, memory that a test sets, and who gives it jobs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hw/nic/transmitter.h"
#include "tests/hw/nic/line_bench.h"

namespace railyard::nic::bench {

/// Hears what becomes of its packets.
struct Client : TransmitClient {
  explicit Client(Partition& its_partition) : partition(its_partition) {}
  void sent(std::uint64_t ticket, const net::Packet& /*packet*/) override {
    tickets.push_back(ticket);
    times.push_back(partition.now());
  }
  void read_failed(std::uint64_t ticket) override { failed.push_back(ticket); }

  Partition& partition;
  std::vector<std::uint64_t> tickets;
  std::vector<Time> times;
  std::vector<std::uint64_t> failed;
};

struct RoomEar : RoomClient {
  explicit RoomEar(Partition& its_partition) : partition(its_partition) {}
  void transmit_room(std::uint8_t priority) override {
    told.emplace_back(partition.now(), priority);
    EXPECT_FALSE(taking) << "told within take()";
  }
  Partition& partition;
  std::vector<std::pair<Time, unsigned>> told;
  bool taking = false;
};

struct Points : Observer {
  void passed(Point point, std::uint32_t qp, Time at) override { all.push_back({point, qp, at}); }
  struct Passed {
    Point point;
    std::uint32_t qp;
    Time at;
  };
  std::vector<Passed> all;
};

constexpr std::size_t kMemory = std::size_t{1} << 20;

struct TransmitterBench {
  /// `hears`: `ear` is told of room.
  explicit TransmitterBench(const NicConfig& config = {}, const LinkConfig& link = link_of(0),
                            bool hears = true)
      : partition(simulation.partition()),
        parts(partition, "nic", config),
        mac("mac", parts.units, link.rate, "stub", blocks),
        transmitter(parts.units, mac),
        dma(partition, "dma", kMemory),
        end("nic_link", partition, link, Announce::kLastBit),
        stub_end("stub_link", partition, link, Announce::kLastBit),
        script(partition, "script", Phase::kAct),
        client(partition),
        ear(partition) {
    parts.units.dma = &dma;
    dma.carried = config.payload_carried;
    if (hears) transmitter.add_room_client(ear);
    bind_both(mac, end);
    bind_both(stub, stub_end);
    LinkEnd::connect(end, stub_end);
    check_link(end, stub_end);
    simulation.seal();
  }

  /// A packet of the client `client`, whose payload is in these segments.
  void take(const net::Frame& headers, const std::vector<BusSegment>& segments,
            std::uint64_t ticket, Time later = 0) {
    TransmitJob job;
    job.headers = &headers;
    job.priority = priority_of(headers);
    job.cls = parts.units.class_of(job.priority);
    job.qp = 77;
    job.segments = segments.data();
    job.count = static_cast<std::uint32_t>(segments.size());
    job.at = partition.now() + later;
    job.client = &client;
    job.ticket = ticket;
    ear.taking = true;
    transmitter.take(job);
    ear.taking = false;
  }
  /// A WRITE ONLY out of memory from `address` on.
  void take_write(std::uint8_t priority, std::uint64_t address, std::uint32_t bytes,
                  std::uint64_t ticket) {
    take(frame_of(priority, bytes), {{address, bytes}}, ticket);
  }
  void at(Time time, std::function<void()> what) { script.call(time, std::move(what)); }
  void send_at(Time time, const net::Frame& frame) {
    at(time, [this, frame] { stub.send_now(*packet_of(partition, frame)); });
  }
  void run(Time until = kSecond) { simulation.run(until); }

  const net::Packet& received(std::size_t i) const { return *stub.received.at(i).packet; }
  bool is_memory(const net::Packet& packet, std::size_t offset, std::uint64_t address,
                 std::uint32_t bytes) const {
    return packet.payload && packet.payload->size() >= offset + bytes &&
           std::equal(packet.payload->data() + offset, packet.payload->data() + offset + bytes,
                      dma.memory.data() + address);
  }
  double ns(const std::string& metric) const { return real(simulation, "nic." + metric + "_ns"); }

  Simulation simulation{{}};
  Partition& partition;
  Blocks blocks;
  PortUnits parts;
  Mac mac;
  Transmitter transmitter;
  fakes::FakeDma dma;
  PacketStub stub{"stub"};
  LinkEnd end, stub_end;
  fakes::Later script;
  Client client;
  RoomEar ear;
};

}  // namespace railyard::nic::bench
