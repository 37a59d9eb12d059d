/** The texts of every error, for window and command line: what happened, what to do. A code without texts is a compile error. */
import { detailOf, shownCode, withDetail } from './errorDetail.ts';
import type { ErrorCode, SluiceError } from './errors.ts';
import { safetyOf } from './safety.ts';

export interface ErrorWords {
  /** What happened, as a sentence. */
  readonly message: string;
  /** What to do, as a sentence. */
  readonly hint: string;
  /** Whether the files are safe; null when message or hint covers it. */
  readonly safety: string | null;
}

/** The advice about what Sluice tries again by itself. */
export const AGAIN = 'Nothing is lost; it continues by itself.';

const CHECK_PROXY = 'Check the address of the proxy (HTTPS_PROXY), and whether it allows both.';

const WORDS: Readonly<Record<ErrorCode, Omit<ErrorWords, 'safety'>>> = {
  'network.lost': {
    message: 'The connection to the service failed.',
    hint: `${AGAIN} If this lasts, check the network and the address of the service.`,
  },
  'network.timeout': { message: 'The service took too long to answer.', hint: AGAIN },
  'network.tls': {
    message: 'The service could not prove its identity, so nothing was sent to it.',
    hint: 'Check the address. Behind a company proxy, set NODE_EXTRA_CA_CERTS to its certificate.',
  },
  'network.unresolved': {
    message: 'The host name of the service was not found.',
    hint: `Check the address and the network. ${AGAIN}`,
  },
  'network.proxyAuth': {
    message: 'The proxy requires a user name and a password.',
    hint: 'Add them to the address of the proxy (HTTPS_PROXY). Nothing is lost; uploads continue once the proxy lets them through.',
  },
  'network.proxy': {
    message: 'The proxy could not be reached, or it blocks the service or its storage.',
    hint: CHECK_PROXY,
  },
  'network.intercepted': {
    message: 'A proxy or sign-in page is answering instead of the service.',
    hint: 'Sign in to the network, or check the address of the service. Sluice checks every 15 seconds and continues by itself.',
  },
  'net.offline': { message: 'No network connection.', hint: AGAIN },
  'system.openFiles': {
    message: 'Sluice cannot open more files and connections at once.',
    hint: 'Raise the limit (ulimit -n 4096) and restart Sluice; until then it keeps trying.',
  },
  'system.replaced': { message: 'Sluice was updated or moved.', hint: 'Restart Sluice.' },
  'service.busy': { message: 'The service is busy.', hint: AGAIN },
  'service.failed': { message: 'The service had an internal error.', hint: AGAIN },
  'service.noAnswer': {
    message:
      'The service’s answer was lost or empty, so it is not known yet whether the request arrived.',
    hint: 'Sluice asks the service before it sends anything again.',
  },
  'service.quota': {
    message: 'The workspace’s plan or credits do not allow this.',
    hint: 'Check the plan of the workspace. The files are kept in the queue and continue afterwards.',
  },
  'service.forbidden': {
    message: 'The key is not allowed to do this.',
    hint: 'Use a key with this permission, then try again.',
  },
  'service.refused': {
    message: 'The service refused this.',
    hint: 'Fix the cause, then try again.',
  },
  'service.notFound': {
    message: 'The service does not know this.',
    hint: 'Check the id and the workspace.',
  },
  'service.unexpectedAnswer': {
    message: 'Sluice does not understand the service’s answer.',
    hint: 'Check the address of the service. The log has the start of the answer.',
  },
  'auth.rejected': {
    message: 'The service refused the key.',
    hint: 'Provide a valid key (SLUICE_API_KEY or --api-key-file); queued files continue with it.',
  },
  'file.busy': { message: 'Another program has locked the file.', hint: AGAIN },
  'item.changed': {
    message: 'The file changed while it was read.',
    hint: 'It is checked again once it stops changing.',
  },
  'item.unsupported': {
    message: 'Not an image or video that the service accepts.',
    hint: 'Nothing to do; the file stays where it is.',
  },
  'item.temporary': {
    message: 'The name marks the file as temporary or hidden.',
    hint: 'Rename the file to upload it.',
  },
  'item.excluded': {
    message: 'A rule excludes this file, or its upload was stopped.',
    hint: 'Change the rule, or add the file again, to upload it.',
  },
  'item.stopped': { message: 'Its upload was stopped.', hint: 'Add the file again to upload it.' },
  'item.duplicate': {
    message: 'The same content is already in this destination.',
    hint: 'Nothing to do; it was sent once.',
  },
  'item.empty': { message: 'The file is empty.', hint: 'Nothing to do, or write the file again.' },
  'item.tooLarge': {
    message: 'The image is larger than the service accepts (20 MiB).',
    hint: 'Make it smaller, or export it with stronger compression.',
  },
  'item.gone': { message: 'The file no longer exists.', hint: 'Put it back to upload it.' },
  'item.replaced': {
    message: 'The file was replaced before it was sent; the new content is queued.',
    hint: 'Nothing to do.',
  },
  'item.ignored': {
    message: 'You chose to ignore this file.',
    hint: 'Nothing to do. To upload it after all, run: sluice problems --retry ID.',
  },
  'item.unstable': {
    message: 'The file keeps changing while it is read.',
    hint: 'Check which program writes to it, then try again.',
  },
  'item.unreadable': {
    message: 'The file cannot be read.',
    hint: 'Give this user permission to read it, then try again.',
  },
  'item.truncated': {
    message: 'The file is incomplete: its end is missing.',
    hint: 'Replace the file. A watch sends it then by itself; after an upload, run the same command again.',
  },
  'item.link': {
    message: 'The link leads to no file: its target does not exist, or it leads back to itself.',
    hint: 'Fix the link or remove it.',
  },
  'item.rejected': {
    message: 'The service does not accept this file.',
    hint: 'Replace the file or leave it out.',
  },
  'directory.unreadable': {
    message: 'The directory cannot be read, so its files are not uploaded.',
    hint: 'Connect its drive, or give this user permission to read it. A watch then finds its files; after an upload, run the same command again.',
  },
  'watch.missing': {
    message: 'The watched directory is not there, or its drive does not answer.',
    hint: 'Connect the drive or mount the share again.',
  },
  'watch.changing': {
    message: 'Files in the watched directory keep changing, so they are not sent yet.',
    hint: 'If they are overwritten all the time, pause that, or use a shorter settle time.',
  },
  'disk.full': {
    message: 'The disk is full. Nothing is lost; your own files are untouched.',
    hint: 'Free some space; it continues by itself.',
  },
  'disk.failed': {
    message: 'Reading from or writing to the disk failed.',
    hint: 'Check the permissions and the health of the disk.',
  },
  'disk.missing': {
    message: 'The drive of this directory is not connected, or does not answer.',
    hint: 'Connect it, or choose another directory.',
  },
  'power.battery': {
    message: 'Waiting for mains power; nothing is lost.',
    hint: 'It continues by itself when the computer is plugged in. You can change this in the settings.',
  },
  'upload.urlExpired': {
    message: 'The link to the storage expired, or the storage refused it.',
    hint: 'Sluice requests a new one by itself. If that never helps, tell those who run the service.',
  },
  'upload.unproven': {
    message: 'It is not certain whether this file arrived. Your file is safe.',
    hint: 'Check the batch at the service, then try again (this could upload it twice) or mark it as delivered.',
  },
  'upload.damaged': {
    message: 'The file was damaged during the upload: its checksum in the storage differs.',
    hint: 'Sluice sends it again by itself.',
  },
  'shard.rejected': {
    message: 'The service did not take this file from its archive.',
    hint: 'Replace the file, or try again: only this file is sent.',
  },
  'batch.conflict': {
    message:
      'The batch cannot accept this: it holds another kind of file or uses another upload mode.',
    hint: 'Choose another batch id.',
  },
  'batch.gone': {
    message:
      'The service does not know the batch any more; use another batch id if it was deleted there.',
    hint: 'Otherwise there is nothing to do: after an hour, what is left goes into a new batch.',
  },
  'batch.lacksFiles': {
    message: 'The service may no longer have files that it confirmed.',
    hint: 'Check the batch at the service, and upload the files again if they were deleted there. To process what is there anyway, start the job yourself.',
  },
  'job.conflict': {
    message:
      'The service did not start the job: another job has this id, or the batch is not ready.',
    hint: 'Check the job with this id, or use another id.',
  },
  'job.batchGone': {
    message:
      'The job did not start: the service has deleted the files of its batch, which had expired.',
    hint: 'Upload the files into a new batch and start a job over it.',
  },
  'job.failed': {
    message: 'The job failed. The uploaded files are still in the batch.',
    hint: 'Check the messages of its stages; restart it or start another one.',
  },
  'job.aborted': { message: 'The job was aborted.', hint: 'Restart it, or start another one.' },
  'part.damaged': {
    message: 'A downloaded archive is damaged.',
    hint: 'Download the batch again. The damaged archive is kept.',
  },
  'part.unsafeName': {
    message: 'An archive tries to write outside its directory. It was not unpacked.',
    hint: 'The archive is kept unchanged; inspect it with care.',
  },
  'results.incomplete': {
    message: 'The service does not list all result files yet.',
    hint: 'Download them again later: files that are already here are not fetched again.',
  },
  'output.damaged': {
    message: 'The downloaded bytes are not those of the file.',
    hint: 'Download the batch again. If the error remains, the file is damaged at the service.',
  },
  'usage.invalid': { message: 'The command is not valid.', hint: 'See sluice --help.' },
  'store.owned': {
    message: 'Another Sluice is using this data folder.',
    hint: 'Use that one, quit it, or choose another folder with --data-dir.',
  },
  'store.newer': {
    message: 'The ledger in this data folder was written by a newer Sluice.',
    hint: 'Use the newer version; nothing was changed.',
  },
  'store.older': {
    message: 'An older Sluice is running on this data folder, so nothing was changed.',
    hint: 'Quit the running Sluice and start the new version once; then run the command again.',
  },
  'store.corrupt': {
    message: 'The ledger is damaged.',
    hint: 'Restart Sluice: the damaged file is set aside and its readable rows are kept.',
  },
  'bug.illegalTransition': {
    message: 'Sluice stopped because of a bug. Nothing is lost.',
    hint: 'Run the same command again, and please report the bug with the log.',
  },
  'bug.unexpected': {
    message: 'Sluice stopped because of an unexpected error. Nothing is lost.',
    hint: 'Run the same command again, and please report the bug with the log.',
  },
};

