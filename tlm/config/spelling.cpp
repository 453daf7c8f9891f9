#include "tlm/config/spelling.h"

#include <algorithm>
#include <cctype>

namespace railyard {

namespace {

constexpr std::size_t kLongestWord = 64;  // nobody misspells a longer one; bounds the table
constexpr std::size_t kMostListed = 16;

std::string folded(const std::string& word) {
  std::string text = word;
  for (char& c : text) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

}  // namespace

std::size_t spelling_distance(const std::string& a_raw, const std::string& b_raw) {
  const std::string a = folded(a_raw);
  const std::string b = folded(b_raw);
  // Rows of the Damerau-Levenshtein table (optimal string alignment): i-2, i-1, i.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

std::string nearest_word(const std::string& word, const std::vector<std::string>& words) {
  if (word.size() > kLongestWord) return "";
  std::size_t best = std::max<std::size_t>(1, word.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : words) {
    // The lengths' difference is a lower bound: most candidates need no table.
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= best) continue;
    const std::size_t distance = spelling_distance(word, candidate);
    if (distance < best && distance < longer) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string suggest(const std::string& word, const std::vector<std::string>& words,
                    const std::string& otherwise) {
  const std::string nearest = nearest_word(word, words);
  std::string text = nearest.empty() ? "" : "did you mean \"" + nearest + "\"?";
  if (words.empty() || words.size() > kMostListed) return text.empty() ? otherwise : text;
  text += text.empty() ? "accepted: " : " Accepted: ";
  for (const std::string& accepted : words) {
    text += (&accepted == &words.front() ? "" : ", ") + accepted;
  }
  return text;
}

}  // namespace railyard
