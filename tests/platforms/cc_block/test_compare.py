"""A difference of the two engines, or of skipping, ends the run with exit code 3 and is named."""

import os
import unittest

from cc_block_case import FOLDER, CcBlockCase, rows


class Liars(CcBlockCase):
    executable = os.environ['LYING']

    def run_liar(self, block, code, engine='rtl', clocking='gated', stimulus='pfc_gen', **settings):
        config = self.folder / 'c.yaml'
        config.write_text(f'block: {block}\nstimulus: {FOLDER}/stimuli/{stimulus}.csv\n')
        return self.run_platform('--config', config, name='liar', code=code, congestion__engine=engine,
                                 congestion__clocking=clocking, **settings)

    def test_an_output_that_differs_is_named_with_its_cycle(self):
        for engine, other, values in (('rtl', 'model', '0, 1'), ('model', 'rtl', '1, 0')):
            for clocking in ('gated', 'free_running'):
                run = self.run_liar('lies_in_an_output', 3, engine, clocking, compare=True)
                self.assertIn('lies_in_an_output', run.err)
                # Told with the edge of cycle 16.
                self.assertIn(f'cycle 17: {engine} and {other} differ; tx_refresh_o {values} ',
                              run.err)
                self.assertIn('at 17ns', run.err)
                self.assertFalse(run.report['complete'])

    def test_a_register_that_differs_is_named(self):
        run = self.run_liar('lies_in_a_register', 3, compare=True)
        self.assertIn('cycle 17: rtl and model differ; refresh_at_q 67, 66 ', run.err)

    def test_a_watched_context_that_differs_is_named(self):
        settings = {'stimulus': 'pacer', 'compare': True}
        run = self.run_liar('lies_in_a_context', 3, watch_context=7, **settings)
        # QP 7 sends in cycle 60; its context is written three cycles later: 100 cycles and 2^56.
        word = 2**56 + 100 * 2**24
        self.assertIn(f'cycle 63: rtl and model differ; contexts[7] {word + 1}, {word} ', run.err)
        self.run_liar('lies_in_a_context', 0, watch_context=8, **settings)
        self.run_liar('lies_in_a_context', 0, **settings)

    def test_all_cycles_that_differ_are_counted(self):
        run = self.run_liar('lies_in_a_register', 3, compare=True)
        # The peer is told to stop in cycles 17 to 91, 112 to 120 and 126 to 131.
        self.assertEqual(run['lies_in_a_register.mismatches'], 75 + 9 + 6)
        self.assertIn('(cycles that differ: 90)', run.err)

    def test_a_block_that_sleeps_too_long_is_caught_by_the_free_running_other(self):
        run = self.run_liar('sleeps_too_long', 3, compare=True)
        self.assertIn('cycle 72: rtl and model differ; quiet_o 1, 0 ', run.err)
        self.run_liar('sleeps_too_long', 0, clocking='free_running', compare=True)

    def test_it_is_a_moment_to_trace_around(self):
        run = self.run_liar('lies_in_a_register', 3, compare=True, outputs=('report',))
        run = self.run_platform('--config', self.folder / 'c.yaml', '--trace-trigger', 'mismatch',
                                '--trace-pre', '5ns', '--trace-post', '5ns', code=3, compare=True,
                                outputs=('report', 'trace'))
        self.assertEqual((run.waves.begin, run.waves.end), (12_000, 22_000))

    def test_without_comparing_nobody_knows(self):
        run = self.run_liar('lies_in_an_output', 0)
        self.assertEqual(run['lies_in_an_output.mismatches'], 0)


