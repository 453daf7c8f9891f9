// Devices, ports, protection domains, memory regions, address handles, names.
#include <gmock/gmock.h>

#include "tests/sw/verbs/verbs_bench.h"

extern "C" int verbs_headers_in_c(ibv_context* context, ibv_pd* pd, void* memory, int access);

namespace railyard::verbs {
namespace {

using support::kNs;
using support::Queues;
using support::VerbsBench;
using testing::ElementsAre;

TEST(VerbsDevice, AHostsDevicesAreListedWithTheirNames) {
  VerbsBench([](VerbsBench& /*bench*/) {
    int count = 0;
    ibv_device** list = ibv_get_device_list(&count);
    ASSERT_EQ(count, 1);
    EXPECT_STREQ(ibv_get_device_name(list[0]), "mlx5_0");
    EXPECT_EQ(list[1], nullptr);
    EXPECT_EQ(list[0]->node_type, IBV_NODE_CA);
    EXPECT_EQ(ibv_get_device_guid(list[0]), __builtin_bswap64(0x0000'00FF'FE00'0007));
    EXPECT_EQ(ibv_get_device_index(list[0]), 0);
    ibv_free_device_list(list);
  });
}

TEST(VerbsDevice, OutsideOfAHostThereIsNone) {
  int count = 5;
  ibv_device** list = ibv_get_device_list(&count);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(list[0], nullptr);
  ibv_free_device_list(list);
}

TEST(VerbsDevice, IsWhatTheDriverSays) {
  VerbsBench([](VerbsBench& /*bench*/) {
    const Queues queues;
    ibv_device_attr device{};
    ASSERT_EQ(ibv_query_device(queues.context, &device), 0);
    EXPECT_EQ(device.max_qp, 64);
    EXPECT_EQ(device.max_qp_wr, 1024);
    EXPECT_EQ(device.max_sge, 30);
    EXPECT_EQ(device.max_qp_rd_atom, 16);
    EXPECT_EQ(device.atomic_cap, IBV_ATOMIC_NONE);
    ibv_port_attr port{};
    ASSERT_EQ(ibv_query_port(queues.context, 1, &port), 0);
    EXPECT_EQ(port.state, IBV_PORT_ACTIVE);
    EXPECT_EQ(port.active_mtu, IBV_MTU_4096);
    EXPECT_EQ(port.active_speed, 128);  // 4 lanes of 100 Gb/s
    EXPECT_EQ(port.active_width, 2);
    EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_ETHERNET);
    EXPECT_EQ(ibv_query_port(queues.context, 2, &port), EINVAL);
    ibv_gid gid{};
    ASSERT_EQ(ibv_query_gid(queues.context, 1, 0, &gid), 0);
    EXPECT_EQ(gid.raw[10], 0xFF);
    EXPECT_EQ(gid.raw[15], 7);
    EXPECT_EQ(ibv_query_gid(queues.context, 1, 1, &gid), -1);
    EXPECT_EQ(errno, EINVAL);
    __be16 pkey = 0;
    ASSERT_EQ(ibv_query_pkey(queues.context, 1, 0, &pkey), 0);
    EXPECT_EQ(pkey, 0xFFFF);
  });
}

TEST(VerbsDevice, AnInterfaceMtuOfEthernetGivesAPathMtuOf1024) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    bench.device->port.interface_mtu = 1500;
    bench.device->port.up = 0;
    ibv_port_attr port{};
    ASSERT_EQ(ibv_query_port(queues.context, 1, &port), 0);
    EXPECT_EQ(port.active_mtu, IBV_MTU_1024);
    EXPECT_EQ(port.state, IBV_PORT_DOWN);
  });
}

TEST(VerbsDevice, TheHeaderInCHasAllThatItsMacrosCall) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    std::vector<std::uint8_t> bytes(64);
    EXPECT_EQ(verbs_headers_in_c(queues.context, queues.pd, bytes.data(), IBV_ACCESS_LOCAL_WRITE),
              0);
    bench.machine->end_of_program();
  });
}

