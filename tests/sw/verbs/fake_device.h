// A driver whose device does nothing but remember: it stands in for sw/driver in tests of verbs.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/driver/driver.h"

namespace railyard::support {

namespace abi = nic::abi;

struct FakeKey {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint32_t pd;
  std::uint32_t access;
  std::vector<Address> pages;
};

/// What was asked of a driver::Device, and what it answers.
struct FakeDevice {
  explicit FakeDevice(const driver::DevicePlace& p) : place(p) {}

  /// The latest made.
  static FakeDevice& latest();

  driver::DevicePlace place;
  abi::CapabilitiesOutput capabilities;
  abi::QueryPortOutput port;
  abi::CommandStatus refuse = abi::CommandStatus::kOk;  // else each command, so
  unsigned vectors = 0;
  std::uint32_t next_number = 1;
  std::uint32_t next_qp = 0x40;
  std::map<std::uint32_t, FakeKey> keys;
  std::map<std::uint32_t, driver::Cq> cqs;
  std::map<std::uint32_t, driver::QueuePair> qps;
  std::vector<driver::QueuePairWish> wishes;
  std::vector<std::pair<abi::Command, abi::ModifyQpInput>> transitions;
  std::vector<std::string> log;
  abi::QueryQpOutput query;
  std::map<unsigned, std::deque<abi::Eqe>> events;  // by event queue
  std::map<unsigned, driver::Eq> eqs;
};

}  // namespace railyard::support
