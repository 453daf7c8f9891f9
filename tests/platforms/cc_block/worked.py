"""Responses of the blocks of DCQCN to their shipped stimuli, worked out from what the READMEs of rtl/ say
of rules, roundings and stages. Nothing here is taken from the twins. The golden
files are the same, written out.
"""

from collections import defaultdict
from fractions import Fraction
from math import ceil

NEVER = -1
ONE = 2**24  # of alpha, and of cycles a byte
MBPS = 2**12  # a rate's unit


class Sheet:
    """Columns whose values hold from a cycle on."""

    def __init__(self, cycles, columns):
        self.cycles, self.columns = cycles, columns
        self.values = {column: [0] * cycles for column in columns}

    def put(self, cycle, **values):
        """From `cycle` on."""
        for column, value in values.items():
            column = column.replace('__', '[') + (']' if '__' in column else '')
            self.values[column][cycle:] = [int(value)] * max(self.cycles - cycle, 0)

    def at(self, cycle, **values):
        """In `cycle` alone."""
        for column, value in values.items():
            column = column.replace('__', '[') + (']' if '__' in column else '')
            if cycle < self.cycles:
                self.values[column][cycle] = int(value)

    def text(self):
        lines, last = ['cycle,' + ','.join(self.columns)], None
        for cycle, row in enumerate(zip(*self.values.values())):
            if row != last:
                lines.append(f'{cycle},' + ','.join(map(str, row)))
            last = row
        return '\n'.join(lines) + '\n'


