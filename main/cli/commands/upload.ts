/** `sluice upload PATH… --batch ID`: sends, waits until the service confirms, exits. */
import { sourceIds } from '../../engine/batchNames.ts';
import { ok } from '../../engine/errors.ts';
import { usage } from '../terminal/args.ts';
import type { Command } from '../session/context.ts';
import { withSession } from '../session/session.ts';
import { readWish, runUpload } from '../run/uploadRun.ts';

export const upload: Command = {
  usage:
    'sluice upload PATH… --batch ID [--name TEXT] [--mode auto|single|bulk] [--job-type image|video] [--no-links]',
  about: 'sends files and directories into the batch and waits until the service confirms them',
  options: { batch: 'text', name: 'text', mode: 'text', 'job-type': 'text', 'no-links': 'flag' },
  run: async (context) => {
    if (context.args.words.length === 0) return usage('name at least one file or directory');
    const wish = readWish(context, context.args.words);
    if (!wish.ok) return wish;
    const { baseId } = wish.value;
    return withSession(context, 'upload', sourceIds(baseId), async (session) => {
      const end = await runUpload(context, session, wish.value);
      end.summarize();
      return ok(end.exitCode);
    });
  },
};
