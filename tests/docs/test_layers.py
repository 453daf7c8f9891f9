"""Which folder may include what: the table of the architecture, and no cycles."""

import unittest

import tree

# Of ours, beside the folder itself. A name that ends in / is a folder, any other one file.
BASE = ['tlm/', 'rtl/model/', 'rtl/verilated/']
MEMORY = ['hw/hbm/', 'hw/pcie/']
MAY_INCLUDE = {
    'tlm': [],
    'rtl/model': [],
    'rtl/verilated': ['rtl/model/'],
    'hw/congestion': BASE,
    'hw/hbm': BASE,
    'hw/pcie': BASE,
    'hw/nvswitch': BASE,
    'hw/eth_switch': BASE + ['hw/congestion/'],
    'hw/tester': BASE + ['hw/congestion/'],
    'hw/gpu': BASE + MEMORY,
    'hw/nic': BASE + MEMORY + ['hw/congestion/'],
    'hw/host': BASE + MEMORY,
    'sw': ['tlm/', 'hw/nic/nic_abi.h', 'hw/gpu/gpu_abi.h'],
    'waveforms': ['tlm/'],
    'platforms': ['tlm/', 'rtl/', 'hw/', 'sw/', 'waveforms/', 'platforms/common/'],
    'tests': ['tlm/', 'rtl/', 'hw/', 'sw/', 'waveforms/', 'platforms/'],
}

STANDARD = set('''
algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio
cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem forward_list
fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator limits list
locale map memory memory_resource mutex new numeric optional ostream queue random ratio regex
scoped_allocator set shared_mutex sstream stack stdexcept streambuf string string_view system_error
thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant
vector'''.split())
SYSTEMC = ('systemc', 'tlm', 'tlm_utils/')
VERILATOR = ('verilated', 'V')  # its runtime, and the classes that it generates
POSIX = ('dlfcn.h', 'unistd.h')  # to load programs
# Of third parties, beside the standard library; a folder that is not named takes what it wants.
THIRD_PARTY = {
    'tlm': SYSTEMC,
    'rtl': VERILATOR,
    'hw': SYSTEMC,
    'sw': SYSTEMC + POSIX + ('infiniband/',),
}
TOP = ('tlm', 'rtl', 'hw', 'sw', 'platforms', 'waveforms', 'tests')


def home(file):
    """The row of the table that a file belongs to, or None."""
    parts = file.parts
    for row in ('/'.join(parts[:2]), parts[0]):
        if row in MAY_INCLUDE:
            return row
    return None


def allowed(file, target):
    """Whether a file may include a target of ours."""
    row = home(file)
    own = row + '/'
    if row == 'platforms':
        own = '/'.join(file.parts[:2]) + '/'
    return any(target.startswith(a) if a.endswith('/') else target == a
               for a in [own, *MAY_INCLUDE[row]])


def allowed_third_party(file, name):
    if name in STANDARD or file.parts[0] not in THIRD_PARTY:
        return True
    return any(name == a or name.startswith(a) and a not in ('systemc', 'tlm')
               for a in THIRD_PARTY[file.parts[0]])


def arrows(root):
    """(file, line, bracket, name) of every #include."""
    for file in tree.files(root, tree.CXX):
        for bracket, name, line in tree.includes(tree.text(root, file)):
            yield file, line, bracket, name


def forbidden(root):
    found = []
    for file, line, bracket, name in arrows(root):
        ours = name.split('/')[0] in TOP and '/' in name
        if home(file) is None:
            found.append(f'{file}: a folder that the table does not know')
        elif ours and not allowed(file, name):
            found.append(f'{file}:{line}: {home(file)} may not include {name}')
        elif not ours and not allowed_third_party(file, name):
            found.append(f'{file}:{line}: {file.parts[0]} may not include third-party {name}')
    return found