class Qp:
    """A QP under the paper's rules with clamped targets; rates in Mb/s, exact but for their unit."""

    F, AI, HAI, BYTE_RESET, LINE, LEAST = 5, 40, 200, 10_000_000, 100_000, 100
    PERIOD = 55  # of alpha and of the rate's timer

    def __init__(self, now):
        self.rate = self.target = Fraction(self.LINE)
        self.alpha, self.seen = ONE, False
        self.restart(now)

    def restart(self, now):
        self.begun = self.due = now  # the latest cut, or event before the first; ends of periods
        self.stages = {'time': 0, 'bytes': 0}
        self.bytes = 0

    def decay(self, periods):
        power = round(Fraction(255, 256)**periods * ONE)  # an entry of the table
        self.alpha = (self.alpha * power + ONE // 2) // ONE

    def raise_rate(self, by):
        self.stages[by] += 1
        most, least = max(self.stages.values()), min(self.stages.values())
        if most > self.F:
            self.target += self.HAI * (least - self.F) if least > self.F else self.AI
        self.rate = (self.target + self.rate) / 2

    def catch_up(self, now):
        if not self.seen:
            self.restart(now)
            return
        periods = (now - self.due) // self.PERIOD
        self.due += periods * self.PERIOD
        self.decay(periods)
        for _ in range(periods):
            self.raise_rate('time')

    def settle(self):
        """What is cut off is below a unit; the line bounds the rate."""
        self.rate = min(Fraction(ceil(self.rate * MBPS), MBPS), Fraction(self.LINE))

    def sent(self, now, count):
        self.catch_up(now)
        if self.seen:
            self.bytes += count
            if self.bytes >= self.BYTE_RESET:
                self.bytes -= self.BYTE_RESET
                self.raise_rate('bytes')
        self.settle()

    def cnp(self, now):
        self.catch_up(now)
        self.settle()
        self.target = self.rate
        cut = round(self.rate * MBPS * Fraction(self.alpha, 2 * ONE))
        self.rate = max(self.rate - Fraction(cut, MBPS), Fraction(self.LEAST))
        self.alpha = (self.alpha * (ONE - ONE // 256) + ONE // 2) // ONE + ONE // 256
        self.restart(now)
        self.seen = True

    def flags(self):
        return 16 * self.seen + 2 * (self.stages['bytes'] > 0) + (self.stages['time'] > 0)


def interval_of(rate, factor):
    """Cycles a byte, UQ16.24: a line through 1/x and two steps of Newton, each product cut off."""
    zeros = 32 - rate.bit_length()
    x = rate << zeros
    y = int(Fraction(48, 17) * 2**30 + Fraction(1, 2)) - (x * int(Fraction(32, 17) * 2**30) >> 32)
    for _ in range(2):
        y = y * (2**31 - (x * y >> 32)) >> 30
    return factor * y >> (34 - zeros)


def arbitrated(inputs, sheet):
    """{cycle: event that enters}; writes the queue's columns."""
    events, waiting, passed = {}, [], False
    for t, i in enumerate(inputs):
        sheet.at(t, tx_ready_o=not passed, cnp_ready_o=len(waiting) < 4, waiting_q=len(waiting),
                 passed_q=passed, **{f'cnps_q__{n}': qp for n, qp in enumerate(waiting)})
        bytes_go = i['tx_valid_i'] and not passed
        passed = bool(waiting) and bytes_go
        if bytes_go:
            events[t] = ('open' if i['tx_open_i'] else 'bytes', i['tx_qp_i'])
        elif waiting:
            events[t] = ('cnp', waiting.pop(0))
        if i['cnp_valid_i']:
            waiting.append(i['cnp_qp_i'])
    return events


def dcqcn_rp(inputs):
    memories = [f'{name}[3]' for name in (
        'class', 'flags', 'time_stage', 'byte_stage', 'bytes_mem', 'alpha_at_mem', 'rate_at_mem',
        'monitor_at_mem', 'alpha_mem', 'target_mem', 'rate_mem')]
    sheet = Sheet(len(inputs), [
        'tx_ready_o', 'cnp_ready_o', 'out_valid_o', 'out_qp_o', 'out_rate_o', 'out_target_o',
        'out_alpha_o', 'out_interval_o', 'quiet_o', 'wake_valid_o', 'wake_o',
        *(f'cnps_q[{n}]' for n in range(4)), 'waiting_q', 'passed_q', 'valid_q',
        *(f'qp_q[{n}]' for n in range(12)), *memories])
    events = arbitrated(inputs, sheet)
    qp = None
    for t, (kind, index) in events.items():
        assert index == 3  # the story has one QP
        if kind == 'open':
            qp = Qp(t)
        elif kind == 'bytes':
            qp.sent(t, inputs[t]['tx_bytes_i'])
        else:
            qp.cnp(t)
        rate, target = int(qp.rate * MBPS), int(qp.target * MBPS)
        # Written by the edges that end stages 1, 5 and 7.
        sheet.put(t + 2, class__3=inputs[t]['tx_class_i'], flags__3=qp.flags(),
                  time_stage__3=qp.stages['time'], byte_stage__3=qp.stages['bytes'],
                  bytes_mem__3=qp.bytes, alpha_at_mem__3=qp.due, rate_at_mem__3=qp.due,
                  monitor_at_mem__3=qp.begun)
        sheet.put(t + 6, alpha_mem__3=qp.alpha)
        sheet.put(t + 8, rate_mem__3=rate, target_mem__3=target)
        sheet.put(t + 12, out_qp_o=3, out_rate_o=rate, out_target_o=target, out_alpha_o=qp.alpha,
                  out_interval_o=interval_of(rate, inputs[t]['pace_factor_i']))
    for t, i in enumerate(inputs):
        stages = [n for n in range(1, 13) if t - n in events]
        sheet.at(t, valid_q=sum(2**(n - 1) for n in stages), out_valid_o=12 in stages,
                 **{f'qp_q__{n - 1}': 3 for n in stages})
        busy = bool(stages) or sheet.values['waiting_q'][t] or sheet.values['passed_q'][t]
        asked = i['tx_valid_i'] or i['cnp_valid_i'] or i['cfg_valid_i']
        sheet.at(t, quiet_o=not busy and not asked, wake_valid_o=bool(busy), wake_o=t if busy else 0)
    return sheet.text()


def dcqcn_np(inputs):
    sheet = Sheet(len(inputs), [
        'ce_ready_o', 'cnp_valid_o', 'cnp_index_o', 'quiet_o', 'wake_valid_o', 'wake_o', 'init_q',
        'fresh_q', 's1_valid_q', 's1_scan_q', 's1_index_q', 'write_at_q', 'read_at_q', 'count_q',
        'head_valid_q', 'head_index', 'head_at', 'contexts[5]'])
    due_at, fifo, head = {}, [], None  # of each context; (offered from, index)
    judged = None  # the packet of the cycle before
    written = read = 0
    for t, i in enumerate(inputs):
        ready = t >= 16
        offered = head is not None and t >= head[0]
        taken, leaves = i['ce_valid_i'] and ready, offered and i['cnp_ready_i']
        loads = bool(fifo) and (head is None or leaves)
        wakes = [2**26] if due_at else []  # the next scan
        if head is not None and not offered:
            wakes.append(head[0])
        sheet.at(t, ce_ready_o=ready, cnp_valid_o=offered, cnp_index_o=head[1] if offered else 0,
                 quiet_o=ready and not (taken or judged is not None or loads or leaves),
                 wake_valid_o=bool(wakes), wake_o=min(wakes, default=0), init_q=min(t, 16),
                 fresh_q=len(due_at), s1_valid_q=judged is not None, count_q=len(fifo),
                 write_at_q=written, read_at_q=read, head_valid_q=head is not None,
                 head_at=head[0] if head else 0, head_index=head[1] if head else 0)
        if leaves:
            head = None
        if loads:
            head, read = fifo.pop(0), read + 1
        if judged is not None and t - due_at.get(judged, NEVER - 2**30) >= i['interval_i']:
            due_at[judged] = t
            fifo.append((t + i['delay_i'], judged))
            written += 1
            if judged == 5:
                sheet.put(t + 1, contexts__5=2**32 + t)
        judged = i['ce_index_i'] if taken else None
        if taken:
            sheet.put(t + 1, s1_index_q=judged)
    return sheet.text()


def pacer(inputs):
    sheet = Sheet(len(inputs), [
        'tx_ready_o', 'next_valid_o', 'next_index_o', 'next_at_o', 'quiet_o', 'wake_valid_o', 'wake_o',
        'init_q', 'fresh_q', 's1_valid_q', 's1_scan_q', 's1_open_q', 's1_index_q', 's1_bytes_q',
        's1_interval_q', 's2_valid_q', 's2_scan_q', 's2_open_q', 's2_index_q', 's2_product_q',
        'next_valid_q', 'next_index_q',
        'next_at_q', 'contexts[3]'])
    sent, until = set(), {}
    for t, i in enumerate(inputs):
        sheet.at(t, tx_ready_o=t >= 16, init_q=min(t, 16))
        if not i['tx_valid_i'] or t < 16:
            continue
        sent.add(t)
        qp, product = i['tx_index_i'], i['tx_bytes_i'] * i['tx_interval_i']
        least = Fraction(t - i['burst_i'])
        if qp not in until or ceil(until[qp]) < least:
            until[qp] = least
        until[qp] += Fraction(product, ONE)
        sheet.put(t + 1, s1_index_q=qp, s1_bytes_q=i['tx_bytes_i'], s1_interval_q=i['tx_interval_i'])
        sheet.put(t + 2, s2_index_q=qp, s2_product_q=product)
        at = ceil(until[qp])
        sheet.put(t + 3, next_index_o=qp, next_index_q=qp, next_at_o=at, next_at_q=at,
                  fresh_q=len(until), wake_valid_o=1, wake_o=2**26)
        if qp == 3:
            sheet.put(t + 3, contexts__3=2**56 + until[qp] * ONE)
    for t, i in enumerate(inputs):
        sheet.at(t, s1_valid_q=t - 1 in sent, s2_valid_q=t - 2 in sent, next_valid_o=t - 3 in sent,
                 next_valid_q=t - 3 in sent)
        sheet.at(t, quiet_o=t >= 16 and not i['tx_valid_i'] and not sent & {t - 1, t - 2, t - 3})
    return sheet.text()


PASS, MARK, DROP = range(3)
AFTER_RESET = 0x9E3779B97F4A7C15


def xorshift(x):
    x ^= x << 13 & 2**64 - 1
    x ^= x >> 7
    return x ^ x << 17 & 2**64 - 1


def ecn_marker(inputs):
    sheet = Sheet(len(inputs), [
        'dec_valid_o', 'dec_o', 'quiet_o', 'lfsr_q', 's1_valid_q', 's1_never_q', 's1_always_q',
        's1_excess_q', 's1_draw_q', 's1_hit_q', 's2_valid_q', 's2_never_q', 's2_always_q',
        's2_product_q', 's2_draw_q', 's2_hit_q', 's3_valid_q', 's3_dec_q'])
    random = AFTER_RESET
    sheet.put(0, lfsr_q=random)
    asked = set()
    for t, i in enumerate(inputs):
        if i['req_valid_i']:
            asked.add(t)
            depth, draw = i['req_depth_i'], random >> 40
            random = xorshift(random)
            never, always = not i['enable_i'] or depth <= i['kmin_i'], depth > i['kmax_i']
            hit = {0: DROP if i['drop_non_ect_i'] else PASS, 3: PASS}.get(i['req_ecn_i'], MARK)
            excess = (depth - i['kmin_i']) % 2**32
            probability = min(excess * i['slope_i'] >> i['shift_i'], i['pmax_i'])
            decision = hit if not never and (always or draw < probability) else PASS
            sheet.put(t + 1, s1_never_q=never, s1_always_q=always, s1_excess_q=excess, s1_draw_q=draw,
                      s1_hit_q=hit, lfsr_q=random)
            sheet.put(t + 2, s2_never_q=never, s2_always_q=always, s2_product_q=excess * i['slope_i'],
                      s2_draw_q=draw, s2_hit_q=hit)
            sheet.put(t + 3, dec_o=decision, s3_dec_q=decision)
        if i['seed_valid_i']:
            random = i['seed_i'] or AFTER_RESET
            sheet.put(t + 1, lfsr_q=random)
    for t, i in enumerate(inputs):
        sheet.at(t, s1_valid_q=t - 1 in asked, s2_valid_q=t - 2 in asked, s3_valid_q=t - 3 in asked,
                 dec_valid_o=t - 3 in asked,
                 quiet_o=not i['req_valid_i'] and not i['seed_valid_i']
                 and not asked & {t - 1, t - 2, t - 3})
    return sheet.text()


RULES = {'dcqcn_rp': dcqcn_rp, 'dcqcn_np': dcqcn_np, 'pacer': pacer, 'ecn_marker': ecn_marker}


def worked(block, inputs):
    """The response; `inputs` has {name: value} of each cycle, and what is not named is 0."""
    return RULES[block]([defaultdict(int, cycle) for cycle in inputs])
