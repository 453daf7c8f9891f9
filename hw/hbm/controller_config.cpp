#include "hw/hbm/controller_config.h"

#include <string>

namespace railyard::hbm {
namespace {

constexpr unsigned kLargestQueue = 1024;

std::string number(unsigned n) { return std::to_string(n); }

}  // namespace

void WriteDrainConfig::declare(Parameters& p) {
  p.add("high", high)
      .range(1, kLargestQueue)
      .doc("Writes waiting in a pseudo-channel at which it turns from reads to writes");
  p.add("low", low).max(kLargestQueue).doc("Writes waiting at which it turns back, if reads wait");
  p.add("idle", idle)
      .max(kMillisecond)
      .doc("Without reads for so long, writes are drained though they are fewer than high");
  p.check([this](const Bound& bound) {
    if (low < high) return;
    bound.fail(bound.has("low") ? "low" : "high",
               "a drain that begins at " + number(high) + " writes cannot end at " + number(low),
               "write low below high");
  });
}

void PageConfig::declare(Parameters& p) {
  constexpr unsigned kLongest = 65'535;
  p.choice("policy", policy,
           {{"open", PagePolicy::kOpen},
            {"closed", PagePolicy::kClosed},
            {"adaptive", PagePolicy::kAdaptive}})
      .doc(
          "open: a row stays until another is wanted. closed: the last request that waits for a "
          "row "
          "closes it. adaptive: a row without requests closes after a time that each bank learns");
  p.add("timeout", timeout)
      .range(1, kLongest)
      .doc("CK without requests after which a row closes, before a bank has learned");
  p.add("timeout_min", timeout_min).range(1, kLongest).doc("CK, the least that a bank learns");
  p.add("timeout_max", timeout_max).range(1, kLongest).doc("CK, the most that a bank learns");
  p.check([this](const Bound& bound) {
    if (policy != PagePolicy::kAdaptive) {
      const PageConfig fallback;
      const char* setting = "policy: adaptive";
      bound.needs("timeout", timeout != fallback.timeout, setting);
      bound.needs("timeout_min", timeout_min != fallback.timeout_min, setting);
      bound.needs("timeout_max", timeout_max != fallback.timeout_max, setting);
    }
    if (timeout_min <= timeout && timeout <= timeout_max) return;
    bound.fail("timeout",
               "a timeout of " + number(timeout) + " CK is not within timeout_min of " +
                   number(timeout_min) + " and timeout_max of " + number(timeout_max),
               "write timeout_min <= timeout <= timeout_max");
  });
}

void RefreshConfig::declare(Parameters& p) {
  p.choice("mode", mode,
           {{"off", RefreshMode::kOff},
            {"all_bank", RefreshMode::kAllBank},
            {"per_bank", RefreshMode::kPerBank}})
      .doc(
          "all_bank: a SID refreshes whole, each tREFI. per_bank: bank by bank, each tREFIpb, "
          "while "
          "others work. off: never, as no real device");
  p.add("postpone", postpone)
      .max(8)
      .doc("Refreshes of a SID that may be owed while requests wait; 0: none is late");
  p.add("staggered", staggered)
      .doc("SIDs and pseudo-channels refresh at different times, not all at once");
  p.check([this](const Bound& bound) {
    if (mode != RefreshMode::kOff) return;
    bound.needs("postpone", postpone != 0, "mode: all_bank or per_bank");
    bound.needs("staggered", staggered, "mode: all_bank or per_bank");
  });
}

void EccConfig::declare(Parameters& p) {
  p.choice("mode", mode,
           {{"none", EccMode::kNone},
            {"on_die", EccMode::kOnDie},
            {"sideband", EccMode::kSideband},
            {"inline", EccMode::kInline}})
      .doc(
          "Where the check bits are. on_die: within the dies, no traffic. sideband: on pins of "
          "their own, no traffic. inline: among the data, at the cost of further accesses");
  p.add("lines", lines)
      .range(1, 1024)
      .doc("Accesses of check bits that a pseudo-channel keeps; only of mode: inline");
  p.check([this](const Bound& bound) {
    if (mode == EccMode::kInline) return;
    bound.needs("lines", lines != EccConfig().lines, "mode: inline");
  });
}

void ControllerConfig::declare(Parameters& p) {
  p.add("read_queue", read_queue)
      .range(1, kLargestQueue)
      .doc("Reads that a pseudo-channel's scheduler sees");
  p.add("write_queue", write_queue)
      .range(1, kLargestQueue)
      .doc("Writes that a pseudo-channel's scheduler sees");
  p.choice("scheduling", scheduling,
           {{"fr_fcfs", Scheduling::kFrFcfs}, {"fcfs", Scheduling::kFcfs}})
      .doc(
          "fr_fcfs: row hits first, among them the oldest. fcfs: data in order of arrival; banks "
          "are "
          "opened ahead");
  p.add("age_limit", age_limit)
      .max(kSecond)
      .doc(
          "fr_fcfs: a request that waits longer goes before row hits. Writes are drained though "
          "reads "
          "wait, so long after the first of them came or the last drain ended. 0s: neither");
  p.group("page", page).doc("When rows are closed");
  p.group("drain", drain).doc("When writes go: in bursts, as each turn of the bus costs");
  p.group("refresh", refresh).doc("Refresh");
  p.group("ecc", ecc).doc("Error correction, as far as it costs accesses");
  p.choice("write_response", write_response,
           {{"accepted", WriteResponse::kAccepted}, {"written", WriteResponse::kWritten}})
      .doc("A write is done when its queue has it, or when its data is in the device");
  p.add("forward", forward)
      .doc("A read of what waits to be written is answered from the write queue");
  p.add("front_latency", front_latency)
      .max(kMillisecond)
      .doc("From a request's arrival to the queue");
  p.add("back_latency", back_latency)
      .max(kMillisecond)
      .doc("From the end of the data on the bus to the response");
  p.check([this](const Bound& bound) {
    if (scheduling == Scheduling::kFcfs) {
      bound.needs("age_limit", age_limit != 0 && age_limit != ControllerConfig().age_limit,
                  "scheduling: fr_fcfs");
    }
    // An access and its codes are queued together.
    const bool codes = ecc.mode == EccMode::kInline;
    if (codes && read_queue < 2) {
      bound.fail("read_queue", "with ecc.mode: inline a read brings another one, of its code",
                 "write read_queue of at least 2");
    }
    if (codes && write_queue < 2) {
      bound.fail("write_queue", "with ecc.mode: inline a write may bring another one, of a code",
                 "write write_queue of at least 2");
    }
    if (drain.high <= write_queue) return;
    bound.fail(bound.has("write_queue") ? "write_queue" : "drain.high",
               "a queue of " + number(write_queue) + " writes never holds the " +
                   number(drain.high) + " at which a drain begins",
               "write drain.high of at most write_queue");
  });
}

}  // namespace railyard::hbm
