"""The response to each shipped stimulus is the one worked by hand from the RTL's description, with
either engine and either clocking."""

import json
import re
import shlex
import subprocess
import sys
import unittest

from cc_block_case import (BLOCKS, CLOCKINGS, ENGINES, FOLDER, GOLDEN, CcBlockCase, by_cycle, cycles_of,
                           each_way, inputs_by_cycle, rows, watched)
from worked import RULES, worked


class Golden(CcBlockCase):
    def test_every_shipped_block_has_stimulus_configuration_and_golden(self):
        described = json.loads(self.run_platform('--describe=json').out)
        accepted = next(p['accepted'] for p in described['parameters'] if p['key'] == 'block')
        blocks = set(accepted.split(' | '))
        self.assertEqual(blocks, set(BLOCKS))
        self.assertEqual(blocks, {p.stem for p in (FOLDER / 'stimuli').glob('*.csv')})
        self.assertEqual(blocks, {p.stem for p in GOLDEN.glob('*.csv')})

    def test_the_response_is_the_golden_one_byte_by_byte(self):
        for block in BLOCKS:
            golden = (GOLDEN / f'{block}.csv').read_bytes()
            for way in each_way(block):
                for compare in (False, True):
                    with self.subTest(way=way, compare=compare):
                        run = self.run_block(*way, compare=compare)
                        self.assertEqual(run.response.read_bytes(), golden)

    def test_those_of_dcqcn_are_what_the_rules_give(self):
        for block in RULES:
            stimulus = FOLDER / 'stimuli' / f'{block}.csv'
            text = worked(block, inputs_by_cycle(stimulus, cycles_of(block)))
            self.assertEqual((GOLDEN / f'{block}.csv').read_text(), text)

    def test_a_qp_s_rates_and_alpha_are_those_of_the_algorithm(self):
        # In Mb/s, of the paper's formulas; the story is told in the stimulus.
        found = [(row['out_rate_o'] / 2**12, row['out_target_o'] / 2**12, row['out_alpha_o'] / 2**24)
                 for row in rows(GOLDEN / 'dcqcn_rp.csv') if row['out_valid_o']]
        a = 255 / 256
        cut = 93_750 * (1 - a**3 / 2)
        recovered = 93_830 - (93_750 - cut) / 2**7 - 40 * 3 / 4
        expected = {0: (100_000, 100_000, 1), 1: (100_000, 100_000, 1),
                    2: (50_000, 100_000, 1),  # the first CNP: alpha is 1
                    3: (75_000, 100_000, a), 4: (93_750, 100_000, a**3),
                    7: (cut, 93_750, a**4 + 1 / 256), 9: (recovered, 93_830, (a**4 + 1 / 256) * a**7)}
        for answer, values in expected.items():
            for value, near, most in zip(found[answer], values, (0.001, 0.001, 1e-6)):
                self.assertAlmostEqual(value, near, delta=most, msg=answer)
        self.assertEqual(found[-2][0], 100_000)  # the line
        self.assertEqual(found[-1][1], 100_000)

    def test_the_response_does_not_depend_on_the_clock_s_period(self):
        run = self.run_block('pfc_gen', clock='333ps')
        self.assertEqual(run.response.read_bytes(), (GOLDEN / 'pfc_gen.csv').read_bytes())
        self.assertEqual(run.end_ps, 141 * 333)


class Metrics(CcBlockCase):
    def test_changes_are_those_of_the_response_and_cycles_those_not_quiet(self):
        for block in BLOCKS:
            golden = rows(GOLDEN / f'{block}.csv')
            changes = {'o': 0, 'q': 0}
            for before, after in zip(golden, golden[1:]):
                for name in after:
                    if name != 'cycle' and before[name] != after[name]:
                        changes['o' if name.endswith('_o') else 'q'] += 1
            edges = sum(row['quiet_o'] == 0
                        for row in by_cycle(GOLDEN / f'{block}.csv', cycles_of(block)))
            for engine in ENGINES:
                for clocking in CLOCKINGS:
                    run = self.run_block(block, engine, clocking)
                    self.assertEqual(run[f'{block}.output_changes'], changes['o'])
                    self.assertEqual(run[f'{block}.register_changes'], changes['q'])
                    cycles = cycles_of(block)
                    executed = edges if clocking == 'gated' else cycles
                    self.assertEqual(run[f'{block}.cycles'], executed)
                    self.assertEqual(run[f'{block}.cycles_skipped'], cycles - executed)

    def test_compared_cycles_are_all_or_none(self):
        for compare, cycles in ((True, 141), (False, 0)):
            run = self.run_block('pfc_gen', compare=compare)
            self.assertEqual(run['pfc_gen.cycles_compared'], cycles)
            self.assertEqual(run['pfc_gen.mismatches'], 0)

    def test_the_spans_of_the_timeline_are_the_skipped_cycles(self):
        run = self.run_block('pfc_gen', compare=False, outputs=('report', 'timeline'))
        spans = run.spans('pfc_gen.clock')
        self.assertEqual(sum(arguments['cycles'] for *_, arguments in spans), 123)
        self.assertEqual(spans[0][:3], (0, 10_000, 'asleep'))  # an input changes in cycle 10


