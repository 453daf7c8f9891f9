// The keys of group `traffic`, and which pattern has which.
#include <algorithm>
#include <iterator>
#include <utility>

#include "hw/tester/patterns.h"

namespace railyard {

namespace {

using Patterns = std::vector<Pattern>;

constexpr Pattern kAllPatterns[] = {Pattern::kIncast, Pattern::kPermutation, Pattern::kAllToAll,
                                    Pattern::kRing,   Pattern::kPoisson,     Pattern::kOnOff,
                                    Pattern::kList};

/// A key of some patterns, and how it is forgotten.
struct PartialKey {
  const char* name;
  Patterns users;
  void (*reset)(PatternConfig&);
};

template <auto kMember>
void reset(PatternConfig& config) {
  (config.*kMember).reset();
}

const std::vector<PartialKey>& partial_keys() {
  using C = PatternConfig;
  using P = Pattern;
  static const std::vector<PartialKey> kKeys = {
      {"senders", {P::kIncast}, reset<&C::senders>},
      {"receiver", {P::kIncast}, reset<&C::receiver>},
      {"messages",
       {P::kIncast, P::kPermutation, P::kAllToAll, P::kRing, P::kPoisson, P::kList},
       reset<&C::messages>},
      {"stagger", {P::kIncast, P::kPermutation, P::kAllToAll, P::kRing}, reset<&C::stagger>},
      {"hops", {P::kRing}, reset<&C::hops>},
      {"load", {P::kPoisson}, reset<&C::load>},
      {"duration", {P::kPoisson, P::kOnOff}, reset<&C::duration>},
      {"on", {P::kOnOff}, reset<&C::on>},
      {"off", {P::kOnOff}, reset<&C::off>},
      {"file", {P::kList}, reset<&C::file>},
  };
  return kKeys;
}

bool uses(const PartialKey& key, Pattern pattern) {
  return std::find(key.users.begin(), key.users.end(), pattern) != key.users.end();
}

std::string accepted_keys(Pattern pattern) {
  std::string text = "accepted: ";
  for (const PartialKey& key : partial_keys()) {
    if (uses(key, pattern)) text += std::string(key.name) + ", ";
  }
  if (pattern == Pattern::kList) text += "flows, ";
  return text + "message_size, rate, start, priority, dscp, vlan, ect";
}

}  // namespace

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::kIncast:
      return "incast";
    case Pattern::kPermutation:
      return "permutation";
    case Pattern::kAllToAll:
      return "all_to_all";
    case Pattern::kRing:
      return "ring";
    case Pattern::kPoisson:
      return "poisson";
    case Pattern::kOnOff:
      return "on_off";
    case Pattern::kList:
      return "list";
  }
  return "";
}

void FlowRow::declare(Parameters& p) {
  p.add("source", source).required().doc("A host of one port (h3), a port (h3.nic1) or its number");
  p.add("destination", destination).required().doc("Likewise");
  p.add("start", start).range(0, kLatestStart).doc("When it begins; by default traffic.start");
  p.add("messages", messages).range(1, kMostMessages).doc("By default traffic.messages");
  p.add("message_size", message_size)
      .range(1, kLargestMessage)
      .doc("By default traffic.message_size");
  p.add("rate", rate).range(slowest_pace(), fastest_pace()).doc("By default traffic.rate");
  p.add("priority", priority).max(7).doc("By default traffic.priority");
  p.where(mark);
}

void PatternConfig::declare(Parameters& p) {
  constexpr Time kLongest = 1000 * kSecond;
  std::vector<std::pair<std::string, Pattern>> names;
  for (const Pattern named : kAllPatterns) names.emplace_back(name_of(named), named);
  p.choice("pattern", pattern, names).doc("Who sends to whom; some keys belong to some patterns");
  p.add("senders", senders).min(1).doc("incast: senders; default all endpoints but the receiver");
  p.add("receiver", receiver)
      .doc("incast: the receiver's number among endpoints; default the last");
  p.add("messages", messages)
      .range(1, kMostMessages)
      .doc("RDMA writes (unreliable connection) of a flow; no key of on_off");
  p.add("message_size", message_size).range(1, kLargestMessage).doc("Bytes of a message");
  p.add("rate", rate)
      .range(slowest_pace(), fastest_pace())
      .doc("Pace of each flow; none: line rate");
  p.add("start", start).range(0, kLatestStart).doc("When the first flows begin");
  p.add("stagger", stagger)
      .range(0, kSecond)
      .doc(
          "incast, permutation, all_to_all, ring: each sender begins so long after the one before");
  p.add("hops", hops).doc("ring: endpoint i sends to i + hops");
  p.add("load", load)
      .accept("is out of range", "above 0 to 1", [](double v) { return v > 0 && v <= 1; })
      .doc("poisson: payload that each endpoint sends, as a share of its line rate");
  p.add("duration", duration)
      .range(kNanosecond, kLongest)
      .doc("poisson, on_off: how long after `start` flows begin");
  p.add("on", on).range(1, kLongest).doc("on_off: mean time of a burst");
  p.add("off", off).range(1, kLongest).doc("on_off: mean time between bursts");
  p.add("file", file).doc("list: a CSV file of flows, relative to the working directory");
  p.list("flows", flows).size(0, kMostFlows).doc("list: the flows, instead of a file");
  p.add("priority", priority).max(7).doc("Priority (PFC class, and PCP with a VLAN)");
  p.add("dscp", dscp).max(63).doc("DSCP; default 26 for priority 3, else 8 * priority");
  p.add("vlan", vlan).range(1, 4094).doc("VLAN id; none: untagged frames");
  p.add("ect", ect).doc("Packets say that they can be ECN marked: ECT(0); false: Not-ECT");
  p.where(mark);
  const auto refuse = [this](const Bound& bound, const char* key) {
    bound.fail(key, std::string("is no key of pattern ") + name_of(pattern),
               accepted_keys(pattern));
  };
  p.check([this, refuse](const Bound& bound) {
    for (const PartialKey& key : partial_keys()) {
      if (uses(key, pattern)) continue;
      if (bound.has(key.name)) refuse(bound, key.name);
      key.reset(*this);
    }
    const bool list = pattern == Pattern::kList;
    // An empty list is what a resolved configuration holds for other patterns.
    if (!list && bound.has("flows") && !flows.empty()) refuse(bound, "flows");
    if (!list) flows.clear();
    if (list && file.has_value() != flows.empty()) {
      bound.fail(file ? "flows" : "file",
                 file ? "are written though there is a file" : "is required by pattern list",
                 "write either file, a CSV file's path, or flows");
    }
  });
}

}  // namespace railyard