TEST(VerbsDevice, WhatIsUsedIsBusyAndWhatIsRefusedSaysWhy) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    EXPECT_EQ(ibv_dealloc_pd(queues.pd), EBUSY);
    EXPECT_EQ(ibv_destroy_cq(queues.cq), EBUSY);
    EXPECT_EQ(ibv_close_device(queues.context), EBUSY);
    bench.device->refuse = abi::CommandStatus::kNoResources;
    EXPECT_EQ(ibv_alloc_pd(queues.context), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    bench.device->refuse = abi::CommandStatus::kOk;
    EXPECT_EQ(ibv_destroy_qp(queues.qp), 0);
    EXPECT_EQ(ibv_destroy_cq(queues.cq), 0);
    EXPECT_EQ(ibv_dealloc_pd(queues.pd), 0);
    EXPECT_EQ(ibv_close_device(queues.context), 0);
  });
}

TEST(VerbsDevice, WhatAProgramLeavesIsDestroyed) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    std::vector<std::uint8_t> bytes(64);
    ASSERT_NE(ibv_reg_mr(queues.pd, bytes.data(), bytes.size(), 0), nullptr);
    bench.device->log.clear();
    bench.machine->end_of_program();
    EXPECT_THAT(bench.device->log, ElementsAre("destroy_qp", "destroy_cq", "destroy_mkey",
                                               "dealloc_pd", "dealloc_uar"));
    EXPECT_EQ(bench.space.mapped_pages(), 0U);
  });
}

TEST(VerbsDevice, ADeviceThatRefusesToDestroyDoesNotHoldAProgramsMemory) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    std::vector<std::uint8_t> bytes(64);
    ASSERT_NE(ibv_reg_mr(queues.pd, bytes.data(), bytes.size(), 0), nullptr);
    bench.device->refuse = abi::CommandStatus::kInternal;
    bench.machine->end_of_program();
    EXPECT_EQ(bench.space.mapped_pages(), 0U);
    EXPECT_TRUE(bench.machine->devices()[0]->contexts.empty());
  });
}

TEST(VerbsMemory, ARegionIsTheProgramsMemoryAtTheDevice) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    std::vector<std::uint8_t> bytes(10'000);
    const Time start = bench.simulation.now();
    ibv_mr* mr = ibv_reg_mr(queues.pd, bytes.data(), bytes.size(),
                            IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
    ASSERT_NE(mr, nullptr);
    const support::FakeKey& key = bench.device->keys.at(mr->lkey);
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    EXPECT_EQ(key.address, address);
    EXPECT_EQ(key.bytes, bytes.size());
    EXPECT_EQ(key.pd, queues.pd->handle);
    EXPECT_EQ(key.access, abi::access::kLocalWrite | abi::access::kRemoteRead);
    EXPECT_EQ(mr->rkey, mr->lkey);
    // The command's 1 us, and what registering costs.
    EXPECT_EQ(bench.simulation.now() - start,
              3 * kMicrosecond + static_cast<Time>(key.pages.size()) * 100 * kNs);
    bench.write<std::uint8_t>(key.pages[0] + address % 4096, 0x5A);
    EXPECT_EQ(bytes[0], 0x5A);
    EXPECT_EQ(ibv_dereg_mr(mr), 0);
    EXPECT_TRUE(bench.device->keys.empty());
    EXPECT_EQ(bench.space.mapped_pages(), 0U);
  });
}

TEST(VerbsMemory, AKeyMayHaveAddressesOfItsOwnWithTheSameOffsetInAPage) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    std::vector<std::uint8_t> bytes(100);
    const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(bytes.data()) % 4096;
    ibv_mr* mr = ibv_reg_mr_iova(queues.pd, bytes.data(), 100, 0x7000 + offset, 0);
    ASSERT_NE(mr, nullptr);
    EXPECT_EQ(bench.device->keys.at(mr->lkey).address, 0x7000 + offset);
    EXPECT_EQ(ibv_reg_mr_iova(queues.pd, bytes.data(), 100, 0x7001 + offset, 0), nullptr);
    EXPECT_EQ(errno, EINVAL);
  });
}

