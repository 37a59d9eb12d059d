/** Draws time and memory against the number of files, as an SVG that is legible on light and dark pages. Pure. */
import type { Figure } from './figures.ts';
import { SIDES } from './rows/files.ts';

const WIDTH = 760;
const HEIGHT = 300;
const PANEL = { width: 280, height: 180, top: 56 } as const;
const LEFTS = [72, 446] as const;
/** The style of each side. */
const CLASSES = ['a', 'b', 'c'] as const;

const STYLE = `
  text { font: 12px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
  .page { fill: #ffffff; stroke: #d1d9e0; } .line { stroke: #d1d9e0; } .soft { fill: #59636e; } .title { font-weight: 600; }
  .a { stroke: #59636e; fill: #59636e; } .b { stroke: #0969da; fill: #0969da; } .c { stroke: #bc4c00; fill: #bc4c00; }
  path { fill: none !important; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .page { fill: #0d1117; stroke: #3d444d; } .line { stroke: #3d444d; } .soft { fill: #9198a1; }
    .a { stroke: #9198a1; fill: #9198a1; } .b { stroke: #4493f8; fill: #4493f8; } .c { stroke: #f0883e; fill: #f0883e; }
  }`;

interface Point {
  readonly files: number;
  readonly value: number;
}

interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly left: number;
  readonly isLogarithmic: boolean;
  readonly lines: readonly (readonly Point[])[];
}

function pointsOf(figures: readonly Figure[], side: string, what: string): readonly Point[] {
  return figures.flatMap((figure) => {
    const match = /^([\d,]+) files, (.+), (time|memory at most)$/.exec(figure.what);
    if (match?.[2] !== side || match[3] !== what) return [];
    return [{ files: Number(match[1]?.replaceAll(',', '')), value: figure.value.median }];
  });
}

/** Round axis values from 0, or from a power of ten, up to the first above the maximum. */
function ticksOf(values: readonly number[], isLogarithmic: boolean): readonly number[] {
  const most = Math.max(...values);
  if (isLogarithmic) {
    const from = Math.floor(Math.log10(Math.min(...values)));
    const until = Math.ceil(Math.log10(most));
    return Array.from({ length: until - from + 1 }, (_, index) => 10 ** (from + index));
  }
  const step = [50, 100, 200, 500].find((each) => most / each <= 5) ?? 1000;
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}

const rounded = (value: number): string => String(Number(value.toFixed(1)));

function drawPanel({ title, unit, left, isLogarithmic, lines }: Panel): string {
  const all = lines.flat();
  const counts = [...new Set(all.map(({ files }) => files))].toSorted((a, b) => a - b);
  const values = all.map(({ value }) => value);
  const ticks = ticksOf(values, isLogarithmic);
  const scale = (value: number): number => (isLogarithmic ? Math.log10(value) : value);
  const [low, high] = [scale(ticks[0] ?? 0), scale(ticks.at(-1) ?? 1)];
  const x = (files: number): number =>
    left + 20 + (counts.indexOf(files) / Math.max(1, counts.length - 1)) * (PANEL.width - 40);
  const y = (value: number): number =>
    PANEL.top + PANEL.height * (1 - (scale(value) - low) / (high - low));
  const grid = ticks.map((tick) => {
    const at = rounded(y(tick));
    const label = `<text class="soft" x="${left - 8}" y="${at}" dy="4" text-anchor="end">${tick}</text>`;
    return `<line class="line" x1="${left}" x2="${left + PANEL.width}" y1="${at}" y2="${at}"/>${label}`;
  });
  const below = counts.map((count) => {
    const text = count >= 1_000_000 ? `${count / 1_000_000}M` : `${count / 1000}k`;
    const at = `x="${rounded(x(count))}" y="${PANEL.top + PANEL.height + 20}"`;
    return `<text class="soft" ${at} text-anchor="middle">${text}</text>`;
  });
  const drawn = lines.map((points, index) => {
    const name = CLASSES[index] ?? 'c';
    const places = points.map(({ files, value }) => `${rounded(x(files))} ${rounded(y(value))}`);
    const dots = places.map((place) => {
      const [cx = '', cy = ''] = place.split(' ');
      return `<circle class="${name}" cx="${cx}" cy="${cy}" r="3.5"/>`;
    });
    return `<path class="${name}" d="M${places.join('L')}"/>${dots.join('')}`;
  });
  const heading = `<text class="title" x="${left}" y="${PANEL.top - 20}">${title}, ${unit}</text>`;
  return [heading, ...grid, ...below, ...drawn].join('\n');
}

/** The figure for the row `files`; `note` says on what it was measured. */
export function drawFiles(figures: readonly Figure[], note: string): string {
  const sides = SIDES.filter((side) => pointsOf(figures, side, 'time').length > 0);
  const lines = (what: string): Panel['lines'] =>
    sides.map((side) => pointsOf(figures, side, what));
  const [first, second] = LEFTS;
  const bottom = HEIGHT - 22;
  const key = sides.map((side, index) => {
    const at = first + index * 116;
    const name = CLASSES[index] ?? 'c';
    return `<circle class="${name}" cx="${at + 4}" cy="${bottom - 4}" r="4"/><text x="${at + 14}" y="${bottom}">${side}</text>`;
  });
  const body = [
    drawPanel({ title: 'Time', unit: 's', left: first, isLogarithmic: true, lines: lines('time') }),
    drawPanel({
      title: 'Memory at most',
      unit: 'MiB',
      left: second,
      isLogarithmic: false,
      lines: lines('memory at most'),
    }),
    ...key,
    `<text class="soft" x="${WIDTH - 34}" y="${bottom}" text-anchor="end">${note}</text>`,
  ];
  const page = `<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="6"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Time and memory of an upload by the number of files">
<style>${STYLE}
</style>
${page}
${body.join('\n')}
</svg>
`;
}
