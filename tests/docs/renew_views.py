#!/usr/bin/python3
"""Runs what the saved views of GTKWave show, moves their markers and windows to where the events are
now, and makes their pictures, without a screen. Takes views by name, or all; platforms from
build/release (or $RAILYARD_BUILD). Needs, beside gtkwave: xvfb xauth x11-utils imagemagick."""

import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import png
import saved_views as sv
import tree

NEEDS = {'gtkwave': 'gtkwave', 'xvfb-run': 'xvfb', 'xauth': 'xauth', 'xwininfo': 'x11-utils',
         'import': 'imagemagick', 'convert': 'imagemagick'}
SECONDS = 60  # until the window must be there
RC = 'splash_disable on\nhide_sst on\nanalog_redraw_skip_count 1\n'


def screen_of(save, trace, folder):
    """Path of a picture of GTKWave's window."""
    (folder / 'rc').write_text(RC)
    height = int(re.search(r'^\[size\] \d+ (\d+)$', save.read_text(), re.MULTILINE)[1]) + 40
    out = folder / 'screen.png'
    script = f'''gtkwave --rcfile rc "$1" "$2" >gtkwave.log 2>&1 & gtkwave=$!
        for ((i = 0; i < {SECONDS} * 5; ++i)); do
          ! xwininfo -root -tree | grep -q '"GTKWave - ' || break
          sleep 0.2
        done
        sleep 4  # it draws when it likes
        import -window root "$3"
        kill $gtkwave'''
    subprocess.run(['xvfb-run', '-a', '-s', f'-screen 0 {sv.WIDTH}x{height}x24', 'bash', '-c',
                    script, '-', trace, save, out], cwd=folder, check=True,
                   env={**os.environ, 'HOME': str(folder)}, stderr=subprocess.DEVNULL)
    return out


def crop(screen, rows, out, digest):
    """Leaves the signals and their waves, and says of which save the picture is."""
    width, height, pixels = png.read(screen)
    black = [sum(pixels[y][x] == (0, 0, 0) for x in range(0, width, 4)) for y in range(height)]
    top = next(y for y in range(height) if black[y] > width // 10)
    right = max(x for x in range(width) if pixels[top + png.HEADER // 2][x] == (0, 0, 0))
    kept = png.HEADER + rows * png.ROW
    if top + kept > height:
        raise RuntimeError(f'{out.stem}: {rows} rows do not fit into the window: raise its [size]')
    subprocess.run(['convert', screen, '-crop', f'{right + 1}x{kept}+0+{top}', '+repage', '+dither',
                    '-colors', '64', '-define', 'png:exclude-chunks=date,time', '-set', 'save',
                    digest, f'PNG8:{out}'], check=True)


def renew(view, waves, trace, folder):
    text = sv.placed(view, view.save.read_text(encoding='utf-8'), sv.times(view, waves))
    view.save.write_text(text, encoding='utf-8')
    rows = len(sv.load(view).lines)
    crop(screen_of(view.save, trace, folder), rows, view.picture,
         hashlib.sha256(text.encode()).hexdigest())
    print(f'renewed {view.save.relative_to(tree.ROOT)} and its picture')


def main():
    missing = {package for program, package in NEEDS.items() if shutil.which(program) is None}
    if missing:
        sys.exit(f'packages are missing: {" ".join(sorted(missing))}')
    wanted = [view for view in sv.VIEWS if view.name in sys.argv[1:] or len(sys.argv) == 1]
    for config in sorted({view.config for view in wanted}):
        views = [view for view in wanted if view.config == config]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            _, trace = sv.run(config, sv.names_of(views), folder)
            waves = sv.vcd.read_fst(trace)
            for view in views:
                renew(view, waves, trace, folder)


if __name__ == '__main__':
    main()
