"""A stimulus or a key that is wrong is refused before anything runs: exit code 2, one line with file,
line, column and remedy, and no file made or changed."""

import os
import tempfile
import unittest

import cc_block_case  # noqa: F401: finds the support folder
from refusals import Bench, Mutant, refused

GOOD = 'block: pfc_gen\nstimulus: s.csv\nresponse: r.csv\n'
NP = 'block: dcqcn_np\nstimulus: s.csv\n'
CE = 'cycle,ce_index_i\n0,15\n'
ROWS = 'cycle,enable_i,depth_i[3],tx_ready_i\n0,0x08,10,0\n5,,11,1!\n'
COLUMNS = 'Accepted: cycle, refresh_i, enable_i, depth_i[0] to depth_i[7], '


def with_file(content):
    def prepare(folder):
        if content is not None:
            (folder / 's.csv').write_bytes(content if isinstance(content, bytes)
                                           else content.encode())
    return prepare


def stimulus(name, content, *says):
    return Mutant(name, GOOD.encode(), says=says, prepare=with_file(content))


def keys(name, config, *says, place='', content=ROWS):
    return Mutant(name, config.encode(), says=says, place=place, prepare=with_file(content))


def giant(folder):
    with open(folder / 's.csv', 'wb') as file:
        file.write(b'cycle,enable_i\n')
        file.truncate(16_000_001)


