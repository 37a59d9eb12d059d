/** How long the short messages stay, and which ones replace others. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  addToast,
  dismissToast,
  keepToastsWhile,
  toasts,
} from '../../../../renderer/state/toasts.svelte.ts';

const shown = (): readonly string[] => toasts().map(({ text }) => text);
const undo = { label: 'Undo', run: () => undefined };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  toasts().forEach(({ id }) => dismissToast(id));
  vi.useRealTimers();
});

it('what can be undone stays long enough to reach the button, and so do errors; the rest goes sooner', () => {
  addToast({ tone: 'error', text: 'refused' });
  addToast({ tone: 'done', text: 'ignored', action: undo });
  addToast({ tone: 'done', text: 'copied' });
  vi.advanceTimersByTime(6000);
  expect(shown()).toEqual(['refused', 'ignored']);
  vi.advanceTimersByTime(8900);
  expect(shown()).toEqual(['refused', 'ignored']);
  vi.advanceTimersByTime(100);
  expect(shown()).toEqual([]);
});

it('a new success replaces an older one, but nothing that can be undone', () => {
  addToast({ tone: 'done', text: 'ignored', action: undo });
  addToast({ tone: 'done', text: 'copied' });
  addToast({ tone: 'done', text: 'saved' });
  expect(shown()).toEqual(['ignored', 'saved']);
});

it('what a person points at does not vanish under the pointer, and goes once it is left', () => {
  let pointedAt = true;
  keepToastsWhile(() => pointedAt);
  addToast({ tone: 'done', text: 'ignored', action: undo });
  vi.advanceTimersByTime(60_000);
  expect(shown()).toEqual(['ignored']);
  pointedAt = false;
  vi.advanceTimersByTime(1000);
  expect(shown()).toEqual([]);
});
