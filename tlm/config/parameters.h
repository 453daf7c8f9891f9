// Parameters, each declared once, in the struct that uses it:
//
//   struct LinkConfig {
//     Rate rate = Rate::gbps(400);
//     std::vector<Outage> outages;
//     void declare(Parameters& p) {
//       p.add("rate", rate).range(Rate::gbps(1), Rate::gbps(1600)).doc("Line rate, each way");
//       p.list("outages", outages).doc("When the link is down");
//       p.check([this](const Bound& bound) {
//         if (outages.size() > 1 && rate == Rate::gbps(1)) bound.fail("outages", "...", "...");
//       });
//     }
//   };
//
// The member's initial value is the default. From the declaration come bind_config (a tree of text
// into the struct), describe_config (what can be written) and dump_config (what was resolved).
// Declaring a key twice, or one that is no identifier ([a-z][a-z0-9_]*), is a std::logic_error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm/config/node.h"
#include "tlm/config/scalar.h"
#include "tlm/config/spelling.h"

namespace railyard {

class Parameters;
template <class T>
class Scalar;
template <class T>
class Choice;
class Group;
template <class T>
class List;
template <class T>
class Map;

/// One line of --describe. `path` names list elements "links[].rate" and map entries
/// "nodes.<name>.mac"; `fallback` is the default as text, "required", or "none".
struct ParameterRow {
  std::string path;
  std::string type;
  std::string fallback;
  std::string accepted;
  std::string doc;
};

/// Where in the configuration a value is being bound.
struct Scope {
  std::string path;        // "" at the root
  const Parameters* root;  // for "that key is elsewhere"

  Scope member(const std::string& key) const {
    return {path.empty() ? key : path + "." + key, root};
  }
  Scope item(std::size_t index) const { return {path + "[" + std::to_string(index) + "]", root}; }
};

/// A struct whose keys are bound, given to its checks.
class Bound {
 public:
  Bound(const Node& map, const Scope& scope) : map_(map), scope_(scope) {}
  /// True if the key ("pfc.xoff" looks into a group) was written, not defaulted.
  bool has(const std::string& key) const;
  /// Where the key's value was written, or the nearest enclosing thing that was.
  const Mark& mark(const std::string& key) const;
  /// Throws a ConfigError at mark(key).
  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         const std::string& remedy) const;
  /// Throws a ConfigError at a key that acts only where `setting` ("mode: fast") stands, if it is
  /// `changed` from its default: it would silently do nothing.
  void needs(const std::string& key, bool changed, const std::string& setting) const;

 private:
  const Node& map_;
  const Scope& scope_;
};

/// A key. Subclasses differ in what it holds.
class Declaration {
 public:
  explicit Declaration(std::string key) : key_(std::move(key)) {}
  virtual ~Declaration() = default;
  Declaration(const Declaration&) = delete;
  Declaration& operator=(const Declaration&) = delete;

  const std::string& key() const { return key_; }
  bool is_required() const { return required_; }

  virtual void bind(const Node& node, const Scope& scope) = 0;
  /// Called instead of bind for a key that was not written.
  virtual void keep_default(const Node& parent, const Scope& scope);
  /// What bind reads back; none if there is nothing to write.
  virtual std::optional<Node> dump() const = 0;
  virtual void describe(const std::string& path, std::vector<ParameterRow>& rows) const = 0;

 protected:
  ParameterRow row(const std::string& path, std::string type, std::string fallback,
                   std::string accepted) const;

  std::string key_;
  std::string doc_;
  bool required_ = false;
};

/// The setters that every declaration has, returning its own type.
template <class Self>
class Documented : public Declaration {
 public:
  using Declaration::Declaration;
  /// One line for --describe and the READMEs.
  Self& doc(std::string text) {
    doc_ = std::move(text);
    return static_cast<Self&>(*this);
  }
  /// There is no default: the key must be written.
  Self& required() {
    required_ = true;
    return static_cast<Self&>(*this);
  }
};

/// All keys of one struct, in the order in which they were declared.
class Parameters {
 public:
  Parameters() = default;
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;

  /// One value of a type with a ScalarType, or a std::optional of one (nothing by default).
  template <class T>
  Scalar<T>& add(std::string key, T& value) {
    return emplace<Scalar<T>>(std::move(key), value);
  }
  /// One of some named values: an enum's, or anything else with ==.
  template <class T>
  Choice<T>& choice(std::string key, T& value, std::vector<std::pair<std::string, T>> names) {
    return emplace<Choice<T>>(std::move(key), value, std::move(names));
  }
  /// Keys of a struct of its own.
  template <class T>
  Group& group(std::string key, T& config);
  /// A list of scalars or structs. One that is written replaces the default list.
  template <class T>
  List<T>& list(std::string key, std::vector<T>& values) {
    return emplace<List<T>>(std::move(key), values);
  }
  /// Structs by name (identifiers). One that is written replaces the default map.
  template <class T>
  Map<T>& map(std::string key, std::map<std::string, T>& values) {
    return emplace<Map<T>>(std::move(key), values);
  }
  /// Runs after binding, also if no key was written. For conditions on more than one key.
  void check(std::function<void(const Bound&)> condition) {
    checks_.push_back(std::move(condition));
  }
  /// Keeps the place of the struct, for messages after binding.
  void where(Mark& mark) { where_.push_back(&mark); }

  void bind(const Node& map, const Scope& scope) const;
  Node dump() const;
  void describe(const std::string& prefix, std::vector<ParameterRow>& rows) const;
  std::vector<std::string> keys() const;

 private:
  template <class D, class... Args>
  D& emplace(std::string key, Args&&... args) {
    check_key(key);
    auto declaration = std::make_unique<D>(std::move(key), std::forward<Args>(args)...);
    D& reference = *declaration;
    declarations_.push_back(std::move(declaration));
    return reference;
  }
  void check_key(const std::string& key) const;
  const Declaration* find(const std::string& key) const;
  [[noreturn]] void refuse_key(const Member& member, const Scope& scope) const;

  std::vector<std::unique_ptr<Declaration>> declarations_;
  std::vector<std::function<void(const Bound&)>> checks_;
  std::vector<Mark*> where_;
};

/// Binds a configuration over the defaults in `config`. Throws ConfigError at the first thing that
/// is wrong; `config` is then half bound.
template <class T>
void bind_config(const Node& root, T& config) {
  Parameters parameters;
  config.declare(parameters);
  parameters.bind(root, {"", &parameters});
}

/// All values, defaults included, in declared order: binding it gives an equal struct.
template <class T>
Node dump_config(T config) {
  Parameters parameters;
  config.declare(parameters);
  return parameters.dump();
}

/// All keys; `config` holds the defaults to show.
template <class T>
std::vector<ParameterRow> describe_config(T config = {}) {
  Parameters parameters;
  config.declare(parameters);
  std::vector<ParameterRow> rows;
  parameters.describe("", rows);
  return rows;
}

/// True for [a-z][a-z0-9_]*, at most 64 characters.
bool is_identifier(const std::string& name);

}  // namespace railyard

#include "tlm/config/declarations.h"  // IWYU pragma: export
