// The kinds of declaration that Parameters makes: Scalar, Choice, Group, List, Map. Included by
// parameters.h alone.
#pragma once

#include <cstddef>
#include <limits>

namespace railyard {

namespace config_detail {

template <class T>
struct Unwrap {
  using type = T;
  static const T* get(const T& value) { return &value; }
};
template <class T>
struct Unwrap<std::optional<T>> {
  using type = T;
  static const T* get(const std::optional<T>& value) { return value ? &*value : nullptr; }
};

template <class T, class = void>
struct IsStruct : std::false_type {};
template <class T>
struct IsStruct<T, std::void_t<decltype(std::declval<T&>().declare(std::declval<Parameters&>()))>>
    : std::true_type {};

/// Throws unless `node` is a list of `min` to `max` elements.
void require_list(const Node& node, const Scope& scope, std::size_t min, std::size_t max);
/// Throws unless `node` is a map; `what` is what its keys are, `hint` which are accepted.
void require_map(const Node& node, const Scope& scope, const std::string& what,
                 const std::string& hint);
/// Throws unless a map's key can name something.
void require_name(const Member& member, const Scope& scope);
/// "2 to 8 elements", "" if any number is accepted.
std::string size_text(std::size_t min, std::size_t max);

/// Binds, dumps, describes a struct that lives elsewhere.
template <class T>
void bind_struct(const Node& node, const Scope& scope, T& value) {
  Parameters parameters;
  value.declare(parameters);
  parameters.bind(node, scope);
}
template <class T>
Node dump_struct(T& value) {
  Parameters parameters;
  value.declare(parameters);
  return parameters.dump();
}
template <class T>
void describe_struct(const std::string& prefix, std::vector<ParameterRow>& rows) {
  T value{};
  Parameters parameters;
  value.declare(parameters);
  parameters.describe(prefix, rows);
}

}  // namespace config_detail

/// Setters that restrict the values of a scalar or of a list's scalars. V is the value's type.
template <class Self, class V>
class Restricted : public Documented<Self> {
 public:
  using Documented<Self>::Documented;
  /// Both bounds included.
  Self& range(V min, V max) {
    return accept("is out of range", text(min) + " to " + text(max),
                  [=](const V& value) { return !(value < min) && !(max < value); });
  }
  Self& min(V min) {
    return accept("is too small", "at least " + text(min),
                  [=](const V& value) { return !(value < min); });
  }
  Self& max(V max) {
    return accept("is too large", "at most " + text(max),
                  [=](const V& value) { return !(max < value); });
  }
  /// Any other condition: accept("is not a power of two", "a power of two", ...).
  Self& accept(std::string problem, std::string accepted, std::function<bool(const V&)> holds) {
    rule_.accept(std::move(problem), std::move(accepted), std::move(holds));
    return static_cast<Self&>(*this);
  }

 protected:
  static std::string text(const V& value) { return ScalarType<V>::format(value); }

  ScalarRule<V> rule_;
};

template <class T>
class Scalar : public Restricted<Scalar<T>, typename config_detail::Unwrap<T>::type> {
  using Value = typename config_detail::Unwrap<T>::type;
  using Base = Restricted<Scalar<T>, Value>;

 public:
  Scalar(std::string key, T& target) : Base(std::move(key)), target_(target) {}

  void bind(const Node& node, const Scope& scope) override {
    target_ = this->rule_.read(node, scope.path);
  }
  std::optional<Node> dump() const override {
    const Value* value = config_detail::Unwrap<T>::get(target_);
    if (value == nullptr) return std::nullopt;
    return ScalarRule<Value>::dump(*value);
  }
  void describe(const std::string& path, std::vector<ParameterRow>& rows) const override {
    const Value* value = config_detail::Unwrap<T>::get(target_);
    rows.push_back(this->row(path, ScalarType<Value>::name(),
                             value == nullptr ? "none" : Base::text(*value),
                             this->rule_.accepted()));
  }

 private:
  T& target_;
};

template <class T>
class Choice : public Documented<Choice<T>> {
 public:
  Choice(std::string key, T& target, std::vector<std::pair<std::string, T>> names)
      : Documented<Choice<T>>(std::move(key)), target_(target), names_(std::move(names)) {}

  void bind(const Node& node, const Scope& scope) override {
    const std::string& text =
        scalar_text(node, scope.path, true, "word", names_.empty() ? "" : names_.front().first);
    for (const auto& [name, value] : names_) {
      if (name != text) continue;
      target_ = value;
      return;
    }
    throw ConfigError(node.mark.place(), scope.path + ": " + quoted(text) + " is not accepted",
                      suggest(text, words()));
  }
  std::optional<Node> dump() const override { return Node::scalar(current(), true); }
  void describe(const std::string& path, std::vector<ParameterRow>& rows) const override {
    std::string accepted;
    for (const std::string& word : words()) accepted += (accepted.empty() ? "" : " | ") + word;
    rows.push_back(this->row(path, "choice", current(), accepted));
  }

