#include "platforms/common/yaml_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

#include "platforms/common/text_check.h"
#include "tlm/base/error.h"
#include "tlm/base/format.h"

namespace railyard {

namespace {

constexpr std::size_t kMaxFileBytes = 16'000'000;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kPathShown = 256;  // characters of it in a message
constexpr std::size_t kMaxValues = 1'000'000;
constexpr char kAliasProblem[] = "aliases (*name) are not accepted";
constexpr char kAliasRemedy[] = "write the value out, or quote the text";

/// Builds the tree from yaml-cpp's events, which still show what its Node hides: duplicate keys,
/// aliases, tags.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& source)
      : text_(text), source_(std::make_shared<const std::string>(source)) {}

  bool has_document() const { return has_document_; }
  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (has_document_) {
      refuse(mark, "a second document, or text after the end of the first, begins here",
             "keep one document a file");
    }
    has_document_ = true;
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    check_properties(mark, "", anchor);
    add(leaf(Node::Kind::kNull, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse(mark, kAliasProblem, kAliasRemedy);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_properties(mark, tag, anchor);
    Node node = leaf(Node::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";  // yaml-cpp's mark of a scalar in quotes or of a block scalar
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override {
    refuse_duplicates(stack_.back().node);
    close();
  }

 private:
  struct Level {
    Node node;
    bool has_key = false;  // kMap: members.back() still waits for its value
  };

  Mark mark_of(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& problem,
                           const std::string& remedy) const {
    throw ConfigError(mark_of(mark).place(), problem, remedy);
  }

  void check_properties(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    const auto at = static_cast<std::size_t>(mark.pos);
    const char first = at < text_.size() ? text_[at] : ' ';
    if (first == '&' || anchor != 0) {
      refuse(mark, "anchors (&name) are not accepted", "write the value out, or quote the text");
    }
    if (first == '!' || (!tag.empty() && tag != "?" && tag != "!")) {
      refuse(mark, "tags (!name) are not accepted", "write the plain value, or quote the text");
    }
  }

  Node leaf(Node::Kind kind, const YAML::Mark& mark) {
    if (++values_ > kMaxValues) {
      refuse(mark, "more than 1,000,000 values", "split the configuration");
    }
    Node node = Node::of_kind(kind);
    node.mark = mark_of(mark);
    return node;
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    check_properties(mark, tag, anchor);
    if (stack_.size() == kMaxDepth) {
      refuse(mark, "more than 32 levels of nesting", "no parameter lies that deep");
    }
    stack_.push_back({leaf(kind, mark)});
  }

  void close() {
    Node node = std::move(stack_.back().node);
    stack_.pop_back();
    add(std::move(node));
  }

  void add(Node node) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Level& level = stack_.back();
    if (level.node.kind == Node::Kind::kSequence) {
      level.node.items.push_back(std::move(node));
    } else if (level.has_key) {
      Member& member = level.node.members.back();
      // yaml-cpp places a value that is not written at whatever follows, which may be far below.
      const bool below = node.mark.line > member.mark.line;
      if (below && node.kind == Node::Kind::kNull) node.mark = member.mark;
      member.value = std::move(node);
      level.has_key = false;
    } else {
      add_key(level, std::move(node));
    }
  }

  void add_key(Level& level, Node node) {
    if (node.kind != Node::Kind::kScalar) {
      throw ConfigError(node.mark.place(), "a key is " + describe_value(node),
                        "write a plain word before the colon");
    }
    if (node.text == "<<" && !node.quoted) {
      throw ConfigError(node.mark.place(), "merge keys (<<) are not accepted",
                        "write the merged keys out");
    }
    level.node.members.push_back({std::move(node.text), std::move(node.mark), {}});
    level.has_key = true;
  }

  /// The first repetition in the order of the file.
  static void refuse_duplicates(const Node& map) {
    const std::vector<Member>& members = map.members;
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return members[a].key < members[b].key; });
    const auto twin = std::adjacent_find(order.begin(), order.end(), [&](auto a, auto b) {
      return members[a].key == members[b].key;
    });
    if (twin == order.end()) return;
    const Member& first = members[*twin];
    const Member& second = members[*(twin + 1)];
    throw ConfigError(second.mark.place(),
                      "key " + quoted(second.key) + " was already written at line " +
                          std::to_string(first.mark.line) + ", column " +
                          std::to_string(first.mark.column),
                      "keep one of the two");
  }

