export interface ChartShape {
  readonly width: number;
  readonly height: number;
  /** The value at the upper edge. */
  readonly top: number;
  /** How many values fill the width; fewer are aligned to the right. */
  readonly places: number;
}

/** The next 1, 2 or 5 times a power of ten, so that the scale does not change with every small move. */
export function niceTop(most: number): number {
  if (!Number.isFinite(most) || most <= 0) return 1_000_000;
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 5, 10].find((candidate) => candidate * power >= most) ?? 10;
  return step * power;
}

function points(values: readonly number[], shape: ChartShape): readonly string[] {
  const shown = values.slice(-shape.places);
  const skip = shape.places - shown.length;
  const step = shape.width / Math.max(1, shape.places - 1);
  return shown.map((value, index) => {
    const part = Math.min(1, Math.max(0, Number.isFinite(value) ? value / shape.top : 0));
    return `${((skip + index) * step).toFixed(1)} ${(shape.height * (1 - part)).toFixed(1)}`;
  });
}

/** The line through the values; '' for fewer than two. */
export function linePath(values: readonly number[], shape: ChartShape): string {
  const all = points(values, shape);
  return all.length < 2 ? '' : `M${all.join('L')}`;
}

export function areaPath(values: readonly number[], shape: ChartShape): string {
  const all = points(values, shape);
  const first = all[0]?.split(' ')[0];
  if (all.length < 2 || first === undefined) return '';
  return `M${first} ${shape.height}L${all.join('L')}L${shape.width} ${shape.height}Z`;
}
