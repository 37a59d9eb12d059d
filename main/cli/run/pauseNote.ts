/**
 * Why a watch that runs cannot work at the moment, in a file of the data folder: between two tries it holds no ledger, and `status` would
 * take it for ended. The file is made while all is well, and written in place: a full disk does not prevent that.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import {
  detailOf,
  ERROR_CODES,
  type ErrorCode,
  shownCode,
  type SluiceError,
} from '../../engine/core/errors.ts';
import { errnoOf } from '../../engine/core/errno.ts';
import { WAIT_ATTENTION_MS } from '../../engine/core/limits.ts';
import type { Clock } from '../../engine/core/ports.ts';
import { makePrivateFile } from '../../engine/core/privateFiles.ts';
import type { WaitView } from '../../../preload/contract/waits.ts';

/** Larger than any note. */
const SIZE_BYTES = 4096;
const MAX_DETAIL = 500;
/** How late the next try may begin, in ms. Our choice. */
const LATE_MS = 3_000;
/** Work that fails sooner than this for the same cause has not ended the pause, in ms. Our choice. */
const SHORT_MS = 60_000;

const NOTE = z.object({
  owner: z.string(),
  /** The process that wrote the note, and the computer or container in which its id means something. */
  pid: z.number(),
  host: z.string(),
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
  /** This process has the folder and begins to work. */
  begin(): void;
  /** The command ends. A note of another process stays. */
  end(): void;
}

const THIS_PROCESS = { pid: process.pid, host: hostname() };

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

/** `owner`: what the watch calls itself as the owner of the folder. */
export function pauseNoteIn(
  directory: string,
  owner: string,
  clock: Pick<Clock, 'now' | 'monotonicMs'>,
): PauseNote {
  /** The last failure: since when, and when the same again would be a new one. Monotonic ms. */
  let last: { readonly code: ErrorCode; readonly since: number; overAt: number } | null = null;
  const clear = (): void => write(directory, '{}');
  return {
    pause: (error, pauseMs) => {
      const [now, at] = [clock.monotonicMs(), clock.now()];
      const code = shownCode(error);
      const since = last?.code === code && now < last.overAt ? last.since : now;
      last = { code, since, overAt: Number.POSITIVE_INFINITY };
      const times = { at, since: Math.round(at - (now - since)), nextAt: at + pauseMs };
      const detail = detailOf(error)?.slice(0, MAX_DETAIL) ?? null;
      write(directory, JSON.stringify({ owner, ...THIS_PROCESS, code, detail, ...times }));
    },
    begin: () => {
      if (last !== null) last.overAt = clock.monotonicMs() + SHORT_MS;
      clear();
    },
    end: () => {
      if (last !== null) clear();
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

/** Whether the process that wrote the note has ended; false where its id cannot be looked up. */
function hasEnded({ pid, host }: z.infer<typeof NOTE>): boolean {
  if (host !== THIS_PROCESS.host) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return errnoOf(error) === 'ESRCH';
  }
}

/** What a running watch waits for; null when none does. `owner`: who holds the folder now, which it does while it tries. */
export function pauseIn(directory: string, owner: string | null, now: number): WaitView | null {
  const note = readNote(directory);
  if (note === null || hasEnded(note)) return null;
  const { code, detail, at, since, nextAt } = note;
  // A process that was killed leaves its note behind: where that cannot be seen, it counts only around the time of the next try.
  const isBetween = owner === null && now >= at - LATE_MS && now <= nextAt + LATE_MS;
  if (!isBetween && owner !== note.owner) return null;
  const attention = now - since >= WAIT_ATTENTION_MS;
  const about = { workspace: '', kind: 'program', name: null, count: 0, bytes: 0 } as const;
  return { ...about, code, detail, since, nextAt, attention };
}
