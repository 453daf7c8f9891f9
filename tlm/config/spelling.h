// Which accepted word a person probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace railyard {

/// Edits (insert, delete, replace, swap of neighbours) between two words, letters' case aside and
/// '-' taken as '_'.
std::size_t spelling_distance(const std::string& a, const std::string& b);

/// The word nearest to `word`, or "" if none is near (a third of its letters may differ). Of words
/// as near, the first.
std::string nearest_word(const std::string& word, const std::vector<std::string>& words);

/// `did you mean "rate"?; accepted: a, b, c`, for a remedy. Of many words only the nearest is
/// named. `otherwise` if there is none to name.
std::string suggest(const std::string& word, const std::vector<std::string>& words,
                    const std::string& otherwise = "");

}  // namespace railyard
