/** Measures where the words and pictures of a page are drawn, by boxes, so that the pixels of a typeface do not matter. */
import type { Page } from '@playwright/test';

/** Describes words that cannot be read: clipped without an ellipsis, outside the window, over other words, or under a picture. */
export function measureBoxes(page: Page): Promise<readonly string[]> {
  return page.evaluate(measure);
}

/** Runs in the page, so it must be self-contained. */
function measure(): string[] {
  /** A line of text may exceed its box by this much, for accents and rounding, px. */
  const SLACK = 3;
  interface Words {
    readonly text: string;
    readonly parent: Element;
    readonly box: DOMRect;
  }
  const faults: string[] = [];
  const seen: Words[] = [];

  const clips = (style: CSSStyleDeclaration, axis: 'overflowX' | 'overflowY'): boolean =>
    style[axis] === 'hidden' || style[axis] === 'clip';
  const scrolls = (style: CSSStyleDeclaration): boolean =>
    [style.overflowX, style.overflowY].some((one) => one === 'auto' || one === 'scroll');

  /** Describes what hides a part of the words; 'unseen' when they are scrolled away or hidden on purpose; null for nothing. */
  function hiddenBy(words: Words): string | null {
    let cut = false;
    for (let at: Element | null = words.parent; at !== null; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.clipPath !== 'none' || style.visibility === 'hidden') return 'unseen';
      if (style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none') cut = true;
      const frame = at.getBoundingClientRect();
      const beside = words.box.left < frame.left - 1 || words.box.right > frame.right + 1;
      const above = words.box.top < frame.top - SLACK || words.box.bottom > frame.bottom + SLACK;
      if (scrolls(style) && (beside || above)) return 'unseen';
      if (beside && clips(style, 'overflowX') && !cut) return `cut at the side by ${at.className}`;
      if (above && clips(style, 'overflowY') && !cut)
        return `cut above or below by ${at.className}`;
      if (beside && cut && clips(style, 'overflowX')) return 'unseen';
      if (style.position === 'fixed') break;
    }
    const out = words.box.right > innerWidth + 1 || words.box.left < -1;
    return out ? 'outside of the window' : null;
  }

  /** Whether something opaque lies over the middle of the words: a dialog, or the head of a list. */
  function isCovered({ parent, box }: Words): boolean {
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    for (let at = top; at !== null && !at.contains(parent); at = at.parentElement) {
      if (parent.contains(at)) return false;
      if (!/^(transparent|rgba\(.*, 0\))$/.test(getComputedStyle(at).backgroundColor)) return true;
    }
    return false;
  }

  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode() !== null) {
    const node = walker.currentNode;
    const text = node.textContent?.trim() ?? '';
    const parent = node.parentElement;
    if (text === '' || parent === null || !parent.checkVisibility({ checkOpacity: true })) continue;
    if (parent.closest('script, style, option, title') !== null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const words = { text: text.slice(0, 40), parent, box };
      if (box.width < 1 || box.height < 1 || box.bottom < 0 || box.top > innerHeight) continue;
      const hidden = hiddenBy(words);
      if (hidden === 'unseen' || isCovered(words)) continue;
      if (hidden === null) seen.push(words);
      else faults.push(`“${words.text}” is ${hidden}`);
    }
  }
  function overlap(one: DOMRect, other: DOMRect): boolean {
    const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return wide > 2 && high > SLACK;
  }

  for (const [index, one] of seen.entries()) {
    for (const other of seen.slice(index + 1)) {
      if (one.parent !== other.parent && overlap(one.box, other.box))
        faults.push(`“${one.text}” lies over “${other.text}”`);
    }
  }
  for (const image of document.images) {
    const box = image.getBoundingClientRect();
    if (hiddenBy({ text: '', parent: image, box }) !== null) continue;
    for (const { text } of seen.filter((words) => overlap(words.box, box)))
      faults.push(`A picture lies over “${text}”`);
  }
  return [...new Set(faults)];
}
