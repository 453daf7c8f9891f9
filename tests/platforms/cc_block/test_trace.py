"""The trace says what the response says, with either engine; Verilated signals and our own agree."""

import unittest

from cc_block_case import (BLOCKS, FOLDER, PERIOD, CcBlockCase, by_cycle, cycles_of, each_way,
                           inputs_by_cycle, signal)


class Trace(CcBlockCase):
    def test_signals_at_each_cycle_are_the_response_s(self):
        for block in BLOCKS:
            for way in each_way(block):
                run = self.run_block(*way, outputs=('report', 'trace'))
                for cycle, row in enumerate(by_cycle(run.response, cycles_of(block))):
                    for name, value in row.items():
                        scope = 'out' if name.endswith('_o') else 'reg'
                        seen = run.waves[f'{block}.{scope}.{signal(name)}']
                        self.assertEqual(seen.at(cycle * PERIOD), value, (way, name, cycle))

    def test_a_signal_changes_at_cycles_and_edges_alone(self):
        run = self.run_block('pfc_gen', outputs=('report', 'trace'))
        for name, seen in run.waves.signals.items():
            phase = {0} if name.startswith('pfc_gen.in.') else {0, PERIOD // 2}
            self.assertLessEqual({time % PERIOD for time, _ in seen.changes}, phase, name)
        self.assertEqual(run.waves.end, cycles_of('pfc_gen') * PERIOD)

    def test_inputs_are_the_stimulus(self):
        for block in BLOCKS:
            given = inputs_by_cycle(FOLDER / 'stimuli' / f'{block}.csv', cycles_of(block))
            for way in each_way(block):
                run = self.run_block(*way, outputs=('report', 'trace'))
                for cycle, row in enumerate(given):
                    for name, value in row.items():
                        seen = run.waves[f'{block}.in.{signal(name)}']
                        self.assertEqual(seen.at(cycle * PERIOD), value, (way, name, cycle))

    def test_our_own_signals_do_not_depend_on_engine_and_clocking(self):
        for block in BLOCKS:
            seen = []
            for way in each_way(block):
                run = self.run_block(*way, compare=False, outputs=('report', 'trace'))
                own = {name: s.changes for name, s in run.waves.signals.items()
                       if '.rtl.' not in name}
                # Time is seen when the block is looked at.
                now = own.pop(f'{block}.in.now_i', [])
                self.assertLessEqual({time // PERIOD - value for time, value in now}, {0})
                self.assertEqual(bool(now), block != 'ecn_marker')
                seen.append(own)
            self.assertGreater(len(seen[0]), 20)
            for other in seen[1:]:
                self.assertEqual(other, seen[0])


class Rtl(CcBlockCase):
    def test_the_verilated_signals_are_ours(self):
        run = self.run_block('pfc_gen', outputs=('report', 'trace'))
        waves = run.waves
        for name in ('want_q', 'told_q', 'again_q', 'refresh_at_q'):
            self.assertEqual(waves[f'pfc_gen.rtl.pfc_gen.{name}'].changes,
                             waves[f'pfc_gen.reg.{name}'].changes, name)
        for name in ('tx_valid_o', 'tx_enable_o', 'tx_xoff_o', 'tx_refresh_o', 'quiet_o'):
            self.assertEqual(waves[f'pfc_gen.rtl.{name}'].changes,
                             waves[f'pfc_gen.out.{name}'].changes, name)
        depths = [(t, v >> 3 * 32 & 0xffffffff) for t, v in waves['pfc_gen.rtl.depth_i'].changes]
        own = waves['pfc_gen.in.depth_i_3']
        self.assertEqual([own.at(time) for time, _ in depths], [value for _, value in depths])
        # Named, as the RTL has it.
        state = waves['pfc_gen.rtl.pfc_gen.g_prio[3].state']
        self.assertEqual(state.enum[state.at(16_000)], 'StToXoff')

    def test_registers_and_the_watched_context_are_those_of_the_rtl_s_memories(self):
        for block, names in (('dcqcn_rp', ('rate_mem[3]', 'target_mem[3]', 'alpha_mem[3]', 'valid_q')),
                             ('dcqcn_np', ('contexts[5]', 'init_q', 'count_q')),
                             ('pacer', ('contexts[3]', 's2_product_q')),
                             ('ecn_marker', ('lfsr_q', 's2_product_q'))):
            waves = self.run_block(block, outputs=('report', 'trace')).waves
            for name in names:
                own = waves[f'{block}.reg.{signal(name)}'].changes
                self.assertEqual(waves[f'{block}.rtl.{block}.{name}'].changes, own, name)
                self.assertGreater(len(own), 3, name)

    def test_the_clock_rises_in_the_middle_of_cycles_that_are_not_quiet(self):
        # That of dcqcn_rp has been set up before; ecn_marker has no wake.
        for block in ('pfc_gen', 'dcqcn_rp', 'ecn_marker'):
            for clocking in ('gated', 'free_running'):
                run = self.run_block(block, clocking=clocking, outputs=('report', 'trace'))
                cycles = cycles_of(block)
                golden = by_cycle(run.response, cycles)
                expected = [cycle * PERIOD + PERIOD // 2 for cycle in range(cycles)
                            if clocking == 'free_running' or not golden[cycle]['quiet_o']]
                self.assertEqual(run.waves[f'{block}.rtl.clk_i'].rising(), expected)

    def test_it_is_there_when_it_runs_and_only_then(self):
        for engine, compare, there in (('rtl', False, True), ('model', True, True),
                                       ('model', False, False)):
            run = self.run_block('pfc_gen', engine, compare=compare, outputs=('report', 'trace'))
            self.assertEqual(any('.rtl.' in name for name in run.waves.signals), there)

    def test_a_ring_has_it_from_the_trigger_on(self):
        run = self.run_platform('--config', BLOCKS['pfc_gen'], '--trace-trigger',
                                'pfc_gen.output_changes>40', '--trace-pre', '20ns',
                                '--trace-post', '20ns', outputs=('report', 'trace'))
        self.assertEqual(run.waves.end - run.waves.begin, 40_000)
        own = run.waves['pfc_gen.reg.want_q']
        rtl = run.waves['pfc_gen.rtl.pfc_gen.want_q']
        begin = rtl.changes[0][0]
        self.assertEqual(begin, run.waves.begin + 20_000)
        self.assertEqual(rtl.at(run.waves.end), own.at(run.waves.end))


if __name__ == '__main__':
    unittest.main()