HEAD = 'cycle,enable_i,depth_i[3]\n'
STIMULI = [
    stimulus('empty', '', 's.csv: is empty', 'cycle, refresh_i'),
    stimulus('comments alone', '# nothing\n\n', 's.csv: is empty'),
    stimulus('header alone', HEAD, 's.csv: holds no rows'),
    stimulus('no cycle', 'enable_i\n1\n', 's.csv:1:1: the first column is "enable_i", not cycle'),
    stimulus('cycle not first', 'enable_i,cycle\n1,2\n', 's.csv:1:1:'),
    stimulus('unknown column', 'cycle, enabel_i\n0,1\n', 's.csv:1:8: pfc_gen has no input "enabel_i"',
             'did you mean "enable_i"?', COLUMNS),
    stimulus('an output', 'cycle,tx_valid_o\n0,1\n', 's.csv:1:7:', 'has no input'),
    stimulus('an array', 'cycle,depth_i\n0,1\n', 's.csv:1:7:', COLUMNS),
    stimulus('beyond an array', 'cycle,depth_i[8]\n0,1\n', 's.csv:1:7:', 'did you mean "depth_i['),
    stimulus('time', 'cycle,enable_i,now_i\n0,1,1\n', 's.csv:1:16: now_i is the cycle'),
    stimulus('no name', 'cycle,enable_i,\n0,1,\n', 's.csv:1:16:', 'no input ""'),
    stimulus('twice', 'cycle,enable_i,enable_i\n0,1,1\n', 's.csv:1:16:', 'there twice'),
    stimulus('cycle twice', 'cycle,cycle\n0,1\n', 's.csv:1:7:'),
    stimulus('too wide', HEAD + '0,256,1\n', 's.csv:2:3: enable_i: "256" is too large for 8 bits',
             'accepted: 0 to 255'),
    stimulus('too wide in hex', HEAD + '0,0x100,1\n', 's.csv:2:3:', 'accepted: 0 to 255'),
    stimulus('too wide a bit', 'cycle,clear_i\n0,2\n', 's.csv:2:3:', 'too large for 1 bit;'),
    stimulus('too wide a pulse', HEAD + '0,256!,1\n', 's.csv:2:3:', 'accepted: 0 to 255'),
    stimulus('more than 64 bits', HEAD + '0,0x10000000000000000,1\n', 's.csv:2:3:', 'too large'),
    stimulus('a long decimal', HEAD + f'0,{"9" * 5000},1\n', 's.csv:2:3:'),
    stimulus('negative', HEAD + '0,-1,1\n', 's.csv:2:3: enable_i:'),
    stimulus('a fraction', HEAD + '0,1.5,1\n', 's.csv:2:3:'),
    stimulus('a word', HEAD + '0,x,1\n', 's.csv:2:3:'),
    stimulus('octal', HEAD + '0,010,1\n', 's.csv:2:3:'),
    stimulus('binary', HEAD + '0,0b1,1\n', 's.csv:2:3:'),
    stimulus('hex without digits', HEAD + '0,0x,1\n', 's.csv:2:3:', 'no hexadecimal number'),
    stimulus('hex with others', HEAD + '0,0xfg,1\n', 's.csv:2:3:', 'no hexadecimal number'),
    stimulus('a pulse of nothing', HEAD + '0,!,1\n', 's.csv:2:3:'),
    stimulus('a pulse of a pulse', HEAD + '0,1!!,1\n', 's.csv:2:3:'),
    stimulus('no cycle in a row', HEAD + ',1,1\n', 's.csv:2:1: cycle:'),
    stimulus('a pulsed cycle', HEAD + '0!,1,1\n', 's.csv:2:1: cycle:'),
    stimulus('the same cycle', HEAD + '3,1,1\n3,1,1\n', 's.csv:3:1: cycle 3 is not after 3'),
    stimulus('back in time', HEAD + '3,1,1\n# x\n\n2,1,1\n', 's.csv:5:1: cycle 2 is not after 3'),
    stimulus('too late', HEAD + '1000000000000,1,1\n', 's.csv:2:1: cycle:', 'is too large'),
    stimulus('too many fields', HEAD + '0,1,1, 7\n', 's.csv:2:8: 4 fields', '3 columns'),
    stimulus('too few fields', HEAD + '0,1\n', 's.csv:2:3: 2 fields', '3 columns'),
    stimulus('a quoted field', HEAD + '0,"1",1\n', 's.csv:2:3:'),
    stimulus('not ASCII', HEAD + '0,1\u00b2,1\n', 's.csv:2:4: a byte that is no printable ASCII'),
    stimulus('a zero byte', b'cycle\x00\n', 's.csv:1:6:'),
    stimulus('a lone CR', HEAD + '0,1\r,1\n', 's.csv:2:4:'),
    stimulus('no file', None, 'there is no file'),
    Mutant('a folder', GOOD.encode(), says=('there is no file',),
           prepare=lambda folder: (folder / 's.csv').mkdir()),
    Mutant('a FIFO', GOOD.encode(), says=('there is no file',),
           prepare=lambda folder: os.mkfifo(folder / 's.csv')),
    Mutant('giant', GOOD.encode(), says=('s.csv: is larger than 16 MB',), prepare=giant),
    Mutant('no right to read', GOOD.encode(), says=('s.csv: cannot be read',), ordinary_user=True,
           prepare=lambda folder: (with_file(ROWS)(folder), (folder / 's.csv').chmod(0))),
]
KEYS = [
    keys('unknown block', 'block: pfc_gne\n', 'did you mean "pfc_gen"?', place='c.yaml:1:8'),
    keys('unknown engine', GOOD + 'congestion: {engine: rtll}\n', 'did you mean "rtl"?',
         place='c.yaml:4:22'),
    keys('unknown clocking', GOOD + 'congestion: {clocking: free}\n', 'gated',
         place='c.yaml:4:24'),
    keys('clocking outside its group', GOOD + 'clocking: gated\n', 'clocking', place='c.yaml:4:1'),
    keys('another block\'s stimulus', GOOD.replace('pfc_gen', 'pfc_rx'),
         's.csv:1:16: pfc_rx has no input "depth_i[3]"'),
    keys('a row behind the end', GOOD + 'cycles: 5\n', 'row for cycle 5 (', 's.csv:3:1)',
         'write at least 6', place='c.yaml:4:9'),
    keys('no cycles', GOOD + 'cycles: 0\n', place='c.yaml:4:9'),
    keys('a clock of no period', GOOD + 'clock: 0ps\n', place='c.yaml:4:8'),
    keys('a response that is no CSV', GOOD.replace('r.csv', 'r.txt'), '.csv', place='c.yaml:3:11'),
    keys('a response in no folder', GOOD.replace('r.csv', 'none/r.csv'), 'cannot write',
         place='c.yaml:3:11'),
    keys('a response that is the stimulus', GOOD.replace('r.csv', './s.csv'), 'it is the stimulus',
         place='c.yaml:3:11'),
    keys('contexts of a block without', GOOD + 'contexts: 256\n', 'contexts: does nothing without',
         'block: dcqcn_rp, or block: dcqcn_np, or block: pacer', place='c.yaml:4:11'),
    keys('a context of a block without', GOOD + 'watch_context: 0\n',
         'watch_context: does nothing without', place='c.yaml:4:16'),
    keys('no size class', NP + 'contexts: 64\n', '16, 256, 4096', place='c.yaml:3:11', content=CE),
    keys('a context that is not there', NP + 'watch_context: 16\n', 'there are 16 contexts',
         'write 0 to 15', place='c.yaml:3:16', content=CE),
    keys('an index that is not there', NP, 's.csv:3:3: ce_index_i: "16" is too large for 4 bits',
         content=CE + '1,16\n'),
    keys('an index of another size class', NP + 'contexts: 256\n', 's.csv:3:3: ce_index_i: "256"',
         content=CE + '1,256\n'),
    keys('no setup of a block without', NP + 'setup: false\n', 'setup: does nothing without',
         'block: dcqcn_rp', place='c.yaml:3:8', content=CE),
    keys('an algorithm', NP + 'congestion: {algorithm: dcqcn}\n', 'does nothing for a block',
         place='c.yaml:3:25', content=CE),
    keys('the clock of endpoints', NP + 'congestion: {clock: 2ns}\n', 'write clock',
         place='c.yaml:3:21', content=CE),
    keys('the burst of endpoints', NP + 'congestion: {burst: 2us}\n', 'burst_i',
         place='c.yaml:3:21', content=CE),
    keys('a line rate of a block without', NP + 'line_rate: 400Gbps\n',
         'line_rate: does nothing without', place='c.yaml:3:12', content=CE),
    keys('a line that is too fast', NP.replace('_np', '_rp') + 'line_rate: 1001Gbps\n', 'line_rate',
         place='c.yaml:3:12', content='cycle\n0\n'),
    keys('an expectation of another block', GOOD + 'expect: [{metric: pfc_rx.cycles, min: 1}]\n',
         place='c.yaml:4'),
]


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bench = Bench(os.environ['CC_BLOCK'], GOOD, folder.name)

    def check_refused(self, group, cases):
        bad = refused(self.bench, group, cases)
        self.assertFalse(bad, f'{len(bad)} of {len(cases)}\n' + '\n'.join(bad))

    def test_a_wrong_stimulus_is_refused_at_its_place(self):
        self.check_refused('stimuli', STIMULI)

    def test_a_wrong_key_is_refused_at_its_line(self):
        self.check_refused('keys', KEYS)

    def test_good_input_of_unusual_form_runs(self):
        for number, (name, content) in enumerate((
                ('as it is', ROWS), ('CRLF', ROWS.replace('\n', '\r\n')),
                ('byte-order mark', '\ufeff' + ROWS), ('no end of line', ROWS.rstrip('\n')),
                ('blank lines and comments', '\n# a\n' + ROWS.replace('\n', '\n\n  # b\n')),
                ('spaces', ROWS.replace(',', ' ,\t')), ('no inputs', 'cycle\n0\n5\n'),
                ('leading zeros in hex', ROWS.replace('0x08', '0x' + '0' * 40 + '8')))):
            mutant = Mutant(name, GOOD.encode(), prepare=with_file(content))
            before, after, done = self.bench.run(f'good{number}', mutant)
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertEqual(len(set(after) - set(before)), 5, name)  # and the response


if __name__ == '__main__':
    unittest.main()
