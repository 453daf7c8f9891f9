// Hosts with NICs, and programs on both that break things. What a program finds is checked on its
// own thread.
#pragma once

#include <gmock/gmock.h>
#include <infiniband/verbs.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "platforms/common/rdma/rdma_host.h"
#include "sw/verbs/machine.h"
#include "sw/verbs/objects.h"
#include "tests/support/fresh_kernel.h"
#include "tlm/sim/simulation.h"

namespace railyard::verbs::test {

constexpr std::uint32_t kSome = 3000;  // bytes, of a few packets

/// Joins the hosts' links: by a cable, or by something between them.
using Join = std::function<void(Simulation& simulation, LinkEnd& a, LinkEnd& b)>;

/// A host as its program sees it. Both sides are in one process: what a connection manager would
/// exchange is read from the other's.
struct Side {
  unsigned number = 0;
  Side* other = nullptr;
  rdma::RdmaHost* host = nullptr;
  Core* core = nullptr;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_gid gid{};
  Time clock = 0;  // the NIC's
  bool finished = false;
  std::uint32_t steps = 0;  // that it has told the other of
  std::vector<struct Flow*> flows;

  /// Both sides come here before either goes on.
  void meet() {
    ++steps;
    while (other->steps < steps) core->spend(kMicrosecond);
  }
  driver::Device& driver() const { return Machine::current()->driver(0); }
};

struct FlowConfig {
  std::uint32_t depth = 16;
  std::uint32_t receives = 16;
  std::uint64_t bytes = 1U << 16;  // of its memory
  int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  unsigned qp_access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  std::uint8_t timeout = 8;  // 1.05 ms
  std::uint8_t retries = 7;
  std::uint8_t rnr_retries = 7;
  std::uint8_t rnr_timer = 1;  // 10 us
  std::uint8_t reads = 4;
  ibv_mtu mtu = IBV_MTU_1024;
  std::uint32_t psn = 0xFFFFF0;
  int completions = 256;
  ibv_pd* pd = nullptr;  // none: the side's
};

/// A side of a connection: its queue pair, its CQ, and its memory, which is zero at first.
struct Flow {
  Flow(Side& side, const FlowConfig& wish = {}) : at(side), config(wish), index(side.flows.size()) {
    memory.resize(config.bytes);
    if (config.pd == nullptr) config.pd = side.pd;
    mr = ibv_reg_mr(config.pd, memory.data(), memory.size(), config.access);
    cq = ibv_create_cq(side.context, config.completions, nullptr, nullptr, 0);
    make_qp();
    side.flows.push_back(this);
  }
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  void make_qp() {
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq;
    init.qp_type = IBV_QPT_RC;
    init.cap = {config.depth, config.receives, 4, 4, 64};
    qp = ibv_create_qp(config.pd, &init);
    ASSERT_NE(qp, nullptr);
  }
  const Flow& peer() const { return *at.other->flows[index]; }
  void to_init() const {
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_INIT;
    set.port_num = 1;
    set.qp_access_flags = config.qp_access;
    EXPECT_EQ(ibv_modify_qp(qp, &set,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
              0);
  }
  void to_rtr() const { to_rtr(peer().qp->qp_num); }
  void to_rtr(std::uint32_t number) const {
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RTR;
    set.path_mtu = config.mtu;
    set.dest_qp_num = number;
    set.rq_psn = config.psn;
    set.max_dest_rd_atomic = config.reads;
    set.min_rnr_timer = config.rnr_timer;
    set.ah_attr.is_global = 1;
    set.ah_attr.port_num = 1;
    set.ah_attr.grh.dgid = at.other->gid;
    set.ah_attr.grh.hop_limit = 64;
    EXPECT_EQ(ibv_modify_qp(qp, &set,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
              0);
  }
  void to_rts() const {
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RTS;
    set.timeout = config.timeout;
    set.retry_cnt = config.retries;
    set.rnr_retry = config.rnr_retries;
    set.sq_psn = config.psn;
    set.max_rd_atomic = config.reads;
    EXPECT_EQ(ibv_modify_qp(qp, &set,
                            IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                                IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC),
              0);
  }
  /// Both sides call it.
  void connect() const {
    at.meet();
    to_init();
    to_rtr();
    to_rts();
    at.meet();
  }

  ibv_sge piece(std::uint64_t offset, std::uint32_t bytes) const {
    return {reinterpret_cast<std::uintptr_t>(memory.data()) + offset, bytes, mr->lkey};
  }
  int post(ibv_wr_opcode opcode, std::uint64_t id, ibv_sge segment, std::uint64_t remote,
           std::uint32_t rkey, unsigned flags = IBV_SEND_SIGNALED) const {
    ibv_send_wr wr{};
    wr.wr_id = id;
    wr.opcode = opcode;
    wr.sg_list = &segment;
    wr.num_sge = 1;
    wr.send_flags = flags;
    wr.imm_data = static_cast<std::uint32_t>(id);
    wr.wr.rdma.remote_addr = remote;
    wr.wr.rdma.rkey = rkey;
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(qp, &wr, &bad);
  }
  std::uint64_t remote(std::uint64_t offset) const {
    return reinterpret_cast<std::uintptr_t>(peer().memory.data()) + offset;
  }
  /// From and to the same place of both sides.
  int write(std::uint64_t id, std::uint64_t offset, std::uint32_t bytes) const {
    return post(IBV_WR_RDMA_WRITE, id, piece(offset, bytes), remote(offset), peer().mr->rkey);
  }
  int send(std::uint64_t id, std::uint64_t offset, std::uint32_t bytes) const {
    return post(IBV_WR_SEND, id, piece(offset, bytes), 0, 0);
  }
  int receive(std::uint64_t id, ibv_sge segment) const {
    ibv_recv_wr wr{};
    wr.wr_id = id;
    wr.sg_list = &segment;
    wr.num_sge = 1;
    ibv_recv_wr* bad = nullptr;
    return ibv_post_recv(qp, &wr, &bad);
  }

  /// The next completion, waited for `patience` at most; wr_id is kNone if there is none.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  ibv_wc completion(Time patience = 50 * kMillisecond) const {
    ibv_wc wc{};
    const Time deadline = at.core->now() + patience;
    while (at.core->now() < deadline) {
      if (ibv_poll_cq(cq, 1, &wc) == 1) return wc;
    }
    wc.wr_id = kNone;
    return wc;
  }
  /// The next completion is of `id`, with this status.
  void expect(std::uint64_t id, ibv_wc_status status) const {
    const ibv_wc wc = completion();
    EXPECT_EQ(wc.wr_id, id);
    EXPECT_STREQ(ibv_wc_status_str(wc.status), ibv_wc_status_str(status)) << "of " << id;
  }
  void expect_nothing(Time patience = 100 * kMicrosecond) const {
    EXPECT_EQ(completion(patience).wr_id, kNone);
  }
  ibv_qp_state state() const {
    ibv_qp_attr attributes{};
    ibv_qp_init_attr init{};
    EXPECT_EQ(ibv_query_qp(qp, &attributes, IBV_QP_STATE, &init), 0);
    return attributes.qp_state;
  }
  /// It is in the error state, and what is posted now is flushed.
  void expect_dead() const {
    EXPECT_EQ(state(), IBV_QPS_ERR);
    EXPECT_EQ(write(900, 0, 64), 0);
    EXPECT_EQ(receive(901, piece(0, 64)), 0);
    // Two queues: which is flushed first is nobody's business.
    const std::array<ibv_wc, 2> flushed{completion(), completion()};
    EXPECT_EQ(flushed[0].wr_id + flushed[1].wr_id, 900 + 901U);
    for (const ibv_wc& wc : flushed) EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
  }

  Side& at;
  FlowConfig config;
  std::size_t index;
  std::vector<std::uint8_t> memory;
  ibv_mr* mr = nullptr;
  ibv_cq* cq = nullptr;
  ibv_qp* qp = nullptr;
};

inline ibv_async_event next_event(const Side& side) {
  ibv_async_event event{};
  EXPECT_EQ(ibv_get_async_event(side.context, &event), 0);
  ibv_ack_async_event(&event);
  return event;
}

/// WRITEs from the first host to the second that go on beside a test without its programs.
struct Bystander {
  static constexpr std::uint32_t kMessages = 32;
  static constexpr std::uint32_t kBytes = 1U << 19;

