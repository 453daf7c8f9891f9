"""Headers that take seconds to compile stay in the few .cpp files that need them."""

import re
import unittest

import tree

HEAVY = [  # what, where a .cpp file may include it
    (re.compile(r'(yaml-cpp|CLI|spdlog|fmt|nlohmann)/'),
     ('platforms/common/', 'waveforms/', 'tests/')),
    (re.compile(r'verilated'), ('waveforms/', 'rtl/verilated/', 'tests/')),
]


def misplaced(root):
    found = []
    for file in tree.files(root, tree.CXX):
        for _, name, line in tree.includes(tree.text(root, file)):
            for heavy, folders in HEAVY:
                if not heavy.match(name):
                    continue
                if file.suffix != '.cpp' or not file.as_posix().startswith(folders):
                    found.append(f'{file}:{line}: {name} belongs into .cpp files of {folders}')
    return found


class HeavyHeaders(tree.GuardTest):
    guard = misplaced

    def test_heavy_headers_stay_where_they_are_needed(self):
        self.assert_clean()

    def test_a_heavy_header_in_a_header_is_found(self):
        self.assert_finds('fmt', {'waveforms/a.h': '#include <fmt/core.h>\n'})
        self.assert_finds('verilated', {'rtl/verilated/a.h': '#include "verilated.h"\n'})

    def test_a_heavy_header_in_another_folder_is_found(self):
        for name in ('yaml-cpp/yaml.h', 'CLI/CLI.hpp', 'spdlog/spdlog.h', 'nlohmann/json.hpp'):
            self.assert_finds(name, {'platforms/link/main.cpp': f'#include <{name}>\n'})
        self.assert_finds('verilated.h', {'hw/nic/a.cpp': '#include <verilated.h>\n'})

    def test_a_heavy_header_in_its_place_is_accepted(self):
        self.assertEqual(self.found_in({
            'platforms/common/a.cpp': '#include <CLI/CLI.hpp>\n#include <yaml-cpp/yaml.h>\n',
            'waveforms/a.cpp': '#include <verilated_fst_c.h>\n#include <nlohmann/json.hpp>\n'}), [])


if __name__ == '__main__':
    unittest.main()
