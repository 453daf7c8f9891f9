// Watches a requester: what it asks for keeps the rules of requests (2.2.5 to 2.2.7), its tags are
// not used twice at once, and what it is answered is exactly what it asked for, once, in address
// order, cut where the standard lets it be cut (2.2.9, 2.3.1.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/pcie/check_place.h"
#include "hw/pcie/port_observer.h"
#include "tlm/observe/checker.h"

namespace railyard::pcie {

/// What holds for a requester and its completers.
struct RequesterLimits {
  std::uint32_t max_payload = 256;
  std::uint32_t max_read_request = 512;
  std::uint32_t boundary = 64;  // the least read completion boundary of its completers
  std::uint32_t tags = 256;
  Time completion_timeout = kForever;  // a tag that was not answered is free after this
};

class TransactionChecker : public Checker, public RequesterObserver {
 public:
  TransactionChecker(const std::string& name, const RequesterLimits& limits);

  /// Software wrote others: they hold for all that is requested or taken from here on.
  void set_limits(const RequesterLimits& limits);

  void requested(const Tlp& tlp, Time now) override;
  void completed(const Tlp& completion, Time now) override;
  void tag_free(std::uint16_t tag, Time now) override;
  void at_end(Time now, bool drained) override;

 private:
  enum class State : std::uint8_t { kFree, kWaiting, kAnswered };
  struct Request {
    State state = State::kFree;
    TlpType type = TlpType::kMemoryRead;
    DeviceId requester;
    std::uint64_t next = 0;  // the address of the next completion's first byte
    std::uint32_t bytes = 0;
    std::uint32_t bytes_left = 0;
    Time since = 0;
  };

  void check_memory_request(const Tlp& tlp, Time now) const;
  void check_config_request(const Tlp& tlp, Time now) const;
  void check_data(const Tlp& tlp, Time now) const;
  void take_failure(Request& request, const Tlp& completion, Time now) const;
  void take_read_data(Request& request, const Tlp& completion, Time now) const;
  void take_config_answer(Request& request, const Tlp& completion, Time now) const;

  CheckPlace place_;
  RequesterLimits limits_;
  std::vector<Request> requests_;  // by tag
};

}  // namespace railyard::pcie
