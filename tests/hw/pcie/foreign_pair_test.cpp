// The foreign initiator and memory with the checker between them, and nothing of ours: what is
// found elsewhere is then not theirs.
#include <gmock/gmock.h>

#include "tests/support/foreign/base_protocol_checker.h"
#include "tests/support/foreign/foreign_initiator.h"
#include "tests/support/foreign/foreign_memory.h"

namespace foreign {
namespace {

using sc_core::SC_NS;
using testing::HasSubstr;
using testing::IsEmpty;

struct Pair {
  Pair(const InitiatorConfig& initiator_config, const MemoryConfig& memory_config)
      : initiator("initiator", initiator_config),
        checker("checker"),
        memory("memory", memory_config) {
    initiator.socket.bind(checker.in);
    checker.out.bind(memory.socket);
  }
  void run() { sc_core::sc_start(); }
  void expect_clean() {
    EXPECT_TRUE(initiator.finished()) << initiator.completed();
    EXPECT_THAT(initiator.faults(), IsEmpty());
    checker.check_end();
    EXPECT_THAT(checker.violations(), IsEmpty());
    EXPECT_EQ(initiator.payloads_held(), 0U);
    EXPECT_EQ(memory.storage(), initiator.shadow());
    EXPECT_TRUE(initiator.verify());
  }
  ForeignInitiator initiator;
  BaseProtocolChecker checker;
  ForeignMemory memory;
};

InitiatorConfig many() {
  InitiatorConfig config;
  config.count = 100'000;
  config.percent_outside = 2;
  return config;
}

TEST(ForeignPairTest, FourPhases) {
  MemoryConfig memory;
  memory.accept_delay = sc_core::sc_time(3, SC_NS);
  Pair pair(many(), memory);
  pair.run();
  pair.expect_clean();
  EXPECT_EQ(pair.checker.completed(), 100'000U);
  EXPECT_EQ(pair.checker.most_in_flight(), 8U);
}

TEST(ForeignPairTest, ShortWaysAndOutOfOrder) {
  MemoryConfig memory;
  memory.jitter = sc_core::sc_time(200, SC_NS);
  memory.out_of_order = true;
  memory.capacity = 3;
  memory.percent_updated = memory.percent_implied = memory.percent_completed = 30;
  Pair pair(many(), memory);
  pair.run();
  pair.expect_clean();
  EXPECT_EQ(pair.memory.most_active(), 3U);
}

TEST(ForeignPairTest, BlockingAnnotated) {
  InitiatorConfig initiator = many();
  initiator.blocking = true;
  MemoryConfig memory;
  memory.wait = false;
  Pair pair(initiator, memory);
  pair.run();
  pair.expect_clean();
}

TEST(ForeignPairTest, BlockingThatWaits) {
  InitiatorConfig initiator = many();
  initiator.blocking = true;
  Pair pair(initiator, {});
  pair.run();
  pair.expect_clean();
  EXPECT_EQ(pair.checker.most_in_flight(), 8U);
}

TEST(ForeignPairTest, DirectMemoryAccess) {
  InitiatorConfig initiator = many();
  initiator.blocking = initiator.direct = true;
  MemoryConfig memory;
  memory.direct = true;
  Pair pair(initiator, memory);
  pair.run();
  pair.expect_clean();
  EXPECT_GT(pair.initiator.direct_accesses(), 10'000U);
}

TEST(ForeignPairTest, WhatAMemoryDoesNotTakeIsTheStandardsError) {
  InitiatorConfig initiator = many();
  initiator.count = 5'000;
  initiator.streaming_refused = initiator.enables_refused = true;
  MemoryConfig memory;
  memory.byte_enables = memory.streaming = false;
  Pair pair(initiator, memory);
  pair.run();
  pair.expect_clean();
}

// The shadow is no ornament.
TEST(ForeignPairTest, AMemoryThatLosesAByteIsFound) {
  InitiatorConfig initiator = many();
  initiator.count = 2'000;
  initiator.size = 512;
  initiator.percent_outside = 0;
  Pair pair(initiator, {});
  sc_core::sc_spawn([&] {
    sc_core::wait(10, sc_core::SC_US);
    for (unsigned char& byte : pair.memory.storage()) byte ^= 1;
  });
  pair.run();
  ASSERT_FALSE(pair.initiator.faults().empty());
  EXPECT_THAT(pair.initiator.faults()[0], HasSubstr("other data than expected"));
}

}  // namespace
}  // namespace foreign
