"""Every RTL block, and what is asked of it beside its lockstep: a row a block.

test_formal.py, test_lint.py, test_synthesis.py and test_coverage.py read it."""

import dataclasses
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
RTL = pathlib.Path('rtl')
COMMON = ('rtl/common/railyard_pkg.sv',)


@dataclasses.dataclass(frozen=True)
class Proof:
    """Induction over `steps` cycles from the base case of as many; cover points are reached within
    `cover_steps`, unless that is 0: then another proof of the block reaches them. The counts are of
    cells: one an assertion and priority, say."""
    name: str
    parameters: dict
    asserts: int
    assumes: int  # of the block; the reset's is not counted
    covers: int
    steps: int = 1
    cover_steps: int = 0
    defines: tuple = ()
    top: str = ''  # a module of the block's sources, if it is not the block
    cut: str = ''  # cells whose outputs are free, as yosys selects them


@dataclasses.dataclass(frozen=True)
class Bug:
    """Text of a source, what it is replaced by, and the assertion that must then fail, within
    `steps` cycles after reset."""
    file: str
    pattern: str
    replacement: str
    fails: str
    steps: int = 8
    proof: str = 'behaviour'


@dataclasses.dataclass(frozen=True)
class Block:
    name: str
    folder: str
    proofs: tuple
    bugs: tuple
    lint: tuple  # of parameters, beside the shipped ones
    refused: tuple = ()  # of parameters that must not elaborate
    sizes: tuple = ()  # NumQps of its size classes
    holes: dict = dataclasses.field(default_factory=dict)  # uncovered line of the source: why
    parts: tuple = ()  # modules of the folder that it is made of
    included: tuple = ()  # files of the folder that it includes, without proofs
    memories: bool = False  # it has memories, which stay what they are in synthesis

    @property
    def source(self):
        return f'rtl/{self.folder}/{self.name}.sv'

    @property
    def sources(self):
        return [self.source, *(f'rtl/{self.folder}/{part}.sv' for part in self.parts),
                *(f'rtl/{self.folder}/{file}.svh' for file in self.included)]


MARKER = 'rtl/ecn/ecn_marker.sv'
NOTIFICATION = 'rtl/dcqcn/dcqcn_np.sv'
PACER = 'rtl/pacer/pacer.sv'
GEN = 'rtl/pfc/pfc_gen.sv'
RX = 'rtl/pfc/pfc_rx.sv'
WATCHDOG = 'rtl/pfc/pfc_watchdog.sv'
RP_QUEUE = 'rtl/dcqcn/dcqcn_rp_queue.sv'
RP_RATE = 'rtl/dcqcn/dcqcn_rp_rate.svh'
RP_PERIODS = 'rtl/dcqcn/dcqcn_rp_periods.svh'
RP_TIMES = 'rtl/dcqcn/dcqcn_rp_times.svh'
RP_STAGES = 'rtl/dcqcn/dcqcn_rp_stages.svh'
RP_ALPHA = 'rtl/dcqcn/dcqcn_rp_alpha.svh'
RP_INCREASE = 'rtl/dcqcn/dcqcn_rp_increase.svh'

