/** `sluice why PATH`: why a file is, or is not, uploaded. Needs neither the service nor a key. */
import { resolve } from 'node:path';
import type { WaitKind } from '../../../preload/contract/waits.ts';
import { explainPath, type Why } from '../../engine/queries/why.ts';
import type { Action } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { type ShownWaits, waitsToShow } from '../run/waits.ts';
import { usage } from '../terminal/args.ts';
import { exactIn } from '../terminal/shownText.ts';
import { withIsoTimes } from '../terminal/format.ts';

/** What the user can do about it on the command line. */
function ways({ items, isUploadable }: Why): readonly string[] {
  const [newest] = items;
  if (newest?.state === 'parked') return [`Try again with: sluice problems --retry ${newest.id}`];
  return isUploadable ? ['Upload it with: sluice upload PATH --batch ID'] : [];
}

/** Waits that keep a file from being sent. */
const HOLDING: readonly WaitKind[] = [
  ...(['connection', 'sending', 'asking', 'files', 'planning', 'paused'] as const),
  ...(['batch', 'held', 'batchPaused', 'watchPaused'] as const),
];

/** What keeps the file from being sent now, in sentences; nothing for one that was sent or is at rest. */
function holding({ items: [newest] }: Why, { waiting }: ShownWaits): readonly string[] {
  if (newest?.state !== 'queued' && newest?.state !== 'planned') return [];
  return waiting
    .filter(({ kind, name, workspace }) => {
      const isAbout = name === null || name === newest.batch || name === newest.destination;
      const isIn = kind === 'paused' || workspace === newest.workspace;
      return isAbout && isIn && HOLDING.includes(kind);
    })
    .map(({ sentence }) => sentence);
}

export const why: Action = async (context, [given]) => {
  if (given === undefined) return usage('why takes one PATH');
  return readLedger(context, async (store) => {
    const { clock } = context;
    const { files } = await context.ports();
    const question = { batchId: context.args.text('batch'), now: clock.now() };
    const answer = await explainPath(store, files, resolve(given), question);
    const { path, headline, items } = answer;
    const held = holding(answer, waitsToShow(context, store, clock.now()));
    const details = [...held, ...answer.details, ...ways(answer)];
    const data = { path, headline, details, items: items.map(withIsoTimes) };
    const paths = [path, ...items.map((item) => item.original?.path ?? '')];
    const lines = [headline, ...details.map((line) => `  ${line}`)];
    return context.output.result(
      data,
      lines.map((line) => exactIn(line, paths)),
    );
  });
};
