import { describe, expect, it } from 'vitest';
import { type Click, meantClicks } from '../../../../../renderer/views/problems/meantClick.ts';

function clickOn(on: string | null, change: Partial<Click<string>> = {}): Click<string> {
  return { on, x: 100, y: 200, at: 0, detail: 1, ...change };
}

describe('meantClicks', () => {
  it('takes no click for a file that has just moved under the pointer', () => {
    const isMeant = meantClicks<string>();
    expect(isMeant(clickOn('ignore a'))).toBe(true);
    expect(isMeant(clickOn('ignore b', { at: 900 }))).toBe(false);
    expect(isMeant(clickOn('ignore b', { at: 1200, x: 103 }))).toBe(false);
    expect(isMeant(clickOn('ignore b', { at: 300, detail: 2 }))).toBe(false);
  });

  it('takes a click on the next file once its name can have been read, or the pointer was moved to it', () => {
    const isMeant = meantClicks<string>();
    isMeant(clickOn('ignore a'));
    expect(isMeant(clickOn('ignore b', { at: 1500 }))).toBe(true);
    expect(isMeant(clickOn('ignore c', { at: 1700, y: 244 }))).toBe(true);
  });

  it('takes every single click on the same button, and every key', () => {
    const isMeant = meantClicks<string>();
    expect(isMeant(clickOn('show files'))).toBe(true);
    expect(isMeant(clickOn('show files', { at: 600 }))).toBe(true);
    expect(isMeant(clickOn('ignore a', { at: 700, detail: 0 }))).toBe(true);
    expect(isMeant(clickOn('ignore b', { at: 800, detail: 0 }))).toBe(true);
  });
});
