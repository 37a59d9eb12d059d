/** `sluice why PATH`: why a file is, or is not, uploaded. Needs neither the service nor a key. */
import { explainPath, type Why } from '../../engine/queries/why.ts';
import { givenPath } from '../options/givenPath.ts';
import { runningOn } from '../run/waits.ts';
import type { Action } from '../session/context.ts';
import { readLedger } from '../session/ledger.ts';
import { exactIn } from '../terminal/shownText.ts';
import { withIsoTimes } from '../terminal/format.ts';

/** What the user can do about it on the command line. */
function ways({ items, isUploadable }: Why): readonly string[] {
  const [newest] = items;
  if (newest?.state === 'parked') return [`Try again with: sluice problems --retry ${newest.id}`];
  return isUploadable ? ['Upload it with: sluice upload PATH --batch ID'] : [];
}

export const why: Action = (context, [given = '']) =>
  readLedger(context, async (store) => {
    const { clock } = context;
    const { files } = await context.ports();
    const now = clock.now();
    const { running } = runningOn(context.dataDirectory, now);
    const question = { batchId: context.args.text('batch'), now, running };
    const answer = await explainPath(store, files, givenPath(given), question);
    const { path, headline, items } = answer;
    const details = [...answer.details, ...ways(answer)];
    const data = { path, headline, details, items: items.map(withIsoTimes) };
    const paths = [path, ...items.map((item) => item.original?.path ?? '')];
    const lines = [headline, ...details.map((line) => `  ${line}`)];
    return context.output.result(
      data,
      lines.map((line) => exactIn(line, paths)),
    );
  });
