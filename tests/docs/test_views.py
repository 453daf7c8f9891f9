"""The saved views of GTKWave name signals that their platforms have, and open on what happens."""

import functools
import hashlib
import os
import pathlib
import subprocess
import tempfile
import unittest

import generated
import png
import saved_views as sv
import tree

# What is in a picture beside waves: back, grid and markers.
BACK, GRID, MARKERS = (0, 0, 0), (32, 32, 112), ((255, 128, 128), (255, 255, 128))


def all_saves():
    """(name, Save) of each file, in a view of ours or not."""
    return [(file.stem, sv.Save(tree.text(tree.ROOT, file)))
            for file in tree.files(tree.ROOT, ('.gtkw',))]


def platform_of(name):
    return next((view.platform for view in sv.VIEWS if view.name == name), name)


@functools.lru_cache
def declared(platform):
    """Of models and of the Verilated RTL: what a trace of it declares."""
    config = tree.ROOT / 'platforms' / platform / f'{platform}.yaml'
    with tempfile.TemporaryDirectory() as folder:
        trace = f'{folder}/x.fst'
        subprocess.run([generated.executable(platform, tree.BUILD), '--config', config, '--until',
                        '1us', '--no-expect', '--quiet', '--trace', trace], cwd=folder, check=True,
                       env={**os.environ, 'SYSTEMC_DISABLE_COPYRIGHT_MESSAGE': '1'})
        return sv.vcd.read_fst(trace).signals


@functools.lru_cache
def ran(config):
    """(report, waves) of all that the views of a configuration show."""
    views = [view for view in sv.VIEWS if view.config == config]
    with tempfile.TemporaryDirectory() as folder:
        report, trace = sv.run(config, sv.names_of(views), folder)
        return report, sv.vcd.read_fst(trace)


def misfit(row, signals):
    """Why GTKWave would not find the row's signal, or could not show it so; None if it can."""
    signal = signals.get(row.name)
    if signal is None:
        return 'is not declared'
    width = 1 if signal.real else signal.width
    if row.width != width or (row.range and row.range != f'[{width - 1}:0]'):
        return f'has {width} bits'
    if row.flags & sv.ENUM and signal.enum is None:
        return 'has no names of states'
    if row.flags & sv.ANALOG and (signal.enum is not None or signal.width == 1):
        return 'is no quantity'
    if row.bit is not None and not 0 <= row.bit < width:
        return f'has no bit {row.bit}'
    return None


def flat_rows(save, waves):
    """Names of rows in which nothing happens while the view is what it opens with."""
    flat = []
    for row in save.rows:
        signal = waves[row.name]
        shown = {row.shown(value) if not signal.real else value
                 for time, value in signal.changes if save.begin < time <= save.end}
        if signal.at(save.begin) is not None:
            before = signal.at(save.begin)
            shown.add(before if signal.real else row.shown(before))
        if len(shown) < 2:
            flat.append(row.alias or row.name)
    return flat


def waves_of(picture):
    """The part of a picture on the right of the signals: its rows of pixels."""
    width, _, pixels = png.read(picture)
    left = next(x for x in range(width) if pixels[png.HEADER + 2][x] == BACK)
    return [line[left:width - 1] for line in pixels]


def blank_rows(save, pixels):
    """Names of the rows of a picture's waves that look alike from left to right. A marker or a line
    of the grid may make a second look of a flat one."""
    blank = []
    for i, (_, row) in enumerate(save.lines):
        if row is None:
            continue
        top = png.HEADER + i * png.ROW
        last = i + 1
        while last < len(save.lines) and save.lines[last][0] & sv.REST_OF_ANALOG:
            last += 1
        band = pixels[top + 1:png.HEADER + last * png.ROW - 1]
        columns = {tuple(pixel if pixel not in (GRID, *MARKERS) else BACK for pixel in column)
                   for column in zip(*band)}
        if len(columns) < 3:
            blank.append(row.alias or row.name)
    return blank


class Saves(unittest.TestCase):
    def test_every_row_shows_a_signal_of_its_platform_as_what_it_is(self):
        saves = all_saves()
        self.assertGreaterEqual(len(saves), len(sv.VIEWS) + 3)
        for name, save in saves:
            self.assertGreater(len(save.rows), 5, name)
            signals = declared(platform_of(name))
            for row in save.rows:
                with self.subTest(view=name, row=row.name):
                    self.assertIsNone(misfit(row, signals))

    def test_groups_begin_and_end(self):
        for view in sv.VIEWS:
            depth = 0
            for flags, _ in sv.load(view).lines:
                depth += bool(flags & sv.GROUP) - bool(flags & sv.GROUP_END)
                self.assertIn(depth, (0, 1), view.name)
            self.assertEqual(depth, 0, view.name)

    def test_markers_stand_where_the_run_has_their_events(self):
        for view in sv.VIEWS:
            save, at = sv.load(view), sv.times(view, ran(view.config)[1])
            self.assertEqual(dict(zip(save.marker_names, save.markers)), at,
                             f'{view.name}: tests/docs/renew_views.py moves markers')
            self.assertEqual(save.cursor, at[view.cursor], view.name)

    def test_markers_stand_where_the_report_says_that_their_events_are(self):
        for view in sv.VIEWS:
            report, waves = ran(view.config)
            for name, edge in view.markers.items():
                said = edge.reported(report)
                if said is not None:
                    self.assertEqual(edge.time(waves), said, f'{view.name}: {name}')

    def test_views_open_with_all_markers_in_the_window(self):
        for view in sv.VIEWS:
            save = sv.load(view)
            begin, end = sv.window(view, sv.times(view, ran(view.config)[1]))
            self.assertEqual(save.begin, begin, view.name)
            self.assertAlmostEqual(save.end, end, delta=(end - begin) / 1000, msg=view.name)
            for marker in save.markers:
                self.assertTrue(begin < marker < end, view.name)

    def test_something_happens_in_every_row_of_the_window(self):
        for view in sv.VIEWS:
            self.assertEqual(flat_rows(sv.load(view), ran(view.config)[1]), [], view.name)


