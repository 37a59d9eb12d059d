/** Whether the user's files are safe, for every error. A code without an entry is a compile error. */
import type { ErrorCode } from './errors.ts';

const UNTOUCHED = 'Your files are safe: Sluice never changes them.';
const IN_BATCH = 'Your files are safe: they are on this computer and still in the batch.';

const SAFETY: Readonly<Record<ErrorCode, string | null>> = {
  'network.lost': null,
  'network.timeout': null,
  'network.tls': UNTOUCHED,
  'network.unresolved': null,
  'network.proxyAuth': null,
  'network.intercepted': UNTOUCHED,
  'net.offline': null,
  'system.openFiles': UNTOUCHED,
  'service.busy': null,
  'service.failed': null,
  'service.noAnswer': 'Your files are safe: they stay where they are, and nothing is sent twice.',
  'service.quota': null,
  'service.forbidden': UNTOUCHED,
  'service.refused': UNTOUCHED,
  'service.notFound': UNTOUCHED,
  'service.unexpectedAnswer': UNTOUCHED,
  'auth.rejected': UNTOUCHED,
  'file.busy': null,
  'item.changed': UNTOUCHED,
  'item.unsupported': null,
  'item.temporary': UNTOUCHED,
  'item.excluded': UNTOUCHED,
  'item.duplicate': null,
  'item.empty': null,
  'item.tooLarge': UNTOUCHED,
  'item.gone': 'Sluice did not remove it; it never changes your files.',
  'item.replaced': null,
  'item.ignored': null,
  'item.unstable': UNTOUCHED,
  'item.unreadable': UNTOUCHED,
  'item.truncated': 'The file is untouched; its end was missing already.',
  'item.link': UNTOUCHED,
  'item.rejected': UNTOUCHED,
  'directory.unreadable': UNTOUCHED,
  'watch.missing': UNTOUCHED,
  'watch.changing': UNTOUCHED,
  'disk.full': null,
  'disk.failed': UNTOUCHED,
  'disk.missing': UNTOUCHED,
  'power.battery': null,
  'upload.urlExpired': UNTOUCHED,
  'upload.unproven': null,
  'upload.damaged': 'Your file is untouched; the damaged copy does not count as uploaded.',
  'shard.rejected': UNTOUCHED,
  'batch.conflict': UNTOUCHED,
  'job.conflict': IN_BATCH,
  'job.batchGone': UNTOUCHED,
  'job.failed': null,
  'job.aborted': IN_BATCH,
  'part.damaged': 'Your files are untouched, and the results are still at the service.',
  'output.damaged': 'Your files are untouched; the damaged download was discarded.',
  'part.unsafeName': null,
  'results.incomplete':
    'Your files are untouched, and the results stay at the service until the batch expires.',
  'usage.invalid': 'Nothing was changed.',
  'store.owned': 'Nothing was changed.',
  'store.newer': null,
  'store.older': null,
  'store.corrupt': null,
  'bug.illegalTransition': null,
  'bug.unexpected': null,
};

/** Whether the files are safe after an error: a sentence, or null when the error's own texts cover it. */
export function safetyOf(code: ErrorCode): string | null {
  return SAFETY[code];
}
