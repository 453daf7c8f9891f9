#include "hw/congestion/congestion_config.h"

#include "hw/congestion/algorithms.h"

namespace railyard {

void DcqcnClassConfig::declare(Parameters& p) {
  p.add("traffic_class", traffic_class)
      .max(CongestionConfig::kClasses - 1)
      .required()
      .doc("The class, which is the priority of a queue pair or a flow, that this is about");
  p.choice("parameters", set, dcqcn_set_names()).doc("Set that keys have which are not written");
  dcqcn.declare(p);
  p.check([this](const Bound& bound) { dcqcn.fill(set, bound, ""); });
}

void CongestionConfig::declare(Parameters& p) {
  p.choice("engine", engine, {{"rtl", BlockEngine::kRtl}, {"model", BlockEngine::kModel}})
      .doc(
          "What computes the blocks of congestion control: the SystemVerilog, Verilated, or its "
          "bit-exact twin in C++; every result is the same");
  p.choice("clocking", clocking,
           {{"gated", BlockClocking::kGated}, {"free_running", BlockClocking::kFreeRunning}})
      .doc(
          "Whether blocks skip the cycles in which none of their registers would change; every "
          "result is the same");
  p.choice("algorithm", algorithm, congestion_algorithm_names())
      .doc("How the endpoints control the rates of their queue pairs");
  p.choice("parameters", set, dcqcn_set_names())
      .doc("Set of DCQCN's parameters: the values of keys that are not written");
  p.group("dcqcn", dcqcn).doc("DCQCN, by the names that mlx5 gives its parameters");
  p.list("classes", classes).doc("Traffic classes that have other parameters than `dcqcn`");
  p.add("clock", clock)
      .range(500, 10 * kNanosecond)
      .doc("Period of the clock of the endpoints' blocks");
  p.add("burst", burst)
      .max(100 * kMillisecond)
      .doc("Time that a queue pair which sends later than it might can catch up");
  p.check([this](const Bound& bound) {
    dcqcn.fill(set, bound, "dcqcn.");
    unsigned seen = 0;
    for (const DcqcnClassConfig& c : classes) {
      if ((seen >> c.traffic_class & 1U) != 0) {
        bound.fail("classes",
                   "traffic class " + std::to_string(c.traffic_class) + " is listed twice",
                   "list each class once");
      }
      seen |= 1U << c.traffic_class;
    }
  });
}

void CongestionConfig::refuse_unused(const Bound& bound) const {
  if (algorithm == "dcqcn") return;
  const auto needs = [&](const std::string& key, bool changed) {
    bound.needs("congestion." + key, changed, "congestion.algorithm: dcqcn");
  };
  needs("parameters", set != DcqcnSet::kPaper);
  needs("dcqcn", !(dcqcn == DcqcnParameters{}));
  needs("classes", !classes.empty());
  needs("burst", burst != CongestionConfig{}.burst);
}

const DcqcnParameters& CongestionConfig::of_class(unsigned traffic_class) const {
  for (const DcqcnClassConfig& c : classes) {
    if (c.traffic_class == traffic_class) return c.dcqcn;
  }
  return dcqcn;
}

}  // namespace railyard
