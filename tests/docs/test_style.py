"""The house rules that neither the compiler nor clang-tidy knows."""

import re
import unittest

import tree

LINES = 400
MAY_BE_LONGER = {}  # file: the reason
MODELS = ('tlm/', 'rtl/', 'hw/', 'sw/')

# (what a line of code must not match, where it counts, what to do instead)
RULES = [
    (re.compile(r'\busing\s+namespace\b'), '', 'name what you use'),
    (re.compile(r'\bstd::(cout|cerr|clog)\b|\bf?printf\s*\('), MODELS,
     'a model reports through sc_report or a ConfigError'),
    (re.compile(r'\bs?rand\s*\(|\bstd::(random_device\b|\w+_distribution\b)'), '',
     'not the same on every machine: use the seeded streams of tlm/sim'),
    (re.compile(r'\bstd::mt19937'), MODELS, 'use the seeded streams of tlm/sim'),
]
# Debian's, Python's and others' servers: which one to ask is the machine's choice. Spelled so that
# this file does not name them.
SERVER = re.compile(r'\b(deb|security|snapshot|archive|ftp)(\.[a-z]+)?\.(debian|ubuntu)\.(org|com)\b'
                    r'|\bpypi\.org\b|\bpythonhosted\.org\b|\bregistry\.npmjs\b')
DOWNLOAD = re.compile(r'\b(FetchContent|ExternalProject)')


def broken_in_cxx(file, source):
    name, found = file.as_posix(), []
    if file.suffix == '.h' and not re.search(r'^#pragma once$', source, re.MULTILINE):
        found.append(f'{file}: no #pragma once')
    for _, header, line in tree.includes(source):
        if header == 'systemc.h':
            found.append(f'{file}:{line}: include <systemc>, not <systemc.h>')
    for number, line in enumerate(tree.code(source).splitlines(), 1):
        for rule, where, remedy in RULES:
            match = rule.search(line)
            if match and name.startswith(where):
                found.append(f'{file}:{number}: {match[0]}: {remedy}')
    return found


def broken(root):
    found = []
    for file in tree.files(root):
        try:
            source = tree.text(root, file)
        except UnicodeDecodeError:  # a picture
            continue
        if file.suffix in tree.CXX:
            found += broken_in_cxx(file, source)
        length = source.count('\n')
        if file.suffix in ('.h', '.cpp', '.sv', '.svh', '.py', '.sh') and length > LINES:
            if file.as_posix() not in MAY_BE_LONGER:
                found.append(f'{file}: {length} lines; past {LINES} it holds two things')
        for match in SERVER.finditer(source):
            found.append(f'{file}: names the package server {match[0]}')
        if file.suffix == '.cmake' or file.name == 'CMakeLists.txt':
            for match in DOWNLOAD.finditer(source):
                found.append(f'{file}: {match[0]}: a build downloads nothing')
    return found


class Style(tree.GuardTest):
    guard = broken

    def test_the_tree_keeps_the_house_rules(self):
        self.assert_clean()

    def test_each_broken_rule_is_found(self):
        for word, file, source in [
                ('pragma once', 'tlm/a.h', 'int a;\n'),
                ('using namespace', 'tests/a.cpp', 'using namespace std;\n'),
                ('std::cout', 'hw/nic/a.cpp', 'void f() { std::cout << 1; }\n'),
                ('printf', 'sw/ccl/a.cpp', 'void f() { std::printf("x"); }\n'),
                ('systemc.h', 'tests/a.cpp', '#include <systemc.h>\n'),
                ('rand', 'tests/a.cpp', 'int a = rand();\n'),
                ('std::random_device', 'hw/nic/a.cpp', 'std::random_device r;\n'),
                ('uniform_int_distribution', 'tests/a.cpp', 'std::uniform_int_distribution<> d;\n'),
                ('std::mt19937', 'hw/nic/a.cpp', 'std::mt19937 engine;\n'),
                ('401 lines', 'rtl/a.sv', '\n' * 401),
                ('package server', 'x.txt', 'http://deb.' + 'debian.org/debian\n'),
                ('FetchContent', 'CMakeLists.txt', 'include(FetchContent)\n')]:
            with self.subTest(word=word):
                self.assert_finds(word, {file: source})

    def test_words_in_comments_and_strings_are_no_code(self):
        self.assertEqual(self.found_in({'tlm/a.cpp': '''
            // using namespace std; std::cout
            const char* kText = "printf( rand()";
            int n = std::snprintf(nullptr, 0, "x");\n'''}), [])

    def test_a_program_may_print(self):
        self.assertEqual(self.found_in({'platforms/common/a.cpp': 'auto& o = std::cout;\n'}), [])


if __name__ == '__main__':
    unittest.main()
