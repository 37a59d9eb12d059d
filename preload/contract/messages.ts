/**
 * The words of every error, for the window and the command line: what happened, and what to do next. A code without
 * words does not compile.
 */
import type { ErrorCode, SluiceError } from './errors.ts';
import { safetyOf } from './safety.ts';

/** What a person reads about an error. */
export interface ErrorWords {
  /** What happened; a sentence. */
  readonly message: string;
  /** What to do; a sentence. */
  readonly hint: string;
  /** Whether the files are safe; null where message or hint says it. */
  readonly safety: string | null;
}

const AGAIN = 'Nothing is lost; it goes on by itself.';

const WORDS: Readonly<Record<ErrorCode, Omit<ErrorWords, 'safety'>>> = {
  'network.lost': {
    message: 'The connection to the service was lost.',
    hint: `${AGAIN} If it stays, check the network and the address of the service.`,
  },
  'network.timeout': {
    message: 'The service took too long to answer.',
    hint: AGAIN,
  },
  'network.tls': {
    message: 'The service could not prove who it is, so nothing was sent to it.',
    hint: 'Check the address. Behind a company proxy, name its certificate in NODE_EXTRA_CA_CERTS.',
  },
  'network.unresolved': {
    message: 'The host name of the service was not found.',
    hint: `Check the address and the network. ${AGAIN}`,
  },
  'network.proxyAuth': {
    message: 'The proxy asks for a user name and a password.',
    hint: 'Put them into the address of the proxy (HTTPS_PROXY). Nothing is lost; uploads continue once the proxy lets them through.',
  },
  'network.intercepted': {
    message: 'A proxy or sign-in page is answering instead of the service.',
    hint: 'Sign in to the network, or ask whoever runs the proxy. Sluice checks every 15 seconds and continues by itself.',
  },
  'net.offline': {
    message: 'This computer has no way to the service at the moment.',
    hint: AGAIN,
  },
  'system.openFiles': {
    message: 'Sluice may not open more files and connections at once.',
    hint: 'Raise the limit (ulimit -n 4096) and start it again; until then it keeps trying.',
  },
  'service.busy': { message: 'The service asks for patience.', hint: AGAIN },
  'service.failed': { message: 'The service had an internal error.', hint: AGAIN },
  'service.noAnswer': {
    message: 'The answer of the service was lost, so nobody knows yet whether it arrived.',
    hint: 'The service is asked before anything is sent again.',
  },
  'service.quota': {
    message:
      'The service says that this workspace may not do this: its plan or its credits do not cover it.',
    hint: 'Look at the plan of the workspace. The files are kept in line and go on afterwards.',
  },
  'service.forbidden': {
    message: 'The key is not allowed to do this.',
    hint: 'Use a key with the right to it, then try again.',
  },
  'service.refused': {
    message: 'The service refused this.',
    hint: 'See what it said, mend the cause, then try again.',
  },
  'service.notFound': {
    message: 'The service does not know this.',
    hint: 'Check the id and the workspace.',
  },
  'service.unexpectedAnswer': {
    message: 'The service answered with something that Sluice does not understand.',
    hint: 'Check the address of the service. The beginning of the answer is in the log.',
  },
  'auth.rejected': {
    message: 'The service refused the key.',
    hint: 'Give a valid key (SLUICE_API_KEY or --api-key-file); what waits goes on with it.',
  },
  'file.busy': { message: 'Another program holds the file.', hint: AGAIN },
  'item.changed': {
    message: 'The file changed while it was read.',
    hint: 'It is looked at again when it has come to rest.',
  },
  'item.unsupported': {
    message: 'Not an image or a video that the service takes.',
    hint: 'Nothing to do; the file stays where it is.',
  },
  'item.temporary': {
    message: 'The name says that another program is not done with the file, or hides it.',
    hint: 'Rename the file if it shall be uploaded.',
  },
  'item.excluded': {
    message: 'A rule leaves this file out.',
    hint: 'Change the rule if it shall be uploaded.',
  },
  'item.duplicate': {
    message: 'The same content is in this destination already.',
    hint: 'Nothing to do; it was sent once.',
  },
  'item.empty': { message: 'The file is empty.', hint: 'Nothing to do, or write the file again.' },
  'item.tooLarge': {
    message: 'The image is larger than the service takes (20 MB).',
    hint: 'Make it smaller, or export it with stronger compression.',
  },
  'item.gone': { message: 'The file is not there any more.', hint: 'Put it back to upload it.' },
  'item.replaced': {
    message: 'The file was replaced before it was sent; the new content is in line.',
    hint: 'Nothing to do.',
  },
  'item.ignored': {
    message: 'You chose to ignore this file.',
    hint: 'Nothing to do. To upload it after all, run: sluice problems --retry ID.',
  },
  'item.unstable': {
    message: 'The file keeps changing: it never reads twice the same.',
    hint: 'Check which program writes to it, then try again.',
  },
  'item.unreadable': {
    message: 'The file cannot be read.',
    hint: 'Give this user the right to read it, then try again.',
  },
  'item.truncated': {
    message: 'The end of the file is missing: it looks half-copied.',
    hint: 'Copy it again; it is looked at anew when it changes.',
  },
  'item.link': {
    message: 'The link leads nowhere.',
    hint: 'Mend the link or remove it.',
  },
  'item.rejected': {
    message: 'The service does not take this file.',
    hint: 'See what it said; replace the file or leave it out.',
  },
  'directory.unreadable': {
    message: 'The directory cannot be read, so what is in it is not uploaded.',
    hint: 'Give this user the right to read it, then run the command again.',
  },
  'watch.missing': {
    message: 'The watched directory is not there.',
    hint: 'Plug the drive in again or mount the share; watching goes on by itself.',
  },
  'disk.full': {
    message: 'The disk is full. Nothing is lost; your own files are untouched.',
    hint: 'Make room, then run the same command again.',
  },
  'disk.failed': {
    message: 'The disk refused to write.',
    hint: 'Check the rights and the health of the disk, then run the same command again.',
  },
  'power.battery': {
    message: 'Waiting for mains power; nothing is lost.',
    hint: 'It goes on by itself when the computer is plugged in. The settings say whether it waits on battery.',
  },
  'upload.urlExpired': {
    message: 'The address for the upload had run out.',
    hint: 'A fresh one is asked for by itself.',
  },
  'upload.unproven': {
    message: 'It cannot be proved whether this arrived. Your file is safe.',
    hint: 'Look at the batch at the service, then try again (it may double) or treat it as delivered.',
  },
  'upload.damaged': {
    message: 'The bytes were damaged on the way: the storage states another checksum.',
    hint: 'The file is sent again by itself.',
  },
  'shard.rejected': {
    message: 'The service took in the shard without this file.',
    hint: 'See what it said; replace the file, or try again: only this file is sent.',
  },
  'batch.conflict': {
    message:
      'The batch cannot take this: it holds another kind of files or is filled in another way.',
    hint: 'Choose another batch id.',
  },
  'batch.expired': {
    message: 'The batch has expired at the service.',
    hint: 'Upload into a new batch.',
  },
  'job.conflict': {
    message:
      'The service did not start the job: its id is taken by another one, or the batch is not ready.',
    hint: 'Look at the job of this id, or start it under another id.',
  },
  'job.failed': {
    message: 'The job ended with an error. The uploaded files are still in the batch.',
    hint: 'See what its stages say; restart it or start another one.',
  },
  'job.aborted': { message: 'The job was aborted.', hint: 'Restart it, or start another one.' },
  'part.damaged': {
    message: 'A downloaded archive is damaged.',
    hint: 'Download it again; the archive is kept as it came.',
  },
  'part.unsafeName': {
    message: 'An archive wants to write outside its directory. It was not unpacked.',
    hint: 'The archive is kept as it came; look at it with care.',
  },
  'results.incomplete': {
    message: 'The service does not list all result files yet.',
    hint: 'Download them again later: what is here is not fetched again.',
  },
  'output.damaged': {
    message: 'The bytes that the storage gave are not those of the file.',
    hint: 'Download the batch again. If it stays, the file is damaged at the service.',
  },
  'usage.invalid': {
    message: 'The command was not understood.',
    hint: 'See sluice --help.',
  },
  'store.owned': {
    message: 'Another Sluice holds this data folder.',
    hint: 'Use that one, end it, or choose another folder with --data-dir.',
  },
  'store.newer': {
    message: 'The ledger in this data folder was written by a newer Sluice.',
    hint: 'Use the newer program; nothing was changed.',
  },
  'store.older': {
    message: 'An older Sluice is running on this data folder, so nothing was changed.',
    hint: 'Quit the running Sluice and start the new version once; then run the command again.',
  },
  'store.corrupt': {
    message: 'The ledger is damaged.',
    hint: 'Start again: the damaged file is set aside and what can be read of it is kept.',
  },
  'bug.illegalTransition': {
    message: 'Sluice stopped because of a mistake of its own. Everything is kept.',
    hint: 'Run the same command again, and please report the log.',
  },
  'bug.unexpected': {
    message: 'Sluice stopped because of something it did not foresee. Everything is kept.',
    hint: 'Run the same command again, and please report the log.',
  },
};

/** The words of a code. */
export function wordsOf(code: ErrorCode): ErrorWords {
  return { ...WORDS[code], safety: safetyOf(code) };
}

/** The words of an error, with what the service or the system said about it. */
export function explain(error: Pick<SluiceError, 'code' | 'context'>): ErrorWords {
  const { message, hint } = WORDS[error.code];
  const said = error.context['said'] ?? error.context['reason'] ?? null;
  // A mistake in what was asked is nearly always in the path that it names.
  const path = error.code === 'usage.invalid' ? error.context['path'] : undefined;
  const where = typeof path === 'string' ? ` ${path}` : '';
  const told = said === null ? message : `${message} (${String(said)}${where})`;
  return { message: told, hint, safety: safetyOf(error.code) };
}
