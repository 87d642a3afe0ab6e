"""Draws a captured terminal: draw_terminal.py CAPTURE FONT_FOLDER PNG COLUMN,ROW THEME

CAPTURE is the output of `tmux capture-pane -p -e`: rows of text with escape sequences for colours and faces. COLUMN,ROW is
the position of the cursor, counted from 0. THEME selects Neovim's default colours: dark or light.
"""

import re
import sys

from PIL import Image, ImageDraw, ImageFont

SIZE = 22  # of the font, in pixels; twice what a screen shows, for sharp text
MARGIN = 20
# Default colours of the text and of the background.
COLOURS = {"dark": ((224, 226, 234), (20, 22, 27)), "light": ((20, 22, 27), (224, 226, 234))}
# The sixteen named colours of xterm.
NAMED = [
    (0, 0, 0), (205, 49, 49), (13, 188, 121), (229, 229, 16), (36, 114, 200), (188, 63, 188), (17, 168, 205), (229, 229, 229),
    (102, 102, 102), (241, 76, 76), (35, 209, 139), (245, 245, 67), (59, 142, 234), (214, 112, 214), (41, 184, 219), (255, 255, 255),
]
# The start or the end of a link. Links are drawn as other text.
LINK = re.compile(r"\x1b\]8;.*?(?:\x1b\\|\x07)")
STEPS = [0, 95, 135, 175, 215, 255]


def indexed(index):
    """Returns the colour with this index in xterm's palette of 256."""
    if index < 16:
        return NAMED[index]
    if index < 232:
        index -= 16
        return STEPS[index // 36], STEPS[index // 6 % 6], STEPS[index % 6]
    return (8 + 10 * (index - 232),) * 3


class Pen:
    """The colours and the face of the next characters."""

    def __init__(self, theme):
        self.usual = COLOURS[theme]
        self.reset()

    def reset(self):
        self.foreground, self.background = self.usual
        self.bold = self.underline = self.reverse = False

    def take(self, sequence):
        """Applies the numbers of one `ESC [ ... m`."""
        numbers = [int(part or 0) for part in re.split("[;:]", sequence)]
        while numbers:
            first = numbers.pop(0)
            if first == 0:
                self.reset()
            elif first in (1, 22):
                self.bold = first == 1
            elif first in (4, 24):
                self.underline = first == 4
            elif first in (7, 27):
                self.reverse = first == 7
            elif first in (38, 48):
                if numbers.pop(0) == 5:
                    colour = indexed(numbers.pop(0))
                else:
                    colour, numbers = tuple(numbers[:3]), numbers[3:]
                self.set(first == 38, colour)
            elif first in (39, 49):
                self.set(first == 39, self.usual[0 if first == 39 else 1])
            elif 30 <= first < 38 or 90 <= first < 98:
                self.set(True, NAMED[first - 30 if first < 38 else first - 82])
            elif 40 <= first < 48 or 100 <= first < 108:
                self.set(False, NAMED[first - 40 if first < 48 else first - 92])

    def set(self, is_foreground, colour):
        if is_foreground:
            self.foreground = colour
        else:
            self.background = colour

    def colours(self):
        pair = self.foreground, self.background
        return pair[::-1] if self.reverse else pair


def main(capture, fonts, png, cursor, theme):
    cursor = tuple(int(part) for part in cursor.split(","))
    rows = LINK.sub("", open(capture, encoding="utf-8").read()).rstrip("\n").split("\n")
    faces = {bold: ImageFont.truetype(f"{fonts}/DejaVuSansMono{'-Bold' if bold else ''}.ttf", SIZE) for bold in (False, True)}
    width, height = faces[False].getlength("M"), round(SIZE * 1.3)
    columns = max(len(re.sub(r"\x1b\[[\d;:]*m", "", row)) for row in rows)
    image = Image.new("RGB", (round(columns * width) + 2 * MARGIN, len(rows) * height + 2 * MARGIN), COLOURS[theme][1])
    canvas = ImageDraw.Draw(image)
    pen = Pen(theme)
    for row_index, row in enumerate(rows):
        column, top = 0, MARGIN + row_index * height
        for part in re.split(r"(\x1b\[[\d;:]*m)", row):
            if part.startswith("\x1b"):
                pen.take(part[2:-1])
                continue
            for character in part:
                left, right = MARGIN + round(column * width), MARGIN + round((column + 1) * width)
                foreground, background = pen.colours()
                if (column, row_index) == cursor:
                    foreground, background = background, foreground
                canvas.rectangle((left, top, right - 1, top + height - 1), fill=background)
                if not character.isspace():
                    canvas.text((left, top + height // 10), character, font=faces[pen.bold], fill=foreground)
                if pen.underline:
                    canvas.line((left, top + height - 3, right - 1, top + height - 3), fill=foreground, width=2)
                column += 1
    image.quantize(128, dither=Image.Dither.NONE).save(png, optimize=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