class Pictures(unittest.TestCase):
    def test_pictures_are_of_the_saves_as_they_are(self):
        for view in sv.VIEWS:
            digest = hashlib.sha256(view.save.read_bytes()).hexdigest()
            self.assertEqual(png.text(view.picture, 'save'), digest,
                             f'{view.name}: tests/docs/renew_views.py makes it anew')

    def test_no_row_of_a_picture_is_blank(self):
        for view in sv.VIEWS:
            self.assertEqual(blank_rows(sv.load(view), waves_of(view.picture)), [], view.name)

    def test_pictures_are_shown_in_a_readme(self):
        readmes = ''.join(tree.text(tree.ROOT, file) for file in tree.files(tree.ROOT, ('.md',)))
        for view in sv.VIEWS:
            self.assertTrue(f'{view.picture.name})' in readmes, view.name)


class Lines(unittest.TestCase):
    SAVE = ('[timestart] 1000\n[size] 1040 400\n*-10.000000 2000 1500 2000 -1\n'
            '[markername] Afirst\n[markername] Bthen\n[signals_width] 300\n'
            '@800200\n-Title\n[color] 1\n@28\n+{a b} (4)sw0.port1.paused[7:0]\nh0.link0.tx_busy\n'
            '@100000028\nsw0.pfc_gen.g_prio[3].state[1:0]\n@88420\nflow0.rate\n@20000\n-\n'
            '@1000200\n-\n')

    def test_rows_are_read_with_alias_bit_and_range(self):
        rows = sv.Save(self.SAVE).rows
        self.assertEqual([(row.alias, row.name, row.bit, row.width) for row in rows],
                         [('a b', 'sw0.port1.paused', 3, 8), (None, 'h0.link0.tx_busy', None, 1),
                          (None, 'sw0.pfc_gen.g_prio[3].state', None, 2),
                          (None, 'flow0.rate', None, 1)])

    def test_markers_and_window_are_read(self):
        save = sv.Save(self.SAVE)
        self.assertEqual((save.cursor, save.markers, save.marker_names),
                         (2000, [1500, 2000], ['first', 'then']))
        self.assertEqual((save.begin, save.end), (1000, 1000 + round(717 * 1024 / 200)))

    def test_a_row_that_does_not_fit_its_signal_is_found(self):
        signals = {'a.b': sv.vcd.Signal(8), 'a.c': sv.vcd.Signal(1)}
        for line, reason in (('@28\na.d[7:0]', 'declared'), ('@28\na.b[3:0]', '8 bits'),
                             ('@28\na.b', '8 bits'), ('@100000028\na.b[7:0]', 'names'),
                             ('@88420\na.c', 'quantity')):
            row = sv.Save(self.SAVE.split('@')[0] + line + '\n').rows[0]
            self.assertIn(reason, misfit(row, signals) or '')

    def test_edges_are_the_first_of_their_kind(self):
        waves = sv.vcd.Waves()
        waves.signals['a.b'] = sv.vcd.Signal(8)
        waves['a.b'].changes = [(0, 1), (10, 9), (20, 3), (30, 8)]
        self.assertEqual([sv.Edge('a.b', 8).time(waves), sv.Edge('a.b', 8, falls=True).time(waves),
                          sv.Edge('a.b', 2).time(waves)], [10, 20, 20])
        with self.assertRaisesRegex(ValueError, 'no such edge'):
            sv.Edge('a.b', 16).time(waves)

    def test_a_flat_row_is_found(self):
        save = sv.Save(self.SAVE.split('@')[0] + '@24\na.b[7:0]\n@28\n(4)a.b[7:0]\n')
        waves = sv.vcd.Waves()
        waves.signals['a.b'] = sv.vcd.Signal(8)
        waves['a.b'].changes = [(0, 1), (1500, 2), (9999, 8)]  # the last is after the window
        self.assertEqual(flat_rows(save, waves), ['a.b'])

    def test_a_blank_row_is_found(self):
        save = sv.Save(self.SAVE.split('@')[0] + '@28\nflat.a\nlevel.b\n@200\n-Title\n')
        pixels = [[BACK] * 40 for _ in range(png.HEADER + 3 * png.ROW)]
        low, high = png.HEADER + 2 * png.ROW - 3, png.HEADER + png.ROW + 3
        for x in range(40):
            pixels[png.HEADER + 9][x] = (0, 255, 0)
            pixels[low if x < 20 else high][x] = (0, 255, 0)
        for y in range(high, low):
            pixels[y][20] = (0, 255, 0)
        for line in pixels:
            line[7] = MARKERS[0]
        self.assertEqual(blank_rows(save, pixels), ['flat.a'])


if __name__ == '__main__':
    unittest.main()
