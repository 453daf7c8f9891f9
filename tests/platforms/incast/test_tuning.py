"""What DCQCN's parameters do, by runs beside each other: the defaults of hardware and a tuned set;
alpha and gain low, middle and high. With INCAST=... RAILYARD_SOURCE=... test_tuning.py table: the
rows of the README's tables.

test_tuning.py short | long | table"""

import os
import sys
import unittest

from tuning import REGIMES, TuningCase


class Short(TuningCase):
    executable = os.environ['INCAST']

    def test_a_tuned_set_steadies_what_the_hardwares_defaults_let_swing(self):
        for seed in (1, 2):
            before, after = (self.oscillation(w, seed) for w in ('hardware', 'tuned'))
            self.assertLessEqual(after.variation, before.variation / 2)
            self.assertGreaterEqual(after.jain, 0.98)
            self.assertGreaterEqual(after.utilisation, 0.95)
            self.assertGreater(after.utilisation, before.utilisation)

    def test_a_low_gain_leaves_the_work_to_pfc(self):
        self.check_low('paper', 8)

    def check_low(self, rules, senders):
        low, middle = (self.regime(rules, senders, r) for r in ('low', 'middle'))
        self.assertGreater(low.xoffs, 4 * middle.xoffs)
        self.assertGreater(low.pause_us, 4 * middle.pause_us)
        self.assertGreater(low.queue_kb, 2 * middle.queue_kb)
        # What it buys is the start: nobody falls far.
        self.assertGreater(low.utilisation, middle.utilisation)

    def test_a_high_gain_costs_fairness_by_the_hardwares_rules(self):
        middle, high = (self.regime('hardware', 8, r) for r in ('middle', 'high'))
        self.assertLess(high.xoffs, middle.xoffs)
        self.assertLess(high.queue_kb, middle.queue_kb)
        self.assertLess(high.jain, middle.jain)


class Long(Short):
    def test_32_to_1_is_no_different(self):
        self.check_low('paper', 32)


class Table(TuningCase):
    executable = os.environ['INCAST']

    def print_row(self, *cells):
        print('| ' + ' | '.join(str(cell) for cell in cells) + ' |', flush=True)

    def test_print(self):
        for which in ('hardware', 'tuned'):
            for seed in (1, 2, 3):
                self.print_row(which, seed, *self.oscillation(which, seed).cells())
        for rules in ('paper', 'hardware'):
            for senders in (8, 32):
                for regime in REGIMES:
                    self.print_row(rules, senders, regime,
                                   *self.regime(rules, senders, regime).cells())


if __name__ == '__main__':
    suite = {'short': Short, 'long': Long, 'table': Table}[sys.argv.pop(1)]
    unittest.main(defaultTest=suite.__name__)
