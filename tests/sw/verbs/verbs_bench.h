// Verbs on a real core and a real memory, over a device that only remembers.
#pragma once

#include <gmock/gmock.h>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "hw/host/address_space.h"
#include "sw/verbs/objects.h"
#include "tests/hw/host/core_bench.h"
#include "tests/sw/verbs/fake_device.h"

namespace railyard::support {

struct VerbsBench : CoreBench {
  using Test = std::function<void(VerbsBench&)>;
  /// When `late` is called: by then a test has begun to wait.
  static constexpr Time kLate = 2 * kMillisecond;

  /// Runs `test` as the program of a core that has a machine with one device.
  explicit VerbsBench(Test test, const verbs::VerbsConfig& verbs_config = {}) {
    core([this, test = std::move(test), verbs_config](Core& on) {
      verbs::Machine here(on, space, {place()}, verbs_config);
      machine = &here;
      device = &FakeDevice::latest();
      test(*this);
    });
    at(kLate, [this] {
      if (late) late();
    });
    EXPECT_EQ(run(), RunEnd::kDrained);
    EXPECT_TRUE(cores.front()->finished());
  }

  static driver::DevicePlace place() {
    driver::DevicePlace at;
    at.name = "mlx5_0";
    at.registers = kDevice;
    return at;
  }
  Address uar() const { return kDevice + abi::kUarBase + abi::kUarBytes; }

  template <class T>
  T read(Address address) {
    lazy.catch_up();
    std::array<std::uint8_t, sizeof(T)> bytes{};
    memory.read(address, bytes.data(), bytes.size());
    T value;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  template <class T>
  void write(Address address, const T& value) {
    const LazyScheduler::Visit visit(lazy);
    memory.write(address, reinterpret_cast<const std::uint8_t*>(&value), sizeof value);
  }

  /// As the device does: the entry after the latest one, of this pass over the ring.
  void complete(const ibv_cq* cq, abi::Cqe entry) {
    const driver::Cq& ring = device->cqs.at(cq->handle);
    const std::uint32_t index = written[cq->handle]++;
    const std::uint32_t mask = (1U << ring.log_entries) - 1;
    const unsigned owner = index >> ring.log_entries & 1U;
    entry.opcode_owner = static_cast<abi::Byte>((entry.opcode_owner & 0xF0U) | owner);
    write(ring.entries + std::uint64_t{index & mask} * abi::kCqeBytes, entry);
  }

  host::HostAddressSpace space{memory, 0x10'0000, 0x100'0000};
  verbs::Machine* machine = nullptr;
  FakeDevice* device = nullptr;
  std::function<void()> late;
  std::map<std::uint32_t, std::uint32_t> written;  // entries, by CQ
};

inline abi::Cqe cqe(abi::CqeOpcode opcode, std::uint32_t qp, std::uint16_t counter) {
  abi::Cqe entry;
  entry.opcode_owner = static_cast<abi::Byte>(static_cast<unsigned>(opcode) << 4);
  entry.opcode_qpn = qp;
  entry.wqe_counter = counter;
  return entry;
}

/// All that a test of queues needs. Its destructor may run on any stack: it asks nothing.
struct Queues {
  explicit Queues(const ibv_qp_cap& cap = {8, 8, 2, 2, 0}, bool signal_all = false,
                  ibv_qp_type type = IBV_QPT_RC) {
    ibv_device** list = ibv_get_device_list(nullptr);
    context = ibv_open_device(list[0]);
    ibv_free_device_list(list);
    pd = ibv_alloc_pd(context);
    cq = ibv_create_cq(context, 15, this, nullptr, 0);
    ibv_qp_init_attr init{};
    init.send_cq = cq;
    init.recv_cq = cq;
    init.cap = cap;
    init.qp_type = type;
    init.sq_sig_all = signal_all ? 1 : 0;
    qp = ibv_create_qp(pd, &init);
    given = init.cap;
  }

  static ibv_qp_attr init_attributes() {
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_INIT;
    set.port_num = 1;
    set.qp_access_flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;
    return set;
  }
  static ibv_qp_attr rtr_attributes() {
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RTR;
    set.path_mtu = IBV_MTU_1024;
    set.dest_qp_num = 0x123;
    set.rq_psn = 0xABCDE;
    set.max_dest_rd_atomic = 4;
    set.min_rnr_timer = 12;
    set.ah_attr.is_global = 1;
    set.ah_attr.port_num = 1;
    set.ah_attr.grh.traffic_class = 0x68;
    // fe80::200:ff:fe00:9, of the MAC address 02:00:00:00:00:09
    const std::array<std::uint8_t, 16> gid{0xFE, 0x80, 0, 0,    0,    0, 0, 0,
                                           0,    0,    0, 0xFF, 0xFE, 0, 0, 9};
    std::copy(gid.begin(), gid.end(), set.ah_attr.grh.dgid.raw);
    return set;
  }
  static ibv_qp_attr rts_attributes() {
    ibv_qp_attr set{};
    set.qp_state = IBV_QPS_RTS;
    set.sq_psn = 0x777;
    set.timeout = 14;
    set.retry_cnt = 6;
    set.rnr_retry = 5;
    set.max_rd_atomic = 3;
    return set;
  }
  static constexpr int kInitMask =
      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  static constexpr int kRtrMask = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                                  IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  static constexpr int kRtsMask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                  IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;

  void connect() const {
    ibv_qp_attr set = init_attributes();
    EXPECT_EQ(ibv_modify_qp(qp, &set, kInitMask), 0);
    set = rtr_attributes();
    EXPECT_EQ(ibv_modify_qp(qp, &set, kRtrMask), 0);
    set = rts_attributes();
    EXPECT_EQ(ibv_modify_qp(qp, &set, kRtsMask), 0);
  }

  /// What ibv_post_send() said; `bad` is the work request that it refused.
  int post(ibv_send_wr& wr) { return ibv_post_send(qp, &wr, &bad); }
  int post(ibv_recv_wr& wr) { return ibv_post_recv(qp, &wr, &bad_receive); }

  ibv_context* context;
  ibv_pd* pd;
  ibv_cq* cq;
  ibv_qp* qp;
  ibv_qp_cap given{};
  ibv_send_wr* bad = nullptr;
  ibv_recv_wr* bad_receive = nullptr;
};

/// A SEND of nothing, signalled.
inline ibv_send_wr send_wr(std::uint64_t id, unsigned flags = IBV_SEND_SIGNALED) {
  ibv_send_wr wr{};
  wr.wr_id = id;
  wr.opcode = IBV_WR_SEND;
  wr.send_flags = flags;
  return wr;
}

}  // namespace railyard::support
