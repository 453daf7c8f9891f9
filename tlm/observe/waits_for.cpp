#include "tlm/observe/waits_for.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tlm/base/format.h"

namespace railyard {

namespace {

/// Depth-first search for a way back to a name on the path.
class CycleSearch {
 public:
  CycleSearch(const std::vector<Wait>& waits, Time latest) {
    for (const Wait& wait : waits) {
      if (wait.since <= latest) edges_[wait.info.waiter].push_back(&wait);
    }
  }

  std::vector<Wait> run() {
    for (const auto& node : edges_) {
      if (visit(node.first)) return cycle_;
    }
    return {};
  }

 private:
  // Recursion is as deep as the chain of waits; names are visited once.
  bool visit(const std::string& name) {
    if (!seen_.insert(name).second) return false;
    on_path_.insert(name);
    const auto found = edges_.find(name);
    if (found != edges_.end()) {
      for (const Wait* edge : found->second) {
        path_.push_back(edge);
        if (on_path_.count(edge->info.holder) != 0) {
          cut_cycle(edge->info.holder);
          return true;
        }
        if (visit(edge->info.holder)) return true;
        path_.pop_back();
      }
    }
    on_path_.erase(name);
    return false;
  }

  void cut_cycle(const std::string& start) {
    const auto first = std::find_if(path_.begin(), path_.end(),
                                    [&](const Wait* w) { return w->info.waiter == start; });
    for (auto it = first; it != path_.end(); ++it) cycle_.push_back(**it);
    const auto least = std::min_element(
        cycle_.begin(), cycle_.end(),
        [](const Wait& a, const Wait& b) { return a.info.waiter < b.info.waiter; });
    std::rotate(cycle_.begin(), least, cycle_.end());
  }

  std::map<std::string, std::vector<const Wait*>> edges_;
  std::set<std::string> seen_;
  std::set<std::string> on_path_;
  std::vector<const Wait*> path_;
  std::vector<Wait> cycle_;
};

}  // namespace

void WaitPoint::begin(Time now) {
  if (!waiting()) since_ = now;
}

std::vector<Wait> WaitsFor::active() const {
  std::vector<Wait> waits;
  for (const Item& item : points_) {
    if (item.point->waiting()) waits.push_back({item.info, item.point->since()});
  }
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.since, a.info.waiter, a.info.holder, a.info.what) <
           std::tie(b.since, b.info.waiter, b.info.holder, b.info.what);
  });
  return waits;
}

bool WaitsFor::any() const {
  return std::any_of(points_.begin(), points_.end(),
                     [](const Item& item) { return item.point->waiting(); });
}

std::vector<Wait> find_cycle(const std::vector<Wait>& waits, Time latest) {
  return CycleSearch(waits, latest).run();
}

std::string explain(const std::vector<Wait>& waits) {
  std::string text;
  for (const Wait& wait : waits) {
    if (!text.empty()) text += '\n';
    text += wait.info.waiter + " waits for " + wait.info.holder + ": " + wait.info.what +
            ", since " + format_time(wait.since);
  }
  return text;
}

}  // namespace railyard
