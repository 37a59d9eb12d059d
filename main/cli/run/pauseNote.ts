/**
 * Why a watch that runs cannot work at the moment, in a file of the data folder: between two tries it holds no ledger, and `status` would
 * take it for ended. The file is made while all is well, and written in place: a full disk does not prevent that.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  detailOf,
  ERROR_CODES,
  type ErrorCode,
  shownCode,
  type SluiceError,
} from '../../engine/core/errors.ts';
import { WAIT_ATTENTION_MS } from '../../engine/core/limits.ts';
import type { Clock } from '../../engine/core/ports.ts';
import { currentOwner } from '../../engine/queries/overview.ts';
import { makePrivateFile } from '../../engine/core/privateFiles.ts';
import type { WaitView } from '../../../preload/contract/waits.ts';

/** Larger than any note. */
const SIZE_BYTES = 4096;
const MAX_DETAIL = 500;
/** How late the next try may begin, in ms. Our choice. */
const LATE_MS = 3_000;

const NOTE = z.object({
  pid: z.number(),
  code: z.enum(ERROR_CODES),
  detail: z.string().nullable(),
  /** Epoch ms by this computer's clock: when the note was written, since when it is so, and when the next try begins. */
  at: z.number(),
  since: z.number(),
  nextAt: z.number(),
});

export interface PauseNote {
  /** Nothing works, and it is tried again after `pauseMs`. */
  pause(error: SluiceError, pauseMs: number): void;
  /** It works, or has ended. */
  clear(): void;
}

const pathIn = (directory: string): string => join(directory, 'pause.json');

function write(directory: string, text: string): void {
  const bytes = Buffer.alloc(SIZE_BYTES, ' ');
  bytes.write(text);
  makePrivateFile(pathIn(directory));
  try {
    const file = openSync(pathIn(directory), 'r+');
    try {
      writeSync(file, bytes, 0, SIZE_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // It is only shown.
  }
}

export function pauseNoteIn(
  directory: string,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): PauseNote {
  let last: { readonly code: ErrorCode; readonly since: number } | null = null;
  return {
    pause: (error, pauseMs) => {
      const code = shownCode(error);
      const since = last?.code === code ? last.since : clock.monotonicMs();
      last = { code, since };
      const at = clock.now();
      const times = { at, since: at - (clock.monotonicMs() - since), nextAt: at + pauseMs };
      const detail = detailOf(error)?.slice(0, MAX_DETAIL) ?? null;
      write(directory, JSON.stringify({ pid: process.pid, code, detail, ...times }));
    },
    clear: () => {
      last = null;
      write(directory, '{}');
    },
  };
}

function readNote(directory: string): z.infer<typeof NOTE> | null {
  try {
    const note: unknown = JSON.parse(readFileSync(pathIn(directory), 'utf8'));
    return NOTE.safeParse(note).data ?? null;
  } catch {
    return null;
  }
}

/** What a running watch waits for; null when none does. `owner`: who holds the folder now, which it does while it tries. */
export function pauseIn(directory: string, owner: string | null, now: number): WaitView | null {
  const note = readNote(directory);
  if (note === null) return null;
  const { pid, code, detail, at, since, nextAt } = note;
  // A process that was killed leaves its note behind: it counts only around the time of the next try.
  const isBetween = owner === null && now >= at - LATE_MS && now <= nextAt + LATE_MS;
  if (!isBetween && owner?.startsWith(`pid ${pid} `) !== true) return null;
  const attention = now - since >= WAIT_ATTENTION_MS;
  const about = { workspace: '', kind: 'program', name: null, count: 0, bytes: 0 } as const;
  return { ...about, code, detail, since, nextAt, attention };
}

/** Whether a Sluice works on this ledger, or tries to. */
export function isRunning(directory: string, now: number): boolean {
  const owner = currentOwner(directory);
  return owner !== null || pauseIn(directory, owner, now) !== null;
}