class Setup(CcBlockCase):
    def run_rp(self, text, engine='rtl', **settings):
        run = self.run_stimulus(text, engine, block='dcqcn_rp', compare=False, **settings)
        return [row for row in rows(run.response) if row['out_valid_o']]

    def test_it_is_as_if_the_stimulus_had_written_every_register(self):
        for parameters, rate, written in (('paper', '100Gbps', registers(100_000)),
                                     ('hardware', '400Gbps', registers_of_hardware(400_000))):
            by_hand = self.run_rp(configured(written), setup=False)
            self.assertEqual(len(by_hand), 7)
            for engine in ENGINES:
                found = self.run_rp(configured({}), engine, line_rate=rate,
                                    congestion__parameters=parameters)
                self.assertEqual(found, by_hand, (parameters, engine))
            # The rates have moved, so the registers mattered.
            self.assertGreater(len({row['out_rate_o'] for row in found}), 3)

    def test_a_parameter_may_be_written_by_its_name_for_all_classes_or_one(self):
        # Before the fourth answer 55 us have passed since the cut.
        for settings, halvings in (({'dcqcn__rp_time_reset': '11us'}, 5),
                                   ({'classes': [{'traffic_class': 5, 'rp_time_reset': '11us'}]}, 5),
                                   ({'classes': [{'traffic_class': 4, 'rp_time_reset': '11us'}]}, 1)):
            found = self.run_rp(STORY, **{f'congestion__{key}': value
                                          for key, value in settings.items()})
            self.assertEqual(found[3]['out_rate_o'], (100_000 - 50_000 / 2**halvings) * 2**12)

    def test_its_times_are_times_not_cycles(self):
        # 55 us are 55,000 cycles of 1 ns and 11,000 of 5 ns: one period and five.
        for clock, halvings in (('1ns', 1), ('5ns', 5)):
            found = self.run_rp(STORY, clock=clock)
            self.assertEqual(found[3]['out_rate_o'], (100_000 - 50_000 / 2**halvings) * 2**12)

    def test_without_it_registers_are_zero(self):
        found = self.run_rp(STORY, setup=False)
        self.assertEqual({row['out_target_o'] for row in found[:2]}, {0})


class Readme(CcBlockCase):
    def test_the_stimulus_that_it_shows_cuts_and_recovers(self):
        text = (FOLDER / 'README.md').read_text()
        script, command = re.search(r"<<'END'\n(.*?)END\n(.*?)```", text, re.DOTALL).groups()
        made = subprocess.run([sys.executable, '-c', script], capture_output=True, check=True)
        (self.folder / 'mine.csv').write_bytes(made.stdout)
        command = command.replace('\\\n', '').replace('mine.csv', str(self.folder / 'mine.csv'))
        arguments = shlex.split(command)
        self.assertEqual(arguments[:3], ['./railyard', 'run', 'cc_block'])
        config = arguments.index('platforms/cc_block/dcqcn_rp.yaml')
        arguments[config] = BLOCKS['dcqcn_rp']
        response = self.folder / 'r.csv'
        run = self.run_platform(*arguments[3:], response=str(response))
        self.assertLess(run['dcqcn_rp.cycles'], 20_000)  # of 10 ms
        rates = [row['rate_mem[3]'] / 2**12 for row in rows(response)]
        self.assertIn(400_000, rates)
        self.assertLess(min(rates[rates.index(400_000):]), 250_000)
        self.assertGreater(sum(a < b for a, b in zip(rates, rates[1:])), 20)  # raised


class Length(CcBlockCase):
    def test_cycles_may_go_on_behind_the_stimulus(self):
        text = 'cycle,refresh_i,enable_i,depth_i[0],tx_ready_i\n0,20,1,5,1\n'
        responses = set()
        for _, engine, clocking in each_way('pfc_gen'):
            run = self.run_stimulus(text, engine, clocking, cycles=100)
            self.assertEqual(run.end_ps, 100_000)
            responses.add(run.response.read_bytes())
        self.assertEqual(len(responses), 1)
        # Told in cycle 1; a refresh is due 20 cycles after each frame, and taken a cycle later.
        frames = [row['cycle'] for row in rows(run.response) if row['tx_valid_o']]
        self.assertEqual(frames, [1, 22, 43, 64, 85])

    def test_until_cuts_a_run_and_leaves_what_was(self):
        run = self.run_block('pfc_gen', compare=False, until='50ns')
        golden = (GOLDEN / 'pfc_gen.csv').read_text().splitlines(keepends=True)
        kept = [row for row in golden[1:] if int(row.split(',')[0]) < 50]
        self.assertEqual(run.response.read_text(), golden[0] + ''.join(kept))

    def test_a_billion_quiet_cycles_take_no_time(self):
        run = self.run_block('pfc_gen', compare=False, cycles=10**9)
        self.assertEqual(run['pfc_gen.cycles'], 18)
        self.assertEqual(run['pfc_gen.cycles_skipped'], 10**9 - 18)


