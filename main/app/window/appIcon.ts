/** The picture of the application, drawn here: an arrow going up between the posts of a sluice gate. */
import { type Pixel, pngOf } from './png.ts';

type Colour = readonly [number, number, number];
/** From and to, in parts of the side. */
type Stroke = readonly [number, number, number, number];

const GROUND: Colour = [11, 106, 110];
const POSTS: Colour = [143, 208, 207];
const ARROW: Colour = [255, 255, 255];
const CORNER = 0.22;
const MARGIN = 0.03;
const HALF_STROKE = 0.05;

const POST_STROKES: readonly Stroke[] = [
  [0.24, 0.27, 0.24, 0.73],
  [0.76, 0.27, 0.76, 0.73],
];
const ARROW_STROKES: readonly Stroke[] = [
  [0.5, 0.27, 0.5, 0.73],
  [0.5, 0.27, 0.37, 0.41],
  [0.5, 0.27, 0.63, 0.41],
];

/** How far a point is from a stroke's edge; negative inside. */
function toStroke(x: number, y: number, [ax, ay, bx, by]: Stroke): number {
  const [dx, dy] = [bx - ax, by - ay];
  const along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy);
  const at = Math.min(1, Math.max(0, along));
  return Math.hypot(x - ax - at * dx, y - ay - at * dy) - HALF_STROKE;
}

function toGround(x: number, y: number): number {
  const half = 0.5 - MARGIN - CORNER;
  const [dx, dy] = [Math.abs(x - 0.5) - half, Math.abs(y - 0.5) - half];
  return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - CORNER;
}

/** How much of a pixel lies within an edge. */
function cover(distance: number, size: number): number {
  return Math.min(1, Math.max(0, 0.5 - distance * size));
}

function mix(below: Colour, above: Colour, part: number): Colour {
  const one = (at: 0 | 1 | 2): number => Math.round(below[at] + (above[at] - below[at]) * part);
  return [one(0), one(1), one(2)];
}

function pixel(x: number, y: number, size: number): Pixel {
  const nearest = (strokes: readonly Stroke[]): number =>
    Math.min(...strokes.map((stroke) => toStroke(x, y, stroke)));
  const posts = mix(GROUND, POSTS, cover(nearest(POST_STROKES), size));
  const colour = mix(posts, ARROW, cover(nearest(ARROW_STROKES), size));
  return [...colour, Math.round(cover(toGround(x, y), size) * 255)];
}

/** A PNG of `size` pixels a side. Pure. */
export function appIcon(size: number, compress?: (body: Buffer) => Buffer): Buffer {
  return pngOf(size, (x, y) => pixel((x + 0.5) / size, (y + 0.5) / size, size), compress);
}
