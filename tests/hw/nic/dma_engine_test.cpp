#include "hw/nic/dma_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/hw/nic/memory_bench.h"
#include "tests/support/allocations.h"
#include "tlm/base/error.h"

namespace railyard::nic {
namespace {

struct Done {
  Time at;
  std::uint64_t ticket;
  pcie::Status status;
  std::vector<std::uint8_t> bytes;
};

struct DmaBench : MemoryBench, DmaClient {
  explicit DmaBench(const NicConfig& parameters = {}) : MemoryBench(parameters) {
    for (std::size_t i = 0; i < function.memory.size(); ++i) {
      function.memory[i] = static_cast<std::uint8_t>(i * 13 + i / 256);
    }
  }
  void dma_done(std::uint64_t ticket, pcie::Status status, Ref<net::Payload> payload) override {
    std::vector<std::uint8_t> bytes;
    if (payload) bytes.assign(payload->data(), payload->data() + payload->size());
    done.push_back({now(), ticket, status, std::move(bytes)});
    if (on_done) on_done(ticket);
  }
  void read(DmaUse use, std::uint64_t address, std::uint32_t bytes, std::uint64_t ticket) {
    dma.read({use, address, bytes, ticket}, *this);
  }
  void write(DmaUse use, std::uint64_t address, std::uint32_t bytes, std::uint8_t value,
             DmaClient* client, std::uint64_t ticket = 0) {
    DmaWrite write;
    write.use = use;
    write.address = address;
    write.bytes = bytes;
    write.ticket = ticket;
    write.payload = simulation.partition().packets().payloads.acquire();
    write.payload->resize(bytes);
    std::memset(write.payload->data(), value, bytes);
    dma.write(write, client);
  }
  bool is_memory(const Done& d, std::uint64_t address, std::size_t bytes) const {
    return d.bytes.size() == bytes &&
           std::equal(d.bytes.begin(), d.bytes.end(),
                      function.memory.begin() + static_cast<std::ptrdiff_t>(address));
  }
  std::vector<Done> done;
  std::function<void(std::uint64_t)> on_done;
};

TEST(NicDmaEngine, GivesAReadsBytesWithItsClientsTicket) {
  DmaBench bench;
  bench.at(100, [&] {
    bench.read(DmaUse::kPayload, 0x1234, 5000, 77);
    bench.read(DmaUse::kWqe, 0x40, 64, 77);
    EXPECT_TRUE(bench.done.empty());
  });
  bench.run();
  ASSERT_EQ(bench.done.size(), 2U);
  for (const Done& d : bench.done) {
    EXPECT_EQ(d.ticket, 77U);
    EXPECT_EQ(d.at, 100 + kReadTime);
    EXPECT_EQ(d.status, pcie::Status::kSuccess);
  }
  EXPECT_TRUE(bench.is_memory(bench.done[0], 0x1234, 5000));
  EXPECT_TRUE(bench.is_memory(bench.done[1], 0x40, 64));
  EXPECT_EQ(bench.count("nic.dma.payload.reads"), 1U);
  EXPECT_EQ(bench.count("nic.dma.payload.read_bytes"), 5000U);
  EXPECT_EQ(bench.count("nic.dma.wqe.reads"), 1U);
  EXPECT_EQ(bench.count("nic.dma.wqe.read_bytes"), 64U);
  EXPECT_EQ(bench.count("nic.dma.context.reads"), 0U);
}

TEST(NicDmaEngine, GivesTheStatusOfAReadThatFailed) {
  DmaBench bench;
  bench.function.failing.insert(0x2000);
  bench.at(0, [&] { bench.read(DmaUse::kWqe, 0x2000, 64, 1); });
  bench.run();
  ASSERT_EQ(bench.done.size(), 1U);
  EXPECT_EQ(bench.done[0].status, pcie::Status::kUnsupportedRequest);
  EXPECT_TRUE(bench.done[0].bytes.empty());
  EXPECT_EQ(bench.count("nic.dma.wqe.reads_failed"), 1U);
  EXPECT_EQ(bench.count("nic.dma.wqe.read_bytes"), 0U);
}

TEST(NicDmaEngine, BoundsPayloadReadsByNumber) {
  NicConfig config;
  config.dma.payload_reads = 2;
  DmaBench bench(config);
  bench.at(0, [&] {
    EXPECT_TRUE(bench.dma.payload_room(100));
    for (std::uint64_t i = 0; i < 5; ++i) bench.read(DmaUse::kPayload, i * 64, 64, i);
    EXPECT_FALSE(bench.dma.payload_room(1));
  });
  bench.run();
  ASSERT_EQ(bench.done.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(bench.done[i].ticket, i);
    EXPECT_EQ(bench.done[i].at, kReadTime * static_cast<Time>(i / 2 + 1));
  }
  EXPECT_EQ(bench.function.most_reads, 2U);
  EXPECT_EQ(bench.count("nic.dma.payload.reads_in_flight_peak"), 2U);
  EXPECT_EQ(bench.count("nic.dma.payload_reads_waiting_peak"), 3U);
  // The last waited for two before it.
  EXPECT_EQ(bench.metric("nic.dma.payload.read_latency_ns_max").real, 1200.0);
}

TEST(NicDmaEngine, BoundsPayloadReadsByBytesToTheByte) {
  NicConfig config;
  config.dma.payload_bytes = Bytes{1000};
  DmaBench bench(config);
  bench.at(0, [&] {
    bench.read(DmaUse::kPayload, 0, 600, 0);
    EXPECT_TRUE(bench.dma.payload_room(400));
    EXPECT_FALSE(bench.dma.payload_room(401));
    bench.read(DmaUse::kPayload, 0, 401, 1);
    // It fits, but waits behind the one that does not.
    EXPECT_FALSE(bench.dma.payload_room(1));
    bench.read(DmaUse::kPayload, 0, 1, 2);
    bench.read(DmaUse::kPayload, 0, 5000, 3);  // never fits, so goes alone
  });
  bench.run();
  ASSERT_EQ(bench.done.size(), 4U);
  const std::vector<Time> times = {kReadTime, 2 * kReadTime, 2 * kReadTime, 3 * kReadTime};
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(bench.done[i].ticket, i);
    EXPECT_EQ(bench.done[i].at, times[i]);
  }
}

TEST(NicDmaEngine, BoundsAllOtherReadsTogetherAndApartFromPayload) {
  NicConfig config;
  config.dma.control_reads = 3;
  config.dma.payload_reads = 1;
  DmaBench bench(config);
  bench.at(0, [&] {
    std::uint64_t ticket = 0;
    for (const DmaUse use : {DmaUse::kWqe, DmaUse::kContext, DmaUse::kTranslation, DmaUse::kRecord,
                             DmaUse::kCommand}) {
      bench.read(use, 0, 64, ticket++);
    }
    bench.read(DmaUse::kPayload, 0, 64, 100);
    bench.read(DmaUse::kPayload, 0, 64, 101);
  });
  bench.run();
  std::vector<std::pair<std::uint64_t, Time>> order;
  for (const Done& d : bench.done) order.emplace_back(d.ticket, d.at / kReadTime);
  const std::vector<std::pair<std::uint64_t, Time>> expected = {{0, 1}, {1, 1}, {2, 1},  {100, 1},
                                                                {3, 2}, {4, 2}, {101, 2}};
  EXPECT_EQ(order, expected);
  EXPECT_EQ(bench.count("nic.dma.control_reads_waiting_peak"), 2U);
}

TEST(NicDmaEngine, WhoAsksWhenAReadIsDoneWaitsBehindWhoWaited) {
  NicConfig config;
  config.dma.payload_reads = 1;
  DmaBench bench(config);
  bench.on_done = [&](std::uint64_t ticket) {
    if (ticket != 0) return;
    EXPECT_FALSE(bench.dma.payload_room(1));
    bench.read(DmaUse::kPayload, 0, 64, 2);
  };
  bench.at(0, [&] {
    bench.read(DmaUse::kPayload, 0, 64, 0);
    bench.read(DmaUse::kPayload, 0, 64, 1);
  });
  bench.run();
  ASSERT_EQ(bench.done.size(), 3U);
  EXPECT_EQ(bench.done[1].ticket, 1U);
  EXPECT_EQ(bench.done[2].ticket, 2U);
}

/// Counts what the function has at once, by the kinds that have a bound; in between.
struct Counted : pcie::Function, pcie::DmaListener {
  explicit Counted(pcie::Function& to) : inner(to) {}
  struct Kind {
    std::size_t reads = 0, most_reads = 0;
    std::uint64_t bytes = 0, most_bytes = 0;
    void change(std::size_t more, std::uint64_t more_bytes) {
      reads += more;
      bytes += more_bytes;
      most_reads = std::max(most_reads, reads);
      most_bytes = std::max(most_bytes, bytes);
    }
  };
  Kind& kind_of(const pcie::DmaRequest& r) { return r.address < kPayloadEnd ? payload : control; }
  void dma(pcie::DmaRequest request, pcie::DmaListener& to) override {
    listener = &to;
    requests.push_back(request);
    kind_of(request).change(1, request.bytes);
    inner.dma(std::move(request), *this);
  }
  void interrupt(unsigned /*vector*/) override {}
  void dma_done(const pcie::DmaDone& done) override {
    const auto it = std::find_if(requests.begin(), requests.end(),
                                 [&](const auto& r) { return r.ticket == done.ticket; });
    ASSERT_NE(it, requests.end());
    kind_of(*it).change(~std::size_t{0}, ~std::uint64_t{it->bytes} + 1);
    requests.erase(it);
    listener->dma_done(done);
  }
  static constexpr std::uint64_t kPayloadEnd = 0x80000;
  pcie::Function& inner;
  pcie::DmaListener* listener = nullptr;
  std::vector<pcie::DmaRequest> requests;
  Kind payload, control;
};

/// Asks for another read whenever one is done; payload from below kPayloadEnd, others above.
struct Load : DmaClient {
  Load(DmaPath& path, const std::vector<std::uint8_t>& bytes) : dma(path), memory(bytes) {}
  void ask() {
    DmaRead read;
    read.use = random.below(2) == 0 ? DmaUse::kPayload : static_cast<DmaUse>(1 + random.below(3));
    read.bytes = static_cast<std::uint32_t>(1 + random.below(4096));
    read.address = random.below(Counted::kPayloadEnd - read.bytes) +
                   (read.use == DmaUse::kPayload ? 0 : Counted::kPayloadEnd);
    read.ticket = wishes.size();
    wishes.push_back(read);
    finished.push_back(false);
    dma.read(read, *this);
  }
  void dma_done(std::uint64_t ticket, pcie::Status /*status*/, Ref<net::Payload> data) override {
    const DmaRead& read = wishes.at(ticket);
    EXPECT_FALSE(finished[ticket]);
    finished[ticket] = true;
    ++done;
    ASSERT_TRUE(data);
    ASSERT_EQ(data->size(), read.bytes);
    EXPECT_EQ(std::memcmp(data->data(), &memory[read.address], read.bytes), 0);
    if (wishes.size() < 4000) ask();
  }
  DmaPath& dma;
  const std::vector<std::uint8_t>& memory;
  RandomStream random{3, "load"};
  std::vector<DmaRead> wishes;
  std::vector<bool> finished;
  std::size_t done = 0;
};

TEST(NicDmaEngine, NeverExceedsItsBoundsWhateverTheOrderOfAnswers) {
  NicConfig config;
  config.dma.payload_reads = 12;
  config.dma.payload_bytes = Bytes{20'000};
  config.dma.control_reads = 9;
  DmaBench bench(config);
  bench.function.jitter = 3 * kMicrosecond;
  Units units = bench.units;
  units.name = "counted";
  Counted counted(bench.function);
  DmaEngine engine(units, counted);
  Load load(engine, bench.function.memory);
  bench.at(0, [&] {
    for (int i = 0; i < 100; ++i) load.ask();
  });
  bench.run();
  EXPECT_EQ(load.done, 4000U);
  EXPECT_EQ(counted.payload.most_reads, 12U);  // bounds are reached, and not passed
  EXPECT_LE(counted.payload.most_bytes, 20'000U);
  EXPECT_GT(counted.payload.most_bytes, 19'500U);
  EXPECT_EQ(counted.control.most_reads, 9U);
  EXPECT_TRUE(counted.requests.empty());
}

TEST(NicDmaEngine, KeepsWritesInOrderWhateverTheirUse) {
  DmaBench bench;
  bench.at(0, [&] {
    bench.write(DmaUse::kPayload, 0x1000, 64, 1, nullptr);
    bench.write(DmaUse::kQueueEntry, 0x1000, 64, 2, &bench, 5);
    bench.write(DmaUse::kContext, 0x1000, 64, 3, nullptr);
    bench.write(DmaUse::kPayload, 0x1000, 32, 4, &bench, 6);
    bench.dma.interrupt(9);
  });
  bench.run();
  ASSERT_EQ(bench.function.asked.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(bench.function.asked[i].at, 0);
    EXPECT_EQ(bench.function.asked[i].request.payload->data()[0], i + 1);
  }
  EXPECT_EQ(bench.function.memory[0x1000], 4);
  EXPECT_EQ(bench.function.memory[0x1020], 3);
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_EQ(bench.done[0].ticket, 5U);
  EXPECT_EQ(bench.done[0].at, 2 * kWriteTime);
  EXPECT_EQ(bench.done[1].ticket, 6U);
  EXPECT_EQ(bench.done[1].at, 4 * kWriteTime);
  EXPECT_EQ(bench.function.interrupts, std::vector<unsigned>{9});
  EXPECT_EQ(bench.count("nic.dma.payload.writes"), 2U);
  EXPECT_EQ(bench.count("nic.dma.payload.write_bytes"), 96U);
}

TEST(NicDmaEngine, ElidesPayloadThatIsNotCarried) {
  NicConfig config;
  config.payload_carried = false;
  DmaBench bench(config);
  bench.at(0, [&] {
    bench.read(DmaUse::kPayload, 0, 64, 0);
    bench.read(DmaUse::kWqe, 0, 64, 1);
  });
  bench.run();
  ASSERT_EQ(bench.done.size(), 2U);
  EXPECT_TRUE(bench.done[0].bytes.empty());
  EXPECT_EQ(bench.done[0].status, pcie::Status::kSuccess);
  EXPECT_EQ(bench.done[1].bytes.size(), 64U);
}

TEST(NicDmaEngine, FencesReadsOfWhatItHasWrittenUntilThatHasLeft) {
  DmaBench bench;
  bench.function.write_time = kMicrosecond;
  bench.at(0, [&] {
    bench.write(DmaUse::kContext, 0x1000, 256, 0xAB, nullptr);
    bench.read(DmaUse::kContext, 0x10FF, 1, 0);    // its last byte
    bench.read(DmaUse::kContext, 0x1100, 256, 1);  // behind it
    bench.read(DmaUse::kContext, 0x0F00, 256, 2);  // before it
    bench.read(DmaUse::kPayload, 0x1000, 256, 3);  // another's matter
    bench.write(DmaUse::kPayload, 0x3000, 64, 1, nullptr);
    bench.read(DmaUse::kTranslation, 0x3000, 64, 4);  // the NIC does not read payload for itself
  });
  bench.at(2 * kMicrosecond, [&] { bench.read(DmaUse::kContext, 0x1000, 256, 5); });
  bench.run();
  std::vector<bool> fenced;
  for (const auto& a : bench.function.asked) {
    if (!a.request.write) fenced.push_back(a.request.fenced);
  }
  EXPECT_EQ(fenced, (std::vector<bool>{true, false, false, false, false, false}));
  const auto first = std::find_if(bench.done.begin(), bench.done.end(),
                                  [](const Done& d) { return d.ticket == 0; });
  ASSERT_NE(first, bench.done.end());
  EXPECT_EQ(first->bytes[0], 0xAB);
  EXPECT_EQ(first->at, kMicrosecond + kReadTime);
}

TEST(NicDmaEngine, RefusesAControlWriteWithoutBytes) {
  DmaBench bench;
  bench.at(0, [&] {
    DmaWrite write;
    write.use = DmaUse::kQueueEntry;
    write.bytes = 64;
    EXPECT_THROW(bench.dma.write(write, nullptr), InvariantError);
  });
  bench.run();
}

/// Keeps reads and writes going, and counts.
struct Engine : DmaClient {
  explicit Engine(DmaBench& owner) : bench(owner) {}
  void dma_done(std::uint64_t ticket, pcie::Status /*status*/, Ref<net::Payload> data) override {
    ++done;
    if (done == 2000) warm = support::allocations();
    if (done == 20'000) late = support::allocations();
    if (done > 20'000) return;
    DmaWrite write;
    write.address = 0x8000;
    write.bytes = 64;
    write.payload = std::move(data);
    bench.dma.write(write, nullptr);
    bench.dma.read({static_cast<DmaUse>(ticket % 3), 64 * (done % 512), 64, ticket}, *this);
  }
  DmaBench& bench;
  std::uint64_t done = 0;
  std::uint64_t warm = 0;
  std::uint64_t late = 0;
};

TEST(NicDmaEngine, AllocatesNothingOnceWarm) {
  NicConfig config;
  config.dma.payload_reads = 8;
  DmaBench bench(config);
  bench.function.keeps = false;
  bench.function.write_time = kNanosecond;  // so that writes do not pile up
  Engine engine(bench);
  bench.at(0, [&] {
    for (std::uint64_t i = 0; i < 60; ++i) {
      bench.dma.read({static_cast<DmaUse>(i % 3), 0, 64, i}, engine);
    }
  });
  bench.run();
  EXPECT_GT(engine.warm, 0U);
  EXPECT_EQ(engine.late, engine.warm);
}

}  // namespace
}  // namespace railyard::nic
