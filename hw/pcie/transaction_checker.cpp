#include "hw/pcie/transaction_checker.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "hw/pcie/tlp_rules.h"

namespace railyard::pcie {

TransactionChecker::TransactionChecker(const std::string& name, const RequesterLimits& limits)
    : place_(name), limits_(limits), requests_(limits.tags) {}

void TransactionChecker::set_limits(const RequesterLimits& limits) {
  limits_ = limits;
  // Tags beyond a smaller count may still be out.
  requests_.resize(std::max<std::size_t>(limits.tags, requests_.size()));
}

// A carried payload has all of the TLP's bytes.
void TransactionChecker::check_data(const Tlp& tlp, Time now) const {
  if (!tlp.has_data() || !tlp.payload) return;
  place_.require(std::uint64_t{tlp.payload_offset} + tlp.bytes <= tlp.payload->size(), now,
                 "a TLP has less data than its length");
}

void TransactionChecker::check_memory_request(const Tlp& tlp, Time now) const {
  const std::uint64_t end = tlp.address + tlp.bytes;
  place_.require(tlp.bytes == 0 || tlp.address / 4096 == (end - 1) / 4096, now,
                 "a request crosses a 4 KiB boundary");
  const std::uint64_t touched = (end + 3) / 4 * 4 - tlp.address / 4 * 4;
  if (tlp.type == TlpType::kMemoryWrite) {
    place_.require(touched <= limits_.max_payload, now, "a write is larger than the max payload");
  } else {
    place_.require(touched <= limits_.max_read_request, now,
                   "a read is larger than the max read request");
  }
  if (tlp.bytes == 0 || touched > 4) return;
  // The first and the last byte of what it spans are meant.
  const auto first = static_cast<unsigned>(tlp.address & 3U);
  const unsigned ends = 1U << first | 1U << (first + tlp.bytes - 1);
  place_.require((tlp.byte_enables & ends) == ends, now,
                 "a request of one dword does not mean the first and last byte that it spans");
}

void TransactionChecker::check_config_request(const Tlp& tlp, Time now) const {
  place_.require(tlp.bytes > 0 && tlp.address % 4 + tlp.bytes <= 4, now,
                 "a configuration request is not within one dword");
  place_.require(tlp.address < 4096, now, "a configuration request is beyond the function's space");
}

void TransactionChecker::requested(const Tlp& tlp, Time now) {
  place_.require(!tlp.is_completion(), now, "a completion was sent as a request");
  check_data(tlp, now);
  if (tlp.is_config()) {
    check_config_request(tlp, now);
  } else {
    check_memory_request(tlp, now);
  }
  if (tlp.flow_class() == FlowClass::kPosted) return;
  place_.require(tlp.tag < limits_.tags, now, "a tag is beyond the number of tags");
  Request& request = requests_[tlp.tag];
  place_.require(request.state == State::kFree, now, "a tag is used again before it is free");
  request.state = State::kWaiting;
  request.type = tlp.type;
  request.requester = tlp.requester;
  request.next = tlp.address;
  request.bytes = tlp.bytes;
  // A read of no byte is answered with the byte count 1, all that are no memory reads with 4.
  request.bytes_left = tlp.is_config() ? 4 : std::max(1U, tlp.bytes);
  request.since = now;
}

void TransactionChecker::completed(const Tlp& completion, Time now) {
  place_.require(completion.is_completion(), now, "a request was taken for a completion");
  place_.require(completion.tag < requests_.size(), now, "a completion for a tag that is none");
  Request& request = requests_[completion.tag];
  place_.require(request.state != State::kFree, now, "a completion that nobody asked for");
  place_.require(request.state == State::kWaiting, now, "a completion after the last");
  place_.require(completion.requester == request.requester, now,
                 "a completion for another requester");
  check_data(completion, now);
  if (completion.status != Status::kSuccess) {
    take_failure(request, completion, now);
  } else if (request.type == TlpType::kMemoryRead) {
    take_read_data(request, completion, now);
  } else {
    take_config_answer(request, completion, now);
  }
}

// It is the last one, however much was asked for.
void TransactionChecker::take_failure(Request& request, const Tlp& completion, Time now) const {
  place_.require(completion.status != Status::kTimeout, now, "a completion that says timeout");
  place_.require(completion.type == TlpType::kCompletion, now, "a completion that failed has data");
  place_.require(completion.status != Status::kConfigRetry || request.type != TlpType::kMemoryRead,
                 now, "a memory read was answered by a configuration retry");
  request.state = State::kAnswered;
}

void TransactionChecker::take_read_data(Request& request, const Tlp& completion, Time now) const {
  place_.require(completion.type == TlpType::kCompletionData, now,
                 "a read was answered without data");
  // A translation on the way may have changed the page.
  constexpr std::uint64_t kWithinPage = kRequestBoundary - 1;
  place_.require(((completion.address ^ request.next) & kWithinPage) == 0, now,
                 "a completion does not begin where the one before it ended");
  place_.require(completion.bytes_left == request.bytes_left, now, "wrong byte count");
  if (request.bytes == 0) {
    place_.require(completion.bytes <= 1, now, "more data than was asked for");
    request.state = State::kAnswered;
    return;
  }
  place_.require(completion.bytes != 0, now, "a completion of no byte");
  place_.require(completion.bytes <= request.bytes_left, now, "more data than was asked for");
  const std::uint64_t end = request.next + completion.bytes;
  place_.require((end + 3) / 4 * 4 - request.next / 4 * 4 <= limits_.max_payload, now,
                 "a completion is larger than the max payload");
  request.next = end;
  request.bytes_left -= completion.bytes;
  if (request.bytes_left == 0) {
    request.state = State::kAnswered;
    return;
  }
  place_.require(end % limits_.boundary == 0, now,
                 "a completion but the last ends at no read completion boundary");
}

void TransactionChecker::take_config_answer(Request& request, const Tlp& completion,
                                            Time now) const {
  const bool data = completion.type == TlpType::kCompletionData;
  place_.require(data == (request.type == TlpType::kConfigRead), now,
                 "a configuration read has no data in its answer, or a write has");
  place_.require(completion.bytes_left == request.bytes_left, now, "wrong byte count");
  place_.require(completion.bytes <= 4, now, "more data than was asked for");
  request.state = State::kAnswered;
}

void TransactionChecker::tag_free(std::uint16_t tag, Time now) {
  place_.require(tag < requests_.size(), now, "a tag is free that is none");
  Request& request = requests_[tag];
  place_.require(request.state != State::kFree, now, "a tag is free that was not used");
  place_.require(
      request.state == State::kAnswered || now - request.since >= limits_.completion_timeout, now,
      "a tag is free before its request was answered or timed out");
  request.state = State::kFree;
}

void TransactionChecker::at_end(Time now, bool drained) {
  if (!drained) return;
  std::size_t waiting = 0;
  for (std::size_t tag = 0; tag < requests_.size(); ++tag) {
    if (requests_[tag].state == State::kWaiting) ++waiting;
    place_.require(requests_[tag].state != State::kAnswered, now,
                   "a tag was answered but never free");
  }
  if (waiting != 0) place_.fail(now, std::to_string(waiting) + " requests were never answered");
}

}  // namespace railyard::pcie