def cycle(graph):
    """One cycle of a {node: set of nodes} as a list, or None."""
    done, path = set(), []

    def walk(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        for target in sorted(graph.get(node, ())):
            found = walk(target)
            if found:
                return found
        done.add(path.pop())
        return None

    return next((c for c in map(walk, sorted(graph)) if c), None)


def folder_of(name):
    """The CMake target's folder; tlm/ is one."""
    parts = name.split('/')
    return parts[0] if parts[0] in ('tlm', 'tests') else '/'.join(parts[:-1][:2])


def cycles(root):
    of_files, of_folders = {}, {}
    for file, _, _, name in arrows(root):
        if name.split('/')[0] not in TOP or '/' not in name:
            continue
        of_files.setdefault(file.as_posix(), set()).add(name)
        source, target = folder_of(file.as_posix()), folder_of(name)
        if source != target:
            of_folders.setdefault(source, set()).add(target)
    return ['a cycle: ' + ' -> '.join(c) for c in map(cycle, (of_files, of_folders)) if c]


class Layers(tree.GuardTest):
    guard = forbidden

    def test_no_folder_includes_what_the_table_forbids(self):
        self.assert_clean()

    def test_each_forbidden_arrow_is_found(self):
        for file, name in [
                ('tlm/base/a.h', 'hw/nic/nic.h'), ('rtl/model/a.h', 'tlm/base/time.h'),
                ('hw/hbm/a.cpp', 'hw/pcie/pcie.h'), ('hw/gpu/a.cpp', 'hw/congestion/a.h'),
                ('hw/eth_switch/a.h', 'hw/nic/nic.h'), ('sw/verbs/a.h', 'hw/nic/nic.h'),
                ('waveforms/a.cpp', 'hw/nic/nic.h'), ('hw/nic/a.h', 'waveforms/fst.h'),
                ('platforms/link/a.cpp', 'platforms/incast/a.h'), ('hw/nic/a.h', 'tests/support/a.h')]:
            with self.subTest(file=file, name=name):
                self.assert_finds(name, {file: f'#include "{name}"\n'})

    def test_each_allowed_arrow_is_accepted(self):
        for file, name in [
                ('tlm/link/a.h', 'tlm/base/time.h'), ('hw/nic/a.h', 'hw/congestion/a.h'),
                ('hw/nic/a.h', 'hw/pcie/a.h'), ('hw/tester/a.h', 'rtl/model/a.h'),
                ('sw/driver/a.h', 'hw/nic/nic_abi.h'), ('sw/ccl/a.h', 'sw/verbs/a.h'),
                ('platforms/link/a.cpp', 'platforms/common/a.h'),
                ('platforms/common/a.cpp', 'waveforms/fst.h'), ('tests/tlm/a.cpp', 'hw/nic/a.h')]:
            with self.subTest(file=file, name=name):
                self.assertEqual(self.found_in({file: f'#include "{name}"\n'}), [])

    def test_third_party_headers_are_bounded(self):
        for file, name in [('tlm/a.h', 'fmt/core.h'), ('rtl/model/a.h', 'systemc'),
                           ('hw/nic/a.h', 'infiniband/verbs.h'), ('hw/nic/a.h', 'verilated.h'),
                           ('tlm/a.h', 'systemc.h'), ('tlm/a.h', 'unistd.h')]:
            with self.subTest(file=file, name=name):
                self.assert_finds(name, {file: f'#include <{name}>\n'})
        for file, name in [('tlm/a.h', 'tlm_utils/passthrough_target_socket.h'), ('tlm/a.h', 'tlm'),
                           ('rtl/verilated/a.cpp', 'Vdcqcn.h'), ('sw/a.h', 'infiniband/verbs.h'),
                           ('waveforms/a.cpp', 'verilated_fst_c.h'), ('hw/nic/a.h', 'systemc')]:
            with self.subTest(file=file, name=name):
                self.assertEqual(self.found_in({file: f'#include <{name}>\n'}), [])

    def test_a_folder_without_a_row_is_found(self):
        self.assert_finds('hw/tpu', {'hw/tpu/a.h': '#include <vector>\n'})
        self.assert_finds('extra', {'extra/a.h': '#include <vector>\n'})


class Cycles(tree.GuardTest):
    guard = cycles

    def test_nothing_includes_itself_through_others(self):
        self.assert_clean()

    def test_a_cycle_of_files_is_found(self):
        self.assert_finds('tlm/a/x.h -> tlm/b/y.h -> tlm/a/x.h', {
            'tlm/a/x.h': '#include "tlm/b/y.h"\n', 'tlm/b/y.h': '#include "tlm/a/x.h"\n'})

    def test_a_cycle_of_folders_is_found(self):
        self.assert_finds('hw/nic -> hw/pcie -> hw/nic', {
            'hw/nic/a.h': '#include "hw/pcie/a.h"\n', 'hw/pcie/b.h': '#include "hw/nic/b.h"\n'})


if __name__ == '__main__':
    unittest.main()