  const std::string& text_;
  std::shared_ptr<const std::string> source_;
  std::vector<Level> stack_;
  Node root_;
  std::size_t values_ = 0;
  bool has_document_ = false;
};

/// True if a tab is in the white space that begins the line of `mark`.
bool indented_by_tab(const std::string& text, const YAML::Mark& mark) {
  if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) > text.size()) return false;
  const auto at = static_cast<std::size_t>(mark.pos);
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::size_t end = text.find_first_not_of(" \t", begin);
  return text.substr(begin, end - begin).find('\t') != std::string::npos;
}

/// The whole of an open file of at most kMaxFileBytes.
std::string read_all(int file, const std::string& place) {
  std::string text;
  std::vector<char> block(1 << 16);
  for (;;) {
    const ssize_t count = ::read(file, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw ConfigError(place, std::string("cannot be read: ") + std::strerror(errno),
                        "name a YAML file");
    }
    if (count == 0) return text;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > kMaxFileBytes) {
      throw ConfigError(place, "is larger than 16 MB", "name a YAML file of at most 16 MB");
    }
  }
}

/// Closes a file descriptor.
struct File {
  int descriptor;
  explicit File(int fd) : descriptor(fd) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

void check_regular(const struct stat& info, const std::string& place) {
  if (S_ISDIR(info.st_mode)) throw ConfigError(place, "is a directory", "name a YAML file in it");
  if (!S_ISREG(info.st_mode)) throw ConfigError(place, "is not a regular file", "name a YAML file");
  if (static_cast<std::size_t>(info.st_size) > kMaxFileBytes) {
    throw ConfigError(place, "is larger than 16 MB", "name a YAML file of at most 16 MB");
  }
}

std::string read_file(const std::string& path, const std::string& place) {
  // stat comes first: opening a device or a FIFO can already have an effect.
  struct stat info = {};
  const bool terminated = path.find('\0') == std::string::npos;
  if (!terminated || ::stat(path.c_str(), &info) != 0) {
    throw ConfigError(place,
                      "cannot be opened: " +
                          std::string(terminated ? std::strerror(errno) : "a NUL byte in its name"),
                      "name a YAML file that exists");
  }
  check_regular(info, place);
  const File file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.descriptor < 0 || ::fstat(file.descriptor, &info) != 0) {
    throw ConfigError(place, std::string("cannot be opened: ") + std::strerror(errno),
                      "name a YAML file that can be read");
  }
  check_regular(info, place);
  return read_all(file.descriptor, place);
}

}  // namespace

Node read_yaml_value(const std::string& text, const std::string& source) {
  check_text(text, source);
  std::istringstream stream(text);
  TreeBuilder builder(text, source);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const Mark mark{std::make_shared<const std::string>(source), error.mark.line + 1,
                    error.mark.column + 1};
    if (error.msg == YAML::ErrorMsg::UNKNOWN_ANCHOR) {
      throw ConfigError(mark.place(), kAliasProblem, kAliasRemedy);
    }
    throw ConfigError(error.mark.is_null() ? source : mark.place(),
                      "not valid YAML: " + printable(error.msg, 200),
                      indented_by_tab(text, error.mark)
                          ? "indent with spaces, not with tabs"
                          : "look for a missing quote, bracket, colon or space before this place");
  }
  return builder.take();
}

Node read_yaml_text(const std::string& text, const std::string& source) {
  const std::string place = printable(source, kPathShown);
  Node root = read_yaml_value(normalised(text), place);
  if (root.kind == Node::Kind::kNull) {
    throw ConfigError(place, "holds no configuration", "write {} to take every default");
  }
  if (root.kind != Node::Kind::kMap) {
    throw ConfigError(root.mark.place(), "the document is " + describe_value(root),
                      "write keys and values, such as \"seed: 1\", with a space after the colon");
  }
  if (root.find("schema") != nullptr && root.find("config") != nullptr) {
    Node config = std::move(root.find_member("config")->value);
    return config;
  }
  return root;
}

Node read_yaml_file(const std::string& path) {
  const std::string place = path.empty() ? "\"\"" : printable(path, kPathShown);
  return read_yaml_text(read_file(path, place), place);
}

}  // namespace railyard
