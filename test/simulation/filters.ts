/** The filters that a seed can draw. Their meaning is written here independently, not taken from the engine. */
import type { WatchRule } from '../../preload/contract/watchRule.ts';

interface Filter {
  readonly rule: Partial<Pick<WatchRule, 'include' | 'exclude' | 'kinds'>>;
  /** Whether a path within the watch passes the filter. */
  readonly takes: (path: string) => boolean;
}

const isVideo = (path: string): boolean => path.endsWith('.mkv');

/** The filters to draw from. A glob without a slash matches the name in any directory. */
export const FILTERS: readonly [Filter, ...Filter[]] = [
  { rule: { include: ['*.jpg'] }, takes: (path) => path.endsWith('.jpg') },
  { rule: { include: ['*.jpg', '*.mkv'] }, takes: (path) => /\.(jpg|mkv)$/.test(path) },
  { rule: { include: ['cam-?/*'] }, takes: (path) => /^cam-.\/[^/]*$/.test(path) },
  { rule: { exclude: ['*.png'] }, takes: (path) => !path.endsWith('.png') },
  { rule: { exclude: ['cam-a/**'] }, takes: (path) => !path.startsWith('cam-a/') },
  { rule: { exclude: ['image-[1-5].*'] }, takes: (path) => !/(^|\/)image-[1-5]\./.test(path) },
  {
    rule: { include: ['*.{jpg,png}'], exclude: ['cam-b'] },
    takes: (path) => /\.(jpg|png)$/.test(path) && !path.startsWith('cam-b/'),
  },
  { rule: { kinds: 'images' }, takes: (path) => !isVideo(path) },
  { rule: { kinds: 'videos' }, takes: isVideo },
];

function sameList(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.join('\n') === b.join('\n');
}

/** Whether a rule takes the file at this path within its watch. Hidden files are never taken. */
export function takes({ include, exclude, kinds }: WatchRule, path: string): boolean {
  if (`/${path}`.includes('/.')) return false;
  const filter = FILTERS.find(
    ({ rule }) =>
      sameList(rule.include, include) &&
      sameList(rule.exclude, exclude) &&
      (rule.kinds ?? 'both') === kinds,
  );
  return filter === undefined || filter.takes(path);
}