export function wordsOf(code: ErrorCode): ErrorWords {
  return { ...WORDS[code], safety: safetyOf(code) };
}

const SAME_COMMAND = 'Nothing is lost; run the same command again.';

/** Hints for a command that has ended, beyond AGAIN: nothing continues by itself then. */
const ENDED_HINTS: Partial<Readonly<Record<ErrorCode, string>>> = {
  'network.proxyAuth': `Add them to the address of the proxy (HTTPS_PROXY). ${SAME_COMMAND}`,
  'network.proxy': `${CHECK_PROXY} ${SAME_COMMAND}`,
  'network.intercepted': `Sign in to the network, or check the address of the service. ${SAME_COMMAND}`,
  'disk.full': 'Free some space, then run the same command again.',
  'disk.failed': 'Check permissions and the health of the disk, then run the same command again.',
  'system.openFiles': 'Raise the limit (ulimit -n 4096), then run the same command again.',
  'store.corrupt':
    'Run an upload or a watch: the damaged file is set aside and its readable rows are kept.',
  'service.noAnswer':
    'Run the same command again: it asks the service before it sends anything again.',
};

/** Errors that are nearly always caused by the path that they name, with the text between the message and the path. */
const BEFORE_PATH: Readonly<Partial<Record<ErrorCode, string>>> = {
  'usage.invalid': ' ',
  'disk.failed': ': ',
};

/** The texts of an error, with its detail in parentheses. A `sentence` is said where the code's own words would be about something else. */
export function explain(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords {
  const { message: usual, hint } = WORDS[shownCode(error)];
  const detail = detailOf(error);
  const { path, sentence } = error.context;
  const message = typeof sentence === 'string' ? sentence : usual;
  const before = BEFORE_PATH[error.code];
  const where = before !== undefined && typeof path === 'string' ? `${before}${path}` : '';
  const full = detail === null ? message : withDetail(message, `${detail}${where}`);
  return { message: full, hint, safety: safetyOf(error.code) };
}

/** The same for an error that ended a command. */
export function explainEnd(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords {
  const words = explain(error);
  return {
    ...words,
    hint: ENDED_HINTS[shownCode(error)] ?? words.hint.replace(AGAIN, SAME_COMMAND),
  };
}