  static FlowConfig config() {
    FlowConfig config;
    config.bytes = std::uint64_t{kMessages} * kBytes;
    config.mtu = IBV_MTU_4096;
    config.depth = kMessages;
    config.timeout = 14;
    return config;
  }
  explicit Bystander(Side& side) : flow(side, config()) {
    if (side.number == 0) {
      for (std::size_t i = 0; i < flow.memory.size(); ++i) flow.memory[i] = value(i);
    }
    flow.connect();
  }
  static std::uint8_t value(std::size_t i) {
    return static_cast<std::uint8_t>(i * 37 + (i >> 8) * 11 + 1);
  }
  void start() const {
    if (flow.at.number != 0) return;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      EXPECT_EQ(flow.write(i, std::uint64_t{i} * kBytes, kBytes), 0);
    }
  }
  /// The sender's: all of them complete, once, in order.
  void finish() const {
    for (std::uint32_t i = 0; i < kMessages; ++i) flow.expect(i, IBV_WC_SUCCESS);
    flow.expect_nothing();
  }
  /// When the NIC wrote the last completion, by its timestamp.
  Time ended() const {
    const Cq& cq = verbs::object(flow.cq);
    std::array<std::uint8_t, abi::kCqeBytes> bytes{};
    Machine::current()->core().read(cq.entry(cq.ring.consumer - 1), bytes.data(), bytes.size());
    abi::Cqe entry;
    std::memcpy(&entry, bytes.data(), bytes.size());
    return static_cast<Time>(std::uint64_t{entry.timestamp}) * flow.at.clock;
  }
  /// The receiver's, when the sender has finished.
  std::size_t wrong() const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < flow.memory.size(); ++i) wrong += flow.memory[i] != value(i);
    return wrong;
  }
  Flow flow;
};