 private:
  std::vector<std::string> words() const {
    std::vector<std::string> words;
    for (const auto& named : names_) words.push_back(named.first);
    return words;
  }
  std::string current() const {
    for (const auto& [name, value] : names_) {
      if (value == target_) return name;
    }
    return "none";  // only a required choice may start from a value without a name
  }

  T& target_;
  std::vector<std::pair<std::string, T>> names_;
};

class Group : public Documented<Group> {
 public:
  using Documented<Group>::Documented;

  Parameters& parameters() { return parameters_; }

  void bind(const Node& node, const Scope& scope) override;
  void keep_default(const Node& parent, const Scope& scope) override;
  std::optional<Node> dump() const override { return parameters_.dump(); }
  void describe(const std::string& path, std::vector<ParameterRow>& rows) const override;

 private:
  Parameters parameters_;
};

template <class T>
Group& Parameters::group(std::string key, T& config) {
  Group& group = emplace<Group>(std::move(key));
  config.declare(group.parameters());
  return group;
}

/// What List adds for its elements: nothing for structs, the scalars' restrictions otherwise.
template <class T>
using ListBase = std::conditional_t<config_detail::IsStruct<T>::value, Documented<List<T>>,
                                    Restricted<List<T>, T>>;

template <class T>
class List : public ListBase<T> {
  static constexpr bool kStructs = config_detail::IsStruct<T>::value;

 public:
  List(std::string key, std::vector<T>& target) : ListBase<T>(std::move(key)), target_(target) {}

  /// How many elements are accepted.
  List& size(std::size_t min, std::size_t max = std::numeric_limits<std::size_t>::max()) {
    min_size_ = min;
    max_size_ = max;
    return *this;
  }

  void bind(const Node& node, const Scope& scope) override {
    config_detail::require_list(node, scope, min_size_, max_size_);
    std::vector<T> values;
    values.reserve(node.items.size());
    for (const Node& item : node.items) {
      const Scope element = scope.item(values.size());
      if constexpr (kStructs) {
        config_detail::bind_struct(item, element, values.emplace_back());
      } else {
        values.push_back(this->rule_.read(item, element.path));
      }
    }
    target_ = std::move(values);
  }

  std::optional<Node> dump() const override {
    Node list = Node::of_kind(Node::Kind::kSequence);
    for (std::size_t i = 0; i < target_.size(); ++i) {
      if constexpr (kStructs) {
        list.items.push_back(config_detail::dump_struct(target_[i]));
      } else {
        list.items.push_back(ScalarRule<T>::dump(target_[i]));
      }
    }
    return list;
  }

  void describe(const std::string& path, std::vector<ParameterRow>& rows) const override {
    std::string accepted = config_detail::size_text(min_size_, max_size_);
    if constexpr (kStructs) {
      const std::string fallback =
          target_.empty() ? "[]" : std::to_string(target_.size()) + " elements";
      rows.push_back(this->row(path, "list of groups", fallback, accepted));
      config_detail::describe_struct<T>(path + "[].", rows);
    } else {
      std::string fallback;
      for (const T& value : target_) {
        fallback += (fallback.empty() ? "" : ", ") + ScalarType<T>::format(value);
      }
      const std::string each = this->rule_.accepted();
      if (!each.empty()) accepted += (accepted.empty() ? "each " : ", each ") + each;
      rows.push_back(
          this->row(path, "list of " + ScalarType<T>::name(), "[" + fallback + "]", accepted));
    }
  }

 private:
  std::vector<T>& target_;
  std::size_t min_size_ = 0;
  std::size_t max_size_ = std::numeric_limits<std::size_t>::max();
};

template <class T>
class Map : public Documented<Map<T>> {
 public:
  Map(std::string key, std::map<std::string, T>& target)
      : Documented<Map<T>>(std::move(key)), target_(target) {}

  void bind(const Node& node, const Scope& scope) override {
    config_detail::require_map(node, scope, "names", "");
    std::map<std::string, T> values;
    for (const Member& member : node.members) {
      config_detail::require_name(member, scope);
      config_detail::bind_struct(member.value, scope.member(member.key), values[member.key]);
    }
    target_ = std::move(values);
  }

  std::optional<Node> dump() const override {
    Node map = Node::of_kind(Node::Kind::kMap);
    for (auto& [name, value] : target_) {
      map.members.push_back({name, {}, config_detail::dump_struct(value)});
    }
    return map;
  }

  void describe(const std::string& path, std::vector<ParameterRow>& rows) const override {
    const std::string fallback =
        target_.empty() ? "{}" : std::to_string(target_.size()) + " entries";
    rows.push_back(this->row(path, "groups by name", fallback, ""));
    config_detail::describe_struct<T>(path + ".<name>.", rows);
  }

 private:
  std::map<std::string, T>& target_;
};

}  // namespace railyard