class Honest(CcBlockCase):
    def test_shipped_blocks_do_not_differ_in_long_runs(self):
        # Nearly 200,000 rows: depths that walk, frames, queues that stand, QPs; every cycle is compared.
        for block, text in (('pfc_gen', walk()), ('pfc_rx', frames()), ('pfc_watchdog', queues()),
                            ('dcqcn_rp', reactions()), ('dcqcn_np', notices()), ('pacer', packets()),
                            ('ecn_marker', requests())):
            for engine in ('rtl', 'model'):
                run = self.run_stimulus(text, engine, block=block, compare=True)
                self.assertGreater(run[f'{block}.register_changes'], 10_000)
                self.assertGreater(run[f'{block}.cycles_skipped'], 10_000)
                self.assertEqual(run[f'{block}.mismatches'], 0)

    def test_those_with_contexts_do_not_differ_in_any_size_class(self):
        for block, make in (('dcqcn_rp', reactions), ('dcqcn_np', notices), ('pacer', packets)):
            for contexts in (256, 4096):
                text = make(4_000, contexts)
                run = self.run_stimulus(text, block=block, compare=True, contexts=str(contexts),
                                        watch_context=contexts - 1)
                self.assertEqual(run[f'{block}.mismatches'], 0)
                # The last context is in use: its fields change.
                memory = 'rate_mem' if block == 'dcqcn_rp' else 'contexts'
                column = f'{memory}[{contexts - 1}]'
                self.assertGreater(len({row[column] for row in rows(run.response)}), 10)

    def test_a_long_run_of_the_watchdog_has_storms_and_ends_of_storms(self):
        run = self.run_stimulus(queues(4_000), block='pfc_watchdog')
        storms = [row['storm_o'] for row in rows(run.response)]
        changes = [before ^ after for before, after in zip(storms, storms[1:])]
        self.assertGreater(sum(bin(change).count('1') for change in changes), 100)

    def test_a_poll_that_is_left_behind_is_found(self):
        # Every cycle from 20 on is a poll then: a gated clock sleeps through that of cycle 60.
        text = ('cycle,detection_i,poll_at_i,enable_i,paused_i,occupied_i\n'
                '0,50,20,1,0,0\n10,,,,1,1\n90,,,,,\n')
        run = self.run_stimulus(text, block='pfc_watchdog', compare=True, code=3)
        self.assertIn('cycle 60: rtl and model differ; quiet_o 1, 0 ', run.err)
        self.run_stimulus(text, 'rtl', 'free_running', block='pfc_watchdog', compare=True)