/// Two hosts of which each runs a program.
class TwoHosts {
 public:
  using Program = std::function<void(Side& side)>;

  explicit TwoHosts(const rdma::RdmaHostConfig& config = {}, const LinkConfig& wire = {},
                    const Join& join = {})
      : link(wire) {
    for (unsigned i = 0; i < 2; ++i) {
      const HostPort port{0, i, simulation.partition(), link,
                          "h" + std::to_string(1 - i) + ".nic0"};
      addresses.push_back(rdma::nic_address(i, IpVersion::k4));
      hosts.push_back(std::make_unique<rdma::RdmaHost>(("h" + std::to_string(i)).c_str(), config,
                                                       port, addresses.back(), blocks, true));
      sides[i].number = i;
      sides[i].other = &sides[1 - i];
      sides[i].host = hosts[i].get();
      sides[i].clock = config.nic.clock;
    }
    if (join) {
      join(simulation, hosts[0]->link(0), hosts[1]->link(0));
    } else {
      LinkEnd::connect(hosts[0]->link(0), hosts[1]->link(0));
    }
  }

  /// Runs `program` on both, with a device opened. Both must come to their ends.
  void run(const Program& program) {
    for (unsigned i = 0; i < 2; ++i) {
      hosts[i]->set_program(
          [this, i, program](Core& core, AddressSpace&) {
            open(sides[i], core);
            program(sides[i]);
            sides[i].meet();
            sides[i].finished = true;
          },
          [this](const Gid& gid, Mac& mac) { return find_mac(gid, mac); });
    }
    simulation.seal();
    EXPECT_EQ(simulation.run(10 * kSecond), RunEnd::kDrained);
    for (const Side& side : sides) EXPECT_TRUE(side.finished) << "host " << side.number;
  }

  std::uint64_t metric(const std::string& name) const {
    for (const Metric& m : simulation.metrics()) {
      if (m.info.name == name) return m.value.whole;
    }
    ADD_FAILURE() << "no metric " << name;
    return 0;
  }

  support::FreshKernel kernel;
  Simulation simulation{{}};
  LinkConfig link;
  Blocks blocks;
  std::vector<nic::NicAddress> addresses;
  std::vector<std::unique_ptr<rdma::RdmaHost>> hosts;
  std::array<Side, 2> sides;

 private:
  static void open(Side& side, Core& core) {
    side.core = &core;
    ibv_device** list = ibv_get_device_list(nullptr);
    side.context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    side.pd = ibv_alloc_pd(side.context);
    EXPECT_EQ(ibv_query_gid(side.context, 1, 0, &side.gid), 0);
    side.meet();
  }
  bool find_mac(const Gid& gid, Mac& mac) const {
    for (const nic::NicAddress& address : addresses) {
      if (address.gid != gid) continue;
      mac = address.mac.bytes;
      return true;
    }
    return false;
  }
};

/// What a test does beside the bystander.
struct Attack {
  std::function<void(Side& side)> prepare;  // before the bystander runs
  std::function<void(Side& side)> act;      // while it runs
};

/// Runs an attack beside a bystander, whose data must come whole, and tells how long that took.
inline Time time_beside(const Attack& attack, const rdma::RdmaHostConfig& config = {}) {
  TwoHosts hosts(config);
  Time began = 0;
  Time ended = 0;
  hosts.run([&](Side& side) {
    const auto bystander = std::make_shared<Bystander>(side);
    if (attack.prepare) attack.prepare(side);
    side.meet();
    if (side.number == 0) began = side.core->now();
    bystander->start();
    if (attack.act) attack.act(side);
    if (side.number == 0) {
      bystander->finish();
      ended = bystander->ended();
    }
    side.meet();
    if (side.number == 1) {
      EXPECT_EQ(bystander->wrong(), 0U);
    }
  });
  return ended - began;
}

}  // namespace railyard::verbs::test
