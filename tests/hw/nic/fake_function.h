// A PCIe function before a memory of its own, with what may go wrong on the way: reads answered in
// any order, reads that fail, reads that pass writes unless they are fenced.
#pragma once

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/pcie/dma.h"
#include "tlm/sim/partition.h"

namespace railyard::nic {

class FakeFunction : public pcie::Function {
 public:
  FakeFunction(Partition& partition, std::uint64_t bytes, Time for_read, Time for_write)
      : memory(bytes),
        read_time(for_read),
        write_time(for_write),
        partition_(partition),
        random_(partition.random("fake_function")),
        event_(Event::of<&FakeFunction::finish>(*this, partition.endpoint("fake_function"),
                                                Phase::kArrival)) {}

  struct Asked {
    Time at = 0;
    pcie::DmaRequest request;
  };

  /// A write is in memory, and done, `write_time` after it was given and the one before was done. A
  /// read that is not fenced sees memory as it is when it is asked for: it passes all writes.
  void dma(pcie::DmaRequest request, pcie::DmaListener& listener) override {
    const Time now = partition_.now();
    if (keeps) asked.push_back({now, request});
    Step step;
    step.listener = &listener;
    step.order = order_++;
    if (request.write) {
      last_write_ = std::max(last_write_, now) + write_time;
      step.due = last_write_;
    } else {
      ++reads_in_flight;
      most_reads = std::max(most_reads, reads_in_flight);
      const Time begin = request.fenced ? std::max(last_write_, now) : now;
      step.due = begin + read_time;
      if (jitter > 0) {
        step.due += static_cast<Time>(random_.below(static_cast<std::uint64_t>(jitter)));
      }
      if (!request.fenced) sample(request);
    }
    step.request = std::move(request);
    steps_.push_back(std::move(step));
    wake();
  }
  void interrupt(unsigned vector) override { interrupts.push_back(vector); }

  std::vector<std::uint8_t> memory;  // from address 0 on
  Time read_time;
  Time write_time;
  Time jitter = 0;                  // of reads: they overtake each other
  std::set<std::uint64_t> failing;  // addresses of reads that fail
  bool keeps = true;
  std::vector<Asked> asked;
  std::vector<unsigned> interrupts;
  std::uint32_t reads_in_flight = 0;
  std::uint32_t most_reads = 0;

 private:
  struct Step {
    Time due = 0;
    std::uint64_t order = 0;
    pcie::DmaRequest request;
    pcie::DmaListener* listener = nullptr;
  };

  void sample(pcie::DmaRequest& request) {
    if (request.elided) return;
    request.payload = partition_.packets().payloads.acquire();
    request.payload->resize(request.bytes);
    std::memcpy(request.payload->data(), &memory.at(request.address), request.bytes);
  }
  std::vector<Step>::iterator next() {
    return std::min_element(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return a.due != b.due ? a.due < b.due : a.order < b.order;
    });
  }
  void wake() {
    if (!steps_.empty()) partition_.scheduler().schedule(event_, next()->due);
  }
  void finish() {
    while (!steps_.empty() && next()->due <= partition_.now()) {
      const auto place = next();
      Step step = std::move(*place);
      *place = std::move(steps_.back());
      steps_.pop_back();
      finish_one(step);
    }
    wake();
  }
  void finish_one(Step& step) {
    pcie::DmaRequest& request = step.request;
    pcie::DmaDone done{request.ticket, pcie::Status::kSuccess, {}};
    if (!request.write) {
      --reads_in_flight;
      if (failing.count(request.address) != 0) {
        done.status = pcie::Status::kUnsupportedRequest;
      } else {
        if (request.fenced) sample(request);
        done.payload = std::move(request.payload);
      }
    } else if (request.payload) {
      std::memcpy(&memory.at(request.address), request.payload->data() + request.payload_offset,
                  request.bytes);
    }
    step.listener->dma_done(done);
  }

  Partition& partition_;
  RandomStream random_;
  std::vector<Step> steps_;
  std::uint64_t order_ = 0;
  Time last_write_ = 0;
  Event event_;
};

}  // namespace railyard::nic
