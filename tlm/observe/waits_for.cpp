#include "tlm/observe/waits_for.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tlm/base/format.h"

namespace railyard {

namespace {

/// Depth-first search for a way back to a name on the path. Its stack is its own: a chain of waits
/// may be as long as there are queues.
class CycleSearch {
 public:
  CycleSearch(const std::vector<Wait>& waits, Time latest) {
    for (const Wait& wait : waits) {
      if (wait.since <= latest) edges_[wait.info.waiter].push_back(&wait);
    }
  }

  std::vector<Wait> run() {
    for (const auto& node : edges_) {
      if (search_from(node.first)) break;
    }
    return std::move(cycle_);
  }

 private:
  /// A name on the path, and which of its waits is next to be followed.
  struct Step {
    const std::string* name;
    std::size_t next = 0;
  };

  bool search_from(const std::string& start) {
    if (!enter(start)) return false;
    while (!path_.empty()) {
      Step& step = path_.back();
      const auto found = edges_.find(*step.name);
      if (found == edges_.end() || step.next == found->second.size()) {
        on_path_.erase(*step.name);
        path_.pop_back();
        continue;
      }
      const std::string& holder = found->second[step.next++]->info.holder;
      if (on_path_.count(holder) != 0) {
        cut_cycle(holder);
        return true;
      }
      enter(holder);
    }
    return false;
  }

  bool enter(const std::string& name) {
    if (!seen_.insert(name).second) return false;
    on_path_.insert(name);
    path_.push_back({&name});
    return true;
  }

  /// The wait that each step from `start` on follows, from the cycle's first name.
  void cut_cycle(const std::string& start) {
    const auto first = std::find_if(path_.begin(), path_.end(),
                                    [&](const Step& step) { return *step.name == start; });
    for (auto step = first; step != path_.end(); ++step) {
      cycle_.push_back(*edges_.at(*step->name)[step->next - 1]);
    }
    const auto least = std::min_element(
        cycle_.begin(), cycle_.end(),
        [](const Wait& a, const Wait& b) { return a.info.waiter < b.info.waiter; });
    std::rotate(cycle_.begin(), least, cycle_.end());
  }

  std::map<std::string, std::vector<const Wait*>> edges_;
  std::set<std::string> seen_;
  std::set<std::string> on_path_;
  std::vector<Step> path_;
  std::vector<Wait> cycle_;
};

}  // namespace

void WaitPoint::begin(Time now) {
  if (!waiting()) since_ = now;
}

std::vector<Wait> WaitsFor::active() const {
  for (const auto& catch_up : looks_) catch_up();
  std::vector<Wait> waits;
  for (const Item& item : points_) {
    if (item.point->waiting()) waits.push_back({item.info, item.point->since()});
  }
  for (const auto& append_active : sources_) append_active(waits);
  std::sort(waits.begin(), waits.end(), [](const Wait& a, const Wait& b) {
    return std::tie(a.since, a.info.waiter, a.info.holder, a.info.what) <
           std::tie(b.since, b.info.waiter, b.info.holder, b.info.what);
  });
  return waits;
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