class Stimuli(CcBlockCase):
    def test_a_pulse_lasts_one_cycle_and_a_level_until_the_next(self):
        text = ('cycle,enable_i,depth_i[1],tx_ready_i,clear_i\n'
                '0,2,1!,1!,\n1,,2!,,\n2,,,,\n9,,0,,\n')
        for _, engine, clocking in each_way('pfc_gen'):
            run = self.run_stimulus(text, engine, clocking)
            # A depth of 1, then 2, then none again: wanted in cycles 1 and 2.
            wants = [(row['cycle'], row['want_q']) for row in rows(run.response)]
            self.assertEqual(wants, [(0, 0), (1, 2), (2, 2), (3, 0)])

    def test_a_block_without_a_stimulus_of_its_own_takes_the_shipped_one(self):
        for block in BLOCKS:
            response = self.folder / 'default.csv'
            self.run_platform('--no-expect', '--set', f'block={block}', response=str(response),
                              **watched(block))
            self.assertEqual(response.read_bytes(), (GOLDEN / f'{block}.csv').read_bytes())


class Paths(CcBlockCase):
    def test_a_path_is_relative_to_the_folder_of_its_file(self):
        (self.folder / 'inner').mkdir()
        (self.folder / 'inner' / 's.csv').write_text('cycle,enable_i\n3,1\n')
        config = self.folder / 'inner' / 'c.yaml'
        config.write_text('block: pfc_gen\nstimulus: s.csv\nresponse: ../r.csv\n')
        run = self.run_platform('--config', config)
        self.assertEqual(len(rows(self.folder / 'r.csv')), 1)
        self.assertIn(f'wrote {self.folder / "r.csv"}', run.out)
        # A report lies elsewhere and finds them too.
        (self.folder / 'r.csv').unlink()
        again = self.run_platform('--config', run.path('report'), name='again')
        self.assertEqual(again.bytes('report'), run.bytes('report'))
        self.assertEqual(len(rows(self.folder / 'r.csv')), 1)

    def test_describe_writes_nothing(self):
        response = self.folder / 'none.csv'
        self.run_platform('--describe', response=str(response))
        self.assertFalse(response.exists())


STORY = """cycle,pace_factor_i,cfg_valid_i,cfg_class_i,cfg_addr_i,cfg_data_i,tx_valid_i,tx_open_i,\
tx_class_i,tx_qp_i,tx_bytes_i,cnp_valid_i,cnp_qp_i
0,2048000,0,5,0,0,0,0,5,3,4000,0,3
400,,,,,,1!,1!,,,,,
420,,,,,,1!,,,,,,
440,,,,,,,,,,,1!,
56000,,,,,,1!,,,,,,
56100,,,,,,,,,,,1!,
120000,,,,,,1!,,,,,,
800000,,,,,,1!,,,,,,
800020,,,,,,,,,,,,
"""


def configured(written):
    """The story with writes of class 5 before it."""
    head, first, rest = STORY.split('\n', 2)
    writes = ''.join(f'{1 + n},,1!,,{address},{data},,,,,,,\n'
                     for n, (address, data) in enumerate(written.items()))
    return f'{head}\n{first}\n{writes}{rest}'


def registers(line, alpha=55_000, timer=55_000, monitor=50_000, byte_reset=10**7,
              rules=1 << 2 | 5 << 5 | 11 << 10, ai=40, hai=200, least=100, most_cut=2**25,
              g=1 / 256, initial=2**24):
    """{address: value}, as rtl/dcqcn/README.md lists them; the paper's values."""
    periods = [value for period in (alpha, timer, monitor) for value in (period, 2**32 // period)]
    values = periods + [byte_reset, rules, ai, hai, line * 2**12, least * 2**12, 0, most_cut,
                        round(g * 2**24), round(g / (1 - g) * 2**24), initial]
    written = dict(enumerate(values))
    for i in range(128):
        written[256 + i] = round((1 - g)**i * 2**24)
        written[384 + i] = round((1 - g)**(128 * i) * 2**24)
    return written


def registers_of_hardware(line):
    return registers(line, alpha=1_000, timer=300_000, monitor=4_000, byte_reset=32_767 * 64,
                     rules=1 | 1 << 3 | 1 << 5 | 11 << 10, ai=5, hai=50, least=1,
                     most_cut=2**24, g=5 / 1024, initial=1023 * 2**14)


if __name__ == '__main__':
    unittest.main()
