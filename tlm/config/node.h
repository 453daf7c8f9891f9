// A configuration as it was read: scalars as text, sequences, maps in the order of the file, each
// with its place. It knows nothing of the file's format.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace railyard {

/// Where something was written. Line and column count from 1; line 0 means that the source has no
/// lines (a command-line argument).
struct Mark {
  std::shared_ptr<const std::string> source;
  int line = 0;
  int column = 0;

  /// "file:line:column", the source alone, or nothing.
  std::string place() const;
};

struct Member;

struct Node {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;             // kScalar
  bool quoted = false;          // kScalar: text even if it looks like a number
  std::vector<Node> items;      // kSequence
  std::vector<Member> members;  // kMap

  static Node scalar(std::string text, bool quoted);
  static Node of_kind(Kind kind);

  /// The value of a map's key, or null.
  const Node* find(const std::string& key) const;
  Member* find_member(const std::string& key);
};

/// A key of a map and its value.
struct Member {
  std::string key;
  Mark mark;
  Node value;
};

/// What a node is, for messages: `"5"`, `a list`, `a group of keys`, `nothing`.
std::string describe_value(const Node& node);

}  // namespace railyard