BLOCKS = (
    Block(
        'ecn_marker', 'ecn',
        proofs=(
            Proof('behaviour', {'DepthW': 4, 'ProbW': 3}, asserts=14, assumes=5, covers=4,
                  cover_steps=6),
            Proof('probability', {'DepthW': 4, 'ProbW': 4}, asserts=8, assumes=5, covers=4,
                  defines=('RY_LEMMA',)),
        ),
        bugs=(
            Bug(MARKER, '!s2_never_q && (s2_always_q', '(s2_always_q', 'PassesUpToKmin'),
            Bug(MARKER, 'req_depth_i > kmax_i', "req_depth_i > kmax_i + DepthW'(1)",
                'MarksAboveKmax'),
            Bug(MARKER, "2'b11:   s1_hit_d = DecPass", "2'b11:   s1_hit_d = DecMark", 'CePasses'),
            Bug(MARKER, 'drop_non_ect_i ? DecDrop : DecPass', 'DecDrop', 'DropsIfToldTo'),
            Bug(MARKER, "share > ProductW'(pmax_i) ? pmax_i : (ProbW + 1)'(share)",
                "(ProbW + 1)'(share)", 'NoMoreThanPmax'),
            Bug(MARKER, '(ProbW + 1)\'(s2_draw_q) < probability',
                '(ProbW + 1)\'(s2_draw_q) <= probability', 'NoHitOfALargeDraw'),
            Bug(MARKER, 'if (req_valid_i) lfsr_d', 'if (req_valid_i || s1_valid_q) lfsr_d',
                'StepsPerRequest'),
            Bug(MARKER, "seed_i == '0 ? LfsrSeed : seed_i", 'seed_i', 'TheLfsrNeverStops'),
            Bug(MARKER, '!s1_valid_q && !s2_valid_q &&', '!s2_valid_q &&', 'QuietChangesNothing'),
            Bug(MARKER, "ProductW'(s1_excess_q) *", "ProductW'(s1_excess_q - DepthW'(1)) *",
                'ProbabilityIsNotTooLow', proof='probability'),
            # Of the assumptions: a slope that is rounded up twice.
            Bug('rtl/ecn/ecn_marker_props.svh', 'slope_width < pmax_scaled + width)',
                'slope_width < pmax_scaled + width + width)', 'ProbabilityIsNotTooHigh',
                proof='probability'),
        ),
        lint=({'DepthW': 16}, {'DepthW': 4, 'ProbW': 3}, {'DepthW': 40, 'ProbW': 32}),
        refused=({'LfsrSeed': 0}, {'ShiftW': 4}),
    ),
    Block(
        'dcqcn_np', 'dcqcn',
        proofs=(
            Proof('behaviour', {'NumQps': 2, 'FifoDepth': 2, 'TimeW': 6, 'StampW': 5, 'DelayW': 2},
                  asserts=30, assumes=4, covers=7, cover_steps=8),
        ),
        bugs=(
            Bug(NOTIFICATION, 'passed      = age >= StampW', 'passed      = age > StampW',
                'DueOnceTheIntervalHasPassed', steps=12),
            Bug(NOTIFICATION, "age >= StampW'(interval_i)", "age + 1 >= StampW'(interval_i)",
                'NeverTwoInsideTheInterval', steps=12),
            # Of the bypass: packets in turn of one context make a CNP each.
            Bug(NOTIFICATION, 'context_now = bypass_q ? bypass_data_q : read_q',
                'context_now = read_q', 'NeverTwoInsideTheInterval', steps=12),
            # Of the scan: without it a stale stamp looks fresh.
            Bug(NOTIFICATION, 'clear       = s1_scan_q && is_fresh && passed',
                "clear       = s1_scan_q && is_fresh && passed && 1'b0", 'AStampIsYoung',
                steps=14),
            Bug(NOTIFICATION, 'clear       = s1_scan_q && is_fresh && passed',
                'clear       = s1_scan_q && is_fresh', 'NeverTwoInsideTheInterval', steps=14),
            Bug(NOTIFICATION, "room         = count_q + (PointW + 1)'(s1_valid_q) <",
                'room         = count_q <', 'NoCnpIsLost', steps=14),
            Bug(NOTIFICATION, "now_i + TimeW'(delay_i), s1_index_q}", "now_i, s1_index_q}",
                'ACnpIsNotEarly', steps=14),
            Bug(NOTIFICATION, "write       = !init_done || due", 'write       = due',
                'ClearedSoFar', steps=6),
            Bug(NOTIFICATION, '!s1_valid_q && !s1_scan_q && !load', '!s1_valid_q && !s1_scan_q',
                'QuietChangesNothing', steps=12),
            Bug(NOTIFICATION, 'wake_valid_o = head_waits ||', 'wake_valid_o =',
                'QuietUntilWake', steps=14),
            Bug(NOTIFICATION, 'load         = count_q != \'0 && (!head_valid_q || pop)',
                'load         = count_q != \'0 && !head_valid_q',
                'EveryCnpLeavesAfterTheSameTime', steps=14),
        ),
        lint=({'NumQps': 256}, {'NumQps': 4096}, {'NumQps': 16, 'FifoDepth': 2, 'StampW': 20}),
        refused=({'NumQps': 12}, {'StampW': 49}, {'FifoDepth': 6}),
        sizes=(16, 256, 4096),
    ),
    Block(
        'pacer', 'pacer',
        proofs=(
            Proof('behaviour', {'NumQps': 2, 'TimeW': 6, 'BytesW': 2, 'IntW': 1, 'FracW': 2},
                  asserts=24, assumes=3, covers=6, cover_steps=9),
        ),
        bugs=(
            Bug(PACER, "{sent_stamp - StampW'(burst_i), FracW'(0)}",
                "{sent_stamp - StampW'(burst_i) - StampW'(1), FracW'(0)}", 'NeverReleasesEarly'),
            Bug(PACER, 'is_fresh && !behind ? context_now', 'is_fresh ? context_now',
                'NeverReleasesEarly', steps=12),
            # A new QP that waits for what another owed, and one that is paid for what it owes.
            Bug(PACER, "s2_open_q ? {sent_stamp, FracW'(0)}",
                "s2_open_q && !is_fresh ? {sent_stamp, FracW'(0)}",
                'ReleasesInTheFirstWholeCycle', steps=10),
            Bug(PACER, 's2_open_q    <= s1_open_q', 's2_open_q    <= s1_open_q || s2_valid_q',
                'NeverReleasesEarly', steps=10),
            Bug(PACER, "StampW'(point[FracW-1:0] != '0)", "StampW'(0)", 'NeverReleasesEarly'),
            Bug(PACER, "StampW'(point[FracW-1:0] != '0)", "StampW'(1)",
                'ReleasesInTheFirstWholeCycle'),
            # Of the bypass: packets in turn of one context.
            Bug(PACER, 'context_now = bypass_q ? bypass_data_q : read_q', 'context_now = read_q',
                'NeverReleasesEarly', steps=10),
            Bug(PACER, 'next        = base', "next        = {base[PointW-1:FracW], FracW'(0)}",
                'NeverReleasesEarly', steps=12),
            # Of the scan: without it an old time looks new.
            Bug(PACER, 'clear       = s2_scan_q && is_fresh && behind',
                "clear       = s2_scan_q && is_fresh && behind && 1'b0", 'AContextIsNotTooLate',
                steps=20),
            Bug(PACER, 'clear       = s2_scan_q && is_fresh && behind',
                'clear       = s2_scan_q && is_fresh', 'NoContextNoDebt', steps=10),
            Bug(PACER, 'ToStage2 = 2;', 'ToStage2 = 3;', 'NeverReleasesEarly'),
            Bug(PACER, '!s2_scan_q && !next_valid_q', '!s2_scan_q', 'QuietChangesNothing'),
            Bug(PACER, "wake_valid_o = fresh_q != '0", "wake_valid_o = 1'b0", 'QuietUntilWake',
                steps=14),
        ),
        lint=({'NumQps': 256}, {'NumQps': 4096}, {'NumQps': 2, 'IntW': 4, 'FracW': 8}),
        refused=({'NumQps': 12}, {'StampW': 31}, {'TimeW': 32}),
        sizes=(16, 256, 4096),
    ),
    Block(
        'pfc_gen', 'pfc',
        proofs=(
            Proof('behaviour', {'NumPrio': 2, 'TimeW': 6, 'DepthW': 2}, asserts=27, assumes=6,
                  covers=10, cover_steps=7),
        ),
        bugs=(
            Bug(GEN, 'depth > (want_q', 'depth >= (want_q', 'FrameSaysWhatIsWanted'),
            Bug(GEN, 'want_q[p] ? xon_th : xoff_th)', 'want_q[p] ? xoff_th : xon_th)',
                'AnsweredOnce'),
            Bug(GEN, '(want_q[p] ? xon_th : xoff_th)', 'xoff_th', 'SkippedDepthCrossesNothing'),
            Bug(GEN, 'again_q || runs_out;', 'again_q;', 'RefreshedBeforeThePeerGoesOn'),
            Bug(GEN, 'now_i + refresh_i;', "now_i + refresh_i + TimeW'(1);",
                'RefreshedBeforeThePeerGoesOn'),
            Bug(GEN, "      told_d  = '0;\n", '', 'XonOnlyAfterXoff'),
            Bug(GEN, 'tx_xoff_o    = want_q;', 'tx_xoff_o    = told_q;', 'FrameSaysWhatIsWanted'),
            Bug(GEN, '!take && !runs_out', '!take', 'QuietChangesNothing'),
            Bug(GEN, 'wake_o       = refresh_at_q;', "wake_o       = refresh_at_q + TimeW'(1);",
                'QuietUntilWake'),
            # Of the assumptions: a pause that is shorter by a cycle is too short.
            Bug('rtl/pfc/pfc_gen_props.svh', 'RefreshSlack = 2;', 'RefreshSlack = 1;',
                'RefreshedBeforeThePeerGoesOn'),
        ),
        lint=({'NumPrio': 1}, {'NumPrio': 2, 'TimeW': 6, 'DepthW': 2}, {'TimeW': 64},
              {'DepthW': 1}),
    ),
    Block(
        'pfc_rx', 'pfc',
        proofs=(
            Proof('behaviour', {'NumPrio': 2, 'TimeW': 5, 'QuantaW': 2, 'IntW': 1, 'FracW': 2},
                  asserts=21, assumes=1, covers=9, cover_steps=9),
            Proof('rounding', {'NumPrio': 1, 'TimeW': 9, 'QuantaW': 4, 'IntW': 3, 'FracW': 4},
                  asserts=5, assumes=1, covers=1, cover_steps=4,
                  defines=('RY_LEMMA',)),
        ),
        bugs=(
            Bug(RX, "(ProductW'(1) << (FracW - 1))", "(ProductW'(0) << (FracW - 1))",
                'RoundedToTheNearestCycle', proof='rounding'),
            Bug(RX, "now_i + TimeW'(cycles_q);", "now_i + TimeW'(cycles_q) - TimeW'(1);",
                'NeverReleasedWhileItsTimerRuns'),
            Bug(RX, "now_i + TimeW'(cycles_q);", "now_i + TimeW'(cycles_q) + TimeW'(1);",
                'ReleasedWhenItsTimerEnds'),
            Bug(RX, 'reached = !ahead[TimeW-1];', 'reached = a >= b;',
                'NeverReleasedWhileItsTimerRuns', steps=6),
            Bug(RX, "paused_d = cycles_q != '0;", "paused_d = 1'b1;", 'AFrameIsSeenOneCycleLater'),
            Bug(RX, "      if (clear_i) paused_d = 1'b0;\n", '', 'ClearForgetsAll'),
            Bug(RX, "enable_i[p] && !clear_i;", 'enable_i[p];', 'ClearForgetsAll'),
            Bug(RX, "expired == '0 && !(clear_i", '!(clear_i', 'QuietChangesNothing'),
            Bug(RX, '|| !reached(ends', '|| reached(ends', 'QuietUntilWake'),
        ),
        lint=({'NumPrio': 1}, {'NumPrio': 2, 'TimeW': 6, 'QuantaW': 2, 'IntW': 1, 'FracW': 2},
              {'TimeW': 64}, {'IntW': 4, 'FracW': 20}),
        refused=({'TimeW': 27},),
    ),
    Block(
        'pfc_watchdog', 'pfc',
        proofs=(
            Proof('behaviour', {'NumPrio': 1, 'TimeW': 5}, asserts=29, assumes=5, covers=8,
                  steps=3, cover_steps=8),
            Proof('two', {'NumPrio': 2, 'TimeW': 4}, asserts=54, assumes=5, covers=14, steps=2),
        ),
        bugs=(
            Bug(WATCHDOG, 'occupied_i[p] && !dequeued_i[p];', 'occupied_i[p];',
                'NoStormOfAQueueThatDrains'),
            Bug(WATCHDOG, 'enable_i[p] && occupied_i[p] && !dequeued_i[p];',
                'enable_i[p] && !dequeued_i[p];', 'NoStormOfAnEmptyQueue'),
            Bug(WATCHDOG, 'enable_i[p] && occupied_i[p] && !dequeued_i[p];',
                'occupied_i[p] && !dequeued_i[p];', 'NoStormOfAnUnwatchedQueue'),
            Bug(WATCHDOG, 'gap <= forgiven_i && gaps <= forgiven_i', "1'b1",
                'NoStormAcrossALongGap'),
            Bug(WATCHDOG, 'gap <= forgiven_i && gaps <= forgiven_i', 'gap <= forgiven_i',
                'FiresByTheRule'),
            Bug(WATCHDOG, 'gaps_d = gap_at_q - now_i;', "gaps_d = '0;", 'FiresByTheRule'),
            Bug(WATCHDOG, "          if (poll) gaps_d = '0;\n", '', 'FiresByTheRule'),
            Bug(WATCHDOG, '!held) begin\n            anew = 1\'b1;\n'
                '          end else if (poll && lasted >= detection_i',
                '!held) begin\n            anew = 1\'b1;\n'
                '          end else if (poll && lasted > detection_i',
                'FiresAtTheFirstPollAfterDetection'),
            Bug(WATCHDOG, 'StIdle: anew = blocked;', 'StIdle: if (blocked) state_d = StStorm;',
                'StormOnlyFromTheWatch'),
            Bug(WATCHDOG, '          if (xoff_i[p]) since_d = now_i;\n', '',
                'StormLastsWhileXoffsArrive'),
            Bug(WATCHDOG, 'anew = !enable_i[p] || (poll', 'anew = (poll',
                'StormOfNoUnwatchedQueue'),
            Bug(WATCHDOG, '(state_q == StGap && poll) ||', '', 'QuietChangesNothing'),
            Bug(WATCHDOG, ' || (state_q == StStorm && xoff_i[p])', '', 'QuietChangesNothing'),
            Bug(WATCHDOG, 'active[p]  = state_q != StIdle', 'active[p]  = state_q[0]',
                'QuietUntilWake'),
        ),
        lint=({'NumPrio': 1}, {'NumPrio': 2, 'TimeW': 6}, {'TimeW': 64}),
    ),
    Block(
        'dcqcn_rp', 'dcqcn',
        parts=('dcqcn_rp_queue', 'dcqcn_rp_pace'),
        included=('dcqcn_rp_periods', 'dcqcn_rp_increase', 'dcqcn_rp_alpha', 'dcqcn_rp_rate', 'dcqcn_rp_times',
                  'dcqcn_rp_stages'),
        memories=True, sizes=(16, 256, 4096),
        proofs=(
            Proof('queue', {'QpW': 2}, asserts=9, assumes=0, covers=3, cover_steps=14,
                  top='dcqcn_rp_queue'),
            Proof('periods', {'W': 6}, asserts=3, assumes=2, covers=1, cover_steps=1,
                  top='dcqcn_rp_periods_lemma'),
            Proof('rate', {'RateW': 5, 'TargetW': 7, 'FactorF': 4}, asserts=4, assumes=3, covers=1,
                  cover_steps=1, top='dcqcn_rp_rate_lemma'),
            Proof('alpha', {'AlphaF': 5}, asserts=5, assumes=4, covers=1, cover_steps=1,
                  top='dcqcn_rp_alpha_lemma'),
            Proof('stages', {'NumQps': 2}, asserts=19, assumes=1, covers=1, cover_steps=6,
                  cut='t:$mul t:$shr t:$shl t:$sub %u %u %u */*u_queue* %d',
                  defines=('RY_CUT',)),
        ),
        bugs=(
            Bug(RP_QUEUE, "waiting_q != '0 && take_tx_o;",
                "waiting_q != '0 && take_tx_o && cnp_valid_i;",
                'ACnpEntersWithinSevenCycles', steps=14, proof='queue'),
            Bug(RP_QUEUE, "cnp_ready_o = waiting_q != 3'd4;", "cnp_ready_o = 1'b1;",
                'AQueueOfFourAtMost', steps=14, proof='queue'),
            Bug(RP_QUEUE, 'cnps_d    = cnps_q >> QpW;', 'cnps_d    = cnps_q;', 'ACnpIsNeverLost',
                proof='queue'),
            Bug(RP_QUEUE, "      waiting_d = waiting_d + 3'd1;\n", '', 'ACnpIsNeverLost',
                proof='queue'),
            Bug(RP_PERIODS, 'over  = rest >= period;', "over  = 1'b0;", 'TheRestIsLessThanAPeriod',
                steps=1, proof='periods'),
            Bug(RP_PERIODS, "elapsed[TimeW-1:PeriodW] != '0 ", "1'b0 ", 'WhatIsTooLongIsTheLongest',
                steps=1, proof='periods'),
            Bug(RP_RATE, '    next_rate   = at_least(next_rate, min_rate);\n', '',
                'TheRateIsWithinItsLimits', steps=1, proof='rate'),
            Bug(RP_RATE, 'target = not_below(old_target, rate);', 'target = old_target;',
                'TheRateIsWithinItsLimits', steps=1, proof='rate'),
            Bug(RP_RATE, '(first_rate < rate ? first_rate : rate)', 'first_rate',
                'ACutNeverRaises', steps=1, proof='rate'),
            Bug(RP_ALPHA, 'update ? {times(power, One - gain), gain}', 'update ? {power, gain}',
                'TheLimitIsNotNeeded', steps=1, proof='alpha'),
            Bug(RP_ALPHA, 'times(power, One - gain)', 'times(power, One - gain - gain)',
                'ACnpNeverLowersAlpha', steps=1, proof='alpha'),
            Bug(RP_ALPHA, 'sum > (AlphaF + 2)\'(One) ? One : sum[AlphaF:0]', 'sum[AlphaF:0]',
                'AlphaIsAtMostOne', steps=8, proof='stages'),
            # Of the forwarding, loop by loop.
            Bug(RP_TIMES, 'same          = valid_q[1] && qp2_q == qp1_q;',
                "same          = 1'b0;", 'TimesAreOfTheLatestEvent', steps=6, proof='stages'),
            Bug(RP_STAGES, 'valid_q[5] && qp6_q == qp5_q ? alpha6_q : alpha_read_q', 'alpha_read_q',
                'AlphaIsOfTheLatestEvent', steps=9, proof='stages'),
            Bug(RP_STAGES, 'same   = valid_q[7] && qp8_q == qp7_q;', "same   = 1'b0;",
                'RatesAreOfTheLatestEvent', steps=11, proof='stages'),
            Bug(RP_INCREASE, "(SumW + StepF)'(lag) > (SumW + StepF)'(total) ? total : TargetW'(lag)",
                "TargetW'(lag)", 'TheLagIsAtMostTheSum3', steps=5, proof='stages'),
        ),
        lint=({'NumQps': 256}, {'NumQps': 4096}, {'NumQps': 2}),
    ),
)


def named(name):
    return next(b for b in BLOCKS if b.name == name)
