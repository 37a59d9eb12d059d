/** Letters that are typed in a list lead to the next row that begins with them; letters typed quickly belong together. */

/** What is typed within this time of the letter before, in ms, belongs to it. */
const TOGETHER_MS = 900;

export function typeAhead() {
  let typed = '';
  let typedAt = -TOGETHER_MS;
  return {
    /** True for a letter of a name. No name has a slash, and no list needs a question mark: both are keys of the window. */
    isTyped({ key, timeStamp }: KeyboardEvent): boolean {
      if (key === ' ') return timeStamp - typedAt <= TOGETHER_MS;
      return key.length === 1 && key !== '/' && key !== '?';
    },
    /** The row that the letter leads to from the chosen one on, among those whose text is known; null without one. */
    find(
      { key, timeStamp }: KeyboardEvent,
      from: number,
      total: number,
      textAt: (index: number) => string | null,
    ): number | null {
      typed = timeStamp - typedAt > TOGETHER_MS ? key : typed + key;
      typedAt = timeStamp;
      const start = Math.max(0, from) + (typed.length === 1 ? 1 : 0);
      for (let step = 0; step < total; step++) {
        const index = (start + step) % total;
        if (textAt(index)?.toLowerCase().startsWith(typed.toLowerCase()) === true) return index;
      }
      return null;
    },
  };
}