def lcg(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


def walk():
    numbers = lcg(1)
    lines = ['cycle,refresh_i,enable_i,xoff_th_i[3],xon_th_i[3],depth_i[3],tx_ready_i,clear_i',
             '0,40,8,100,60,0,0,0']
    cycle = 0
    for _ in range(30_000):
        cycle += 1 + next(numbers) % 8
        clear = '1!' if next(numbers) % 100 == 0 else ''
        lines.append(f'{cycle},,,,,{next(numbers) % 160},{next(numbers) % 2},{clear}')
    return '\n'.join(lines) + '\n'


def frames():
    numbers = lcg(2)
    lines = ['cycle,quantum_i,frame_valid_i,enable_i,quanta_i[0],quanta_i[7],clear_i',
             '0,81920,0,0,0,0,0']
    cycle = 0
    for _ in range(20_000):
        cycle += 1 + next(numbers) % 16
        clear = '1!' if next(numbers) % 100 == 0 else ''
        lines.append(f'{cycle},,1!,{next(numbers) % 256},{next(numbers) % 20},'
                     f'{next(numbers) % 20},{clear}')
    return '\n'.join(lines) + '\n'


def queues(count=40_000):
    """Two priorities; polls in multiples of 20."""
    numbers = lcg(3)
    lines = ['cycle,detection_i,restoration_i,forgiven_i,poll_at_i,enable_i,paused_i,occupied_i,'
             'dequeued_i,xoff_i', '0,50,40,3,20,255,0,0,0,0']
    cycle, poll = 0, 20
    for _ in range(count):
        cycle += 1 + next(numbers) % 8
        while poll < cycle:
            poll += 20
            if poll - 19 < cycle:
                lines.append(f'{poll - 19},,,,{poll},,,,,')
        # Mostly paused, mostly occupied, seldom served.
        paused, occupied, dequeued, xoff = (
            sum(1 << p for p in (0, 7) if next(numbers) % one_in == 0)
            for one_in in (12, 60, 60, 10))
        lines.append(f'{cycle},,,,{poll},,{0x81 ^ paused},{0x81 ^ occupied},{dequeued}!,{xoff}!')
    return '\n'.join(lines) + '\n'


def pauses(numbers, count, begin):
    """Cycles with something in them: bursts, and times in which all falls asleep."""
    cycle = begin
    for _ in range(count):
        cycle += 60 if next(numbers) % 16 == 0 else 1 + next(numbers) % 2
        yield cycle


def one_of(numbers, contexts):
    """Half of the time one of two: events of one context meet in the stages."""
    number = next(numbers)
    return contexts - 1 - number % 2 if number & 4 else next(numbers) % contexts


def reactions(count=15_000, contexts=16):
    numbers = lcg(4)
    short = ((0, 55), (1, 2**32 // 55), (2, 40), (3, 2**32 // 40), (6, 100_000))
    lines = ['cycle,pace_factor_i,cfg_valid_i,cfg_addr_i,cfg_data_i,tx_valid_i,tx_open_i,tx_qp_i,'
             'tx_bytes_i,cnp_valid_i,cnp_qp_i', '0,2048000,0,0,0,0,0,0,0,0,0']
    lines += [f'{1 + n},,1!,{address},{data},,,,,,' for n, (address, data) in enumerate(short)]
    lines += [f'{10 + qp},,,,,1!,1!,{qp},,,' for qp in range(contexts)]
    for cycle in pauses(numbers, count, 20 + contexts):
        tx, cnp = ('1!' if next(numbers) % n == 0 else '' for n in (2, 6))
        lines.append(f'{cycle},,,,,{tx},{"1!" if next(numbers) % 500 == 0 else ""},'
                     f'{one_of(numbers, contexts)},{next(numbers) % 20_000},'
                     f'{cnp},{one_of(numbers, contexts)}')
    return '\n'.join(lines) + '\n'


def notices(count=30_000, contexts=16):
    numbers = lcg(5)
    lines = ['cycle,interval_i,delay_i,ce_valid_i,ce_index_i,cnp_ready_i', '0,50,20,0,0,1']
    for cycle in pauses(numbers, count, contexts):
        ce = '1!' if next(numbers) % 2 else ''
        lines.append(f'{cycle},,,{ce},{one_of(numbers, contexts)},{int(next(numbers) % 4 > 0)}')
    return '\n'.join(lines) + '\n'


def packets(count=20_000, contexts=16):
    numbers = lcg(6)
    lines = ['cycle,burst_i,tx_valid_i,tx_index_i,tx_bytes_i,tx_interval_i', '0,30,0,0,0,0']
    for cycle in pauses(numbers, count, contexts):
        tx = '1!' if next(numbers) % 2 else ''
        lines.append(f'{cycle},,{tx},{one_of(numbers, contexts)},{next(numbers) % 100},'
                     f'{next(numbers) % 2**24}')
    return '\n'.join(lines) + '\n'


def requests(count=20_000):
    numbers = lcg(7)
    lines = ['cycle,enable_i,kmin_i,kmax_i,pmax_i,slope_i,shift_i,drop_non_ect_i,req_valid_i,'
             'req_depth_i,req_ecn_i,seed_valid_i,seed_i',
             f'0,1,100,164,{2**23},{2**23},6,1,0,0,0,0,0']
    for cycle in pauses(numbers, count, 0):
        seed = '1!' if next(numbers) % 500 == 0 else ''
        lines.append(f'{cycle},,,,,,,,1!,{next(numbers) % 300},{next(numbers) % 4},{seed},'
                     f'{next(numbers)}')
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    unittest.main()
