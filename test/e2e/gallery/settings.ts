/** Answers for Settings. */
import { answer, fail, type Handlers } from './scenario.ts';

const BUNDLE = `Sluice 0.1.0 on linux, 2026-11-21T14:30:00Z
connections: 2 (ready, locked); keys: not in here
watches: 3, of them polling 1
items: 17,342 confirmed, 190 queued, 7 parked
settings: lanes 8, cap 08:00,2M 18:00,off, settle 5 s

14:29:58 shard.confirmed batch=line-3-host-20261121 items=420
14:29:59 transfer.retry status=503 wait=2000
14:30:00 https://storage.example/upload?X-Signature=[redacted]
`;

export function handlers(): Handlers {
  return {
    'connection.giveKey': ({ apiKey }) =>
      apiKey === 'not-the-key' ? fail('auth.rejected') : answer(null),
    'support.preview': () => answer({ text: BUNDLE }),
    'app.licences': () => answer({ text: 'svelte 5.57.3\nMIT\n\nundici 8.12.4\nMIT\n' }),
  };
}
