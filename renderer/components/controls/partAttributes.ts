import type { ControlProps } from './controlProps.ts';

const PART_NAMES: Readonly<Record<string, string>> = {
  hour: 'Hours',
  minute: 'Minutes',
  year: 'Year',
  month: 'Month',
  day: 'Day',
};

/** The attributes of a part; separators between parts have no name. */
export function partAttributes(
  part: string,
  { invalid }: ControlProps,
): Readonly<Record<string, string | undefined>> {
  const name = PART_NAMES[part];
  if (name === undefined) return {};
  return {
    'aria-label': name,
    'aria-labelledby': undefined,
    'aria-describedby': undefined,
    'aria-invalid': invalid === true ? 'true' : undefined,
  };
}