TEST(VerbsMemory, RefusesRangesAndFlagsThatMakeNoSense) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    std::uint64_t word = 0;
    const auto refused = [&](std::size_t bytes, int access) {
      errno = 0;
      return ibv_reg_mr(queues.pd, &word, bytes, access) == nullptr && errno == EINVAL;
    };
    EXPECT_TRUE(refused(0, IBV_ACCESS_LOCAL_WRITE));
    EXPECT_TRUE(refused(~std::size_t{0}, IBV_ACCESS_LOCAL_WRITE));
    EXPECT_TRUE(refused(8, IBV_ACCESS_REMOTE_WRITE));
    EXPECT_TRUE(refused(8, IBV_ACCESS_ON_DEMAND));
    EXPECT_TRUE(bench.device->keys.empty());
    ibv_mr* relaxed = ibv_reg_mr(queues.pd, &word, 8, IBV_ACCESS_RELAXED_ORDERING);
    ASSERT_NE(relaxed, nullptr);
    EXPECT_EQ(bench.device->keys.at(relaxed->lkey).access, abi::access::kRelaxedOrdering);
    bench.device->refuse = abi::CommandStatus::kLimit;
    EXPECT_EQ(ibv_reg_mr(queues.pd, &word, 8, 0), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    bench.device->refuse = abi::CommandStatus::kOk;
    ASSERT_EQ(ibv_dereg_mr(relaxed), 0);
    EXPECT_EQ(bench.space.mapped_pages(), 0U);  // also of the one that was refused
  });
}

TEST(VerbsDevice, AnAddressHandleHasAnAddressOfThePort) {
  VerbsBench([](VerbsBench& /*bench*/) {
    const Queues queues;
    ibv_ah_attr set = Queues::rtr_attributes().ah_attr;
    ibv_ah* ah = ibv_create_ah(queues.pd, &set);
    ASSERT_NE(ah, nullptr);
    EXPECT_EQ(ibv_destroy_ah(ah), 0);
    set.is_global = 0;
    EXPECT_EQ(ibv_create_ah(queues.pd, &set), nullptr);
    EXPECT_EQ(errno, EINVAL);
  });
}

TEST(VerbsDevice, ErrorsOfQueuePairsAreAsynchronousEvents) {
  VerbsBench([](VerbsBench& bench) {
    const Queues queues;
    abi::Eqe gone;
    gone.type = static_cast<abi::Byte>(abi::EventType::kQpCatastrophic);
    gone.number = 0x99;
    abi::Eqe error = gone;
    error.type = static_cast<abi::Byte>(abi::EventType::kQpAccessError);
    error.number = queues.qp->qp_num;
    bench.device->events[0] = {gone, error};
    ibv_async_event event{};
    ASSERT_EQ(ibv_get_async_event(queues.context, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_QP_ACCESS_ERR);
    EXPECT_EQ(event.element.qp, queues.qp);
    ibv_ack_async_event(&event);
  });
}

TEST(VerbsDevice, WhatItHasNotSaysSo) {
  VerbsBench([](VerbsBench& /*bench*/) {
    const Queues queues;
    ibv_srq_init_attr init{};
    EXPECT_EQ(ibv_create_srq(queues.pd, &init), nullptr);
    EXPECT_EQ(errno, ENOSYS);
    EXPECT_EQ(ibv_resize_cq(queues.cq, 100), ENOSYS);
    EXPECT_EQ(ibv_alloc_mw(queues.pd, IBV_MW_TYPE_1), nullptr);
    EXPECT_EQ(errno, EOPNOTSUPP);
  });
}

TEST(VerbsNames, AreThoseOfTheValues) {
  EXPECT_STREQ(ibv_wc_status_str(IBV_WC_SUCCESS), "success");
  EXPECT_STREQ(ibv_wc_status_str(IBV_WC_WR_FLUSH_ERR), "Work Request Flushed Error");
  EXPECT_STREQ(ibv_wc_status_str(IBV_WC_RNR_RETRY_EXC_ERR), "RNR retry counter exceeded");
  EXPECT_STREQ(ibv_wc_status_str(IBV_WC_TM_RNDV_INCOMPLETE), "TM software rendezvous");
  EXPECT_STREQ(ibv_wc_status_str(static_cast<ibv_wc_status>(24)), "unknown");
  EXPECT_STREQ(ibv_node_type_str(IBV_NODE_CA), "InfiniBand channel adapter");
  EXPECT_STREQ(ibv_node_type_str(IBV_NODE_UNKNOWN), "unknown");
  EXPECT_STREQ(ibv_port_state_str(IBV_PORT_ACTIVE), "active");
  EXPECT_STREQ(ibv_event_type_str(IBV_EVENT_WQ_FATAL), "WQ fatal");
  EXPECT_EQ(ibv_rate_to_mbps(IBV_RATE_100_GBPS), 103'125);
  EXPECT_EQ(mbps_to_ibv_rate(425'000), IBV_RATE_400_GBPS);
  EXPECT_EQ(ibv_rate_to_mult(mult_to_ibv_rate(16)), 16);
}

}  // namespace
}  // namespace railyard::verbs
