#include "tests/waveforms/fst_reader.h"

#include <gtkwave/fstapi.h>

#include <memory>
#include <sstream>
#include <stdexcept>

namespace railyard::test {

namespace {

// "queue [31:0]" -> "queue"
std::string bare(const std::string& name) { return name.substr(0, name.find(' ')); }

std::string full(const std::vector<std::string>& scopes, const std::string& name) {
  std::string text;
  for (const std::string& scope : scopes) text += scope + '.';
  return text + bare(name);
}

struct Reading {
  Waves waves;
  std::map<std::uint32_t, std::vector<std::string>> names;  // of a handle; aliases share it
};

using EnumTable = std::map<std::string, std::string>;

EnumTable enum_table(const char* text) {
  fstETab* const table = fstUtilityExtractEnumTableFromString(text);
  EnumTable names;
  for (std::uint32_t i = 0; i < table->elem_count; ++i) {
    names[table->val_arr[i]] = table->literal_arr[i];
  }
  fstUtilityFreeEnumTable(table);
  return names;
}

void read_hierarchy(void* reader, Reading& reading) {
  std::vector<std::string> scopes;
  std::map<std::uint64_t, EnumTable> tables;
  std::uint64_t table = 0;  // of the next variable
  while (const fstHier* item = fstReaderIterateHier(reader)) {
    if (item->htyp == FST_HT_SCOPE) {
      scopes.emplace_back(item->u.scope.name);
    } else if (item->htyp == FST_HT_UPSCOPE) {
      scopes.pop_back();
    } else if (item->htyp == FST_HT_ATTRBEGIN && item->u.attr.typ == FST_AT_MISC) {
      const auto& attribute = item->u.attr;
      if (attribute.subtype == FST_MT_COMMENT) reading.waves.comments.emplace_back(attribute.name);
      if (attribute.subtype != FST_MT_ENUMTABLE) continue;
      if (attribute.name_length != 0) {
        tables[attribute.arg] = enum_table(attribute.name);
      } else {
        table = attribute.arg;
      }
    } else if (item->htyp == FST_HT_VAR) {
      const std::string name = full(scopes, item->u.var.name);
      reading.names[item->u.var.handle].push_back(name);
      reading.waves.changes[name];
      if (table != 0) reading.waves.enums[name] = tables.at(table);
      table = 0;
    }
  }
}

}  // namespace

std::string Waves::at(const std::string& name, std::uint64_t time) const {
  std::string value;
  for (const Change& change : changes.at(name)) {
    if (change.time > time) break;
    value = change.value;
  }
  return value;
}

Waves read_fst(const std::string& path) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(path.c_str()), fstReaderClose);
  if (reader == nullptr) throw std::runtime_error("not an FST: " + path);
  Reading reading;
  read_hierarchy(reader.get(), reading);
  reading.waves.end_time = fstReaderGetEndTime(reader.get());
  reading.waves.time_exponent = fstReaderGetTimescale(reader.get());
  fstReaderSetFacProcessMaskAll(reader.get());
  const auto on_change = [](void* user, std::uint64_t time, fstHandle handle,
                            const unsigned char* value) {
    auto& r = *static_cast<Reading*>(user);
    for (const std::string& name : r.names.at(handle)) {
      r.waves.changes[name].push_back({time, reinterpret_cast<const char*>(value)});
    }
  };
  fstReaderIterBlocks(reader.get(), on_change, &reading, nullptr);
  return reading.waves;
}

Waves parse_vcd(const std::string& text) {
  Waves waves;
  std::map<std::string, std::vector<std::pair<std::string, std::size_t>>> names;  // of a code
  std::vector<std::string> scopes;
  std::istringstream in(text);
  std::uint64_t time = 0;
  for (std::string word; in >> word;) {
    if (word == "$date" || word == "$version" || word == "$timescale" || word == "$comment") {
      while (word != "$end" && in >> word) {
      }
    } else if (word == "$scope") {
      in >> word >> word;
      scopes.push_back(word);
    } else if (word == "$upscope") {
      scopes.pop_back();
    } else if (word == "$var") {
      std::size_t width = 0;
      std::string kind;
      std::string code;
      in >> kind >> width >> code >> word;
      const std::string name = full(scopes, word);
      names[code].emplace_back(name, kind == "real" ? 0 : width);
      waves.changes[name];
    } else if (word[0] == '#') {
      time = waves.end_time = std::stoull(word.substr(1));
    } else if (word[0] == 'b' || word[0] == 'r') {
      const std::string value = word.substr(1);
      in >> word;
      for (const auto& [name, width] : names.at(word)) {
        const std::size_t missing = width > value.size() ? width - value.size() : 0;
        waves.changes[name].push_back({time, std::string(missing, '0') + value});
      }
    } else if (std::string("01xz").find(word[0]) != std::string::npos &&
               names.count(word.substr(1)) != 0) {
      for (const auto& name : names.at(word.substr(1))) {
        waves.changes[name.first].push_back({time, word.substr(0, 1)});
      }
    }
  }
  return waves;
}

std::string bits(std::uint64_t value, int width) {
  std::string text;
  for (int bit = width - 1; bit >= 0; --bit) text += (value >> bit & 1) != 0 ? '1' : '0';
  return text;
}

}  // namespace railyard::test
