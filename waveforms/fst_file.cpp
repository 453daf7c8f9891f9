#include "waveforms/fst_file.h"

#include <gtkwave/fstapi.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace railyard {

namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw std::runtime_error("cannot " + what + " " + path);
}

}  // namespace

void check_fst(const std::string& path) {
  // Blocks: a type, then a big-endian length that counts itself. The hierarchy comes last.
  std::ifstream file(path, std::ios::binary);
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(file.tellg());
  std::uint64_t at = 0;
  int type = -1;
  while (file.good() && at < size) {
    file.seekg(static_cast<std::streamoff>(at));
    type = file.get();
    std::uint64_t length = 0;
    for (int i = 0; i < 8; ++i) length = length << 8 | static_cast<unsigned char>(file.get());
    at += 1 + length;
  }
  const bool ends_with_hierarchy =
      type == FST_BL_HIER || type == FST_BL_HIER_LZ4 || type == FST_BL_HIER_LZ4DUO;
  if (!file.good() || at != size || !ends_with_hierarchy) fail("finish", path);
}

void convert_fst_to_vcd(const std::string& fst, const std::string& vcd) {
  const std::unique_ptr<void, void (*)(void*)> reader(fstReaderOpen(fst.c_str()), fstReaderClose);
  if (reader == nullptr) fail("read", fst);
  std::FILE* const out = std::fopen(vcd.c_str(), "w");
  if (out == nullptr) fail("write", vcd + ": " + std::strerror(errno));
  fstReaderProcessHier(reader.get(), out);
  fstReaderSetFacProcessMaskAll(reader.get());
  fstReaderIterBlocks(reader.get(), nullptr, nullptr, out);
  const bool failed = std::ferror(out) != 0;
  if (std::fclose(out) != 0 || failed) fail("write", vcd);
}

}  // namespace railyard
