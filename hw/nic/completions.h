// Completion queues and event queues: entries in host memory, arming, interrupts, moderation.
#pragma once

#include <cstdint>

#include "hw/nic/completion_sink.h"
#include "hw/nic/units.h"

namespace railyard::nic {

struct EqShape {
  std::uint64_t address = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t vector = 0;
  Time moderation = 0;
  std::uint32_t moderation_count = 0;
};

struct CqShape {
  std::uint64_t address = 0;
  std::uint64_t doorbell_record = 0;
  std::uint32_t log_entries = 0;
  std::uint32_t eq = 0;
  Time moderation = 0;
  std::uint32_t moderation_count = 0;
};

class Completions : public CompletionSink {
 public:
  explicit Completions(Units& units);
  ~Completions() override;

  // Numbers are the caller's, below the limits; what exists is the caller's to know.
  void create_eq(std::uint32_t number, const EqShape& shape);
  void destroy_eq(std::uint32_t number);
  void create_cq(std::uint32_t number, const CqShape& shape);
  void modify_cq(std::uint32_t number, Time moderation, std::uint32_t moderation_count);
  void destroy_cq(std::uint32_t number);

  /// The arm doorbell of a CQ that exists: its first word.
  void arm_cq(std::uint32_t number, std::uint32_t word);
  /// Software has consumed entries of an EQ that exists up to `consumer` (24 bits).
  void consume_eq(std::uint32_t number, std::uint32_t consumer, bool arm);

  void complete(const Completion& completion, Time at) override;
  void event(abi::EventType type, std::uint32_t qp) override;
};

}  // namespace railyard::nic
