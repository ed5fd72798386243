/** The plot's colours, taken from the style sheet, and patterns for those who cannot tell them apart. */
import type { StatusClass } from '../../../../web/lib/types.ts';
import { STACK } from './plot-data.ts';

type Ink = {
  line: string;
  soft: string;
  panel: string;
  accent: string;
  info: string;
  font: string;
  classes: Record<StatusClass, string>;
};

/** Reads the current colours; they change with the theme. */
export function readInk(): Ink {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    line: token('line'),
    soft: token('ink-soft'),
    panel: token('panel'),
    accent: token('accent'),
    info: token('info'),
    font: `12px ${token('font')}`,
    classes: {
      '1xx': token('status-1xx'),
      '2xx': token('status-2xx'),
      '3xx': token('status-3xx'),
      '4xx': token('status-4xx'),
      '5xx': token('status-5xx'),
      other: token('ink-soft'),
    },
  };
}

/** The line of the 95th percentile. */
export const dashed = [6, 4];

/** The side of a pattern's tile, in pixels. */
const TILE = 8;

type Line = [x1: number, y1: number, x2: number, y2: number];
const HORIZONTAL: Line[] = [
  [0, 2, TILE, 2],
  [0, 6, TILE, 6],
];
const DIAGONAL: Line[] = [
  [-2, 2, 2, -2],
  [0, TILE, TILE, 0],
  [TILE - 2, TILE + 2, TILE + 2, TILE - 2],
];
const CROSS: Line[] = [
  ...DIAGONAL,
  ...DIAGONAL.map(([a, b, c, d]): Line => [TILE - a, b, TILE - c, d]),
];
const VERTICAL: Line[] = HORIZONTAL.map(([a, b, c, d]): Line => [b, a, d, c]);

/** Must match the legend in the style sheet. */
const LINES: Readonly<Record<StatusClass, Line[]>> = {
  '2xx': [],
  '3xx': HORIZONTAL,
  '1xx': VERTICAL,
  other: [...HORIZONTAL, ...VERTICAL],
  '4xx': DIAGONAL,
  '5xx': CROSS,
};

/** An opaque fill for each class of STACK. */
export function stackFills({ classes, panel }: Ink): (string | CanvasPattern)[] {
  return STACK.map((name) => {
    const tile = document.createElement('canvas');
    tile.width = TILE;
    tile.height = TILE;
    const pen = tile.getContext('2d');
    if (!pen || LINES[name].length === 0) return classes[name];
    pen.fillStyle = classes[name];
    pen.fillRect(0, 0, TILE, TILE);
    pen.strokeStyle = panel;
    pen.lineWidth = 1;
    pen.beginPath();
    for (const [x1, y1, x2, y2] of LINES[name]) {
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
    }
    pen.stroke();
    return pen.createPattern(tile, 'repeat') ?? classes[name];
  });
}
