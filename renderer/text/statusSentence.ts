/** The one sentence at the bottom of the window: is everything safe, and what is happening now? */
import type { AppSnapshot, ConnectionView } from '../../preload/contract/snapshot.ts';
import { attentionWords } from '../../preload/contract/problemTotal.ts';
import {
  elsewhereWords,
  foundWords,
  isAllKnown,
  isCounting,
  openFiles,
  toGoWords,
  unseenWords,
} from '../../preload/contract/toGo.ts';
import { needsPerson } from '../../preload/contract/waitMessages.ts';
import type { WaitKind, WaitView } from '../../preload/contract/waits.ts';
import { countOf, formatCount, formatDuration } from '../../preload/contract/figures.ts';
import { visible } from '../../preload/contract/visibleText.ts';
import { formatLeft, formatRate } from './format.ts';
import { wordsFor } from './errorWords.ts';
import type { Tone } from '../views/batches/itemStates.ts';
import { filesWait, isAtRest, isSending, pausedFolders, pausedWords } from './uploadProgress.ts';
import { waitSentence } from './waitSentence.ts';

export interface Status {
  readonly tone: Tone;
  readonly text: string;
}

const OFFLINE = 'Waiting for the network; nothing is lost';
const INTERRUPTED = 'Uploads were interrupted; nothing is lost';
const LONG_SILENCE_MS = 20_000;

/** What the status strip says about a snapshot at this moment. */
export function statusSentence(snapshot: AppSnapshot, now: number = snapshot.at): Status {
  const { pipeline, connections, waits } = snapshot;
  const { counts } = pipeline;
  const open = openFiles(counts);
  const elsewhere = elsewhereWords(connections);
  if (connections.length === 0) return { tone: 'quiet', text: 'Not connected yet' };
  if (pipeline.blockedBy?.next === 'stop')
    return { tone: 'needs', text: hindered(pipeline.blockedBy, snapshot) };
  const refused = keyMissing(connections);
  if (refused !== null) return { tone: 'needs', text: `${refused}; ${waitingWords(open)}` };
  // Whatever else keeps files from being sent: without its end, nothing is.
  if (pipeline.paused) {
    const left = (open === 0 ? elsewhere : null) ?? waitingWords(open);
    const rest = isAtRest(pipeline) ? `; ${left}` : '';
    return { tone: 'waiting', text: `${pausedWords(pipeline)}${rest}` };
  }
  const blocked = waits.find(({ kind }) => BLOCKS.includes(kind));
  if (blocked !== undefined && open > 0) return waitStatus(blocked, snapshot, now);
  if (pipeline.blockedBy !== null && open > 0) {
    return { tone: 'waiting', text: hindered(pipeline.blockedBy, snapshot) };
  }
  if (open > 0 && inUse(connections)?.state === 'unreachable') {
    return { tone: 'waiting', text: OFFLINE };
  }
  if (pipeline.silentMs > LONG_SILENCE_MS && open > 0) {
    const silence = formatDuration(pipeline.silentMs);
    return { tone: 'waiting', text: `The service has been silent for ${silence}; nothing is lost` };
  }
  const needed = attentionWords(snapshot);
  const also = needed === null ? '' : `; ${needed}`;
  const [folder, another] = pausedFolders(snapshot);
  if (folder !== undefined) {
    const which = another === undefined ? `${visible(folder.rule.name)} is` : 'their folders are';
    return { tone: 'waiting', text: `${filesWait(open)}; ${which} paused${also}` };
  }
  if (open > 0 && isSending(pipeline)) {
    return { tone: 'moving', text: `${uploading(snapshot)}${also}` };
  }
  const urgent = waits.find(needsPerson);
  if (urgent !== undefined) return waitStatus(urgent, snapshot, now);
  const [first] = waits;
  if (open > 0 && first !== undefined) return waitStatus(first, snapshot, now);
  if (open > 0) {
    const text = `${waiting(counts.sending + counts.sent, counts.queued)}${also}`;
    return { tone: 'waiting', text };
  }
  if (needed !== null) {
    return { tone: 'needs', text: `${needed}; ${formatCount(counts.confirmed)} confirmed` };
  }
  const rest = restWords(counts.confirmed, snapshot);
  if (elsewhere !== null) {
    const isUrgent = connections.some(({ selected, attention }) => !selected && attention > 0);
    return { tone: isUrgent ? 'needs' : 'waiting', text: `${rest}; ${elsewhere}` };
  }
  return { tone: counts.confirmed > 0 && isAllKnown(snapshot) ? 'confirmed' : 'quiet', text: rest };
}

/** What is said of a workspace in which nothing is on the way. */
function restWords(confirmed: number, snapshot: AppSnapshot): string {
  const { watches } = snapshot;
  const isReading = isCounting(snapshot);
  const unseen = unseenWords(watches);
  const found = isReading ? 'still looking for files' : (unseen ?? foundWords(watches));
  if (confirmed > 0) {
    const all = confirmed === 1 ? 'The file is' : `All ${countOf(confirmed, 'file')}`;
    const what = isAllKnown(snapshot) ? all : formatCount(confirmed);
    return `${what} confirmed${found === null ? '' : `; ${found}`}`;
  }
  const watching = watches.filter(({ state }) => state !== 'paused').length;
  if (watching === 0) return isReading ? 'Looking for files' : (unseen ?? 'Nothing to upload');
  return `Watching ${countOf(watching, 'folder')}; ${found ?? 'nothing to upload yet'}`;
}

/** What a status says apart from its figures and the next try. While it stays the same, a screen reader is told nothing. */
export function gistOf(text: string): string {
  const [first = ''] = text.split('. ');
  return first.replace(/\d[\d.,]*( [^\s,;]+)*/g, '#').replace(/#(, #)+/g, '#');
}

/** What keeps everything from being sent. */
const BLOCKS: readonly WaitKind[] = ['connection', 'sending'];

/** No answer at all: the network or the service is unreachable, or the connection was lost before the answer. */
const NO_ANSWER: ReadonlySet<string> = new Set([
  'net.offline',
  'network.lost',
  'network.timeout',
  'service.noAnswer',
]);

function waitStatus(wait: WaitView, { connections }: AppSnapshot, now: number): Status {
  const { kind, code, nextAt, attention } = wait;
  // Everyone understands this one: the full sentence is not needed.
  if (BLOCKS.includes(kind) && !attention && code !== null && NO_ANSWER.has(code)) {
    const seconds = nextAt === null ? 0 : Math.ceil((nextAt - now) / 1000);
    const next = seconds > 0 ? `Next try in ${formatDuration(seconds * 1000)}` : 'Trying now';
    return { tone: 'waiting', text: `${unanswered(connections)}. ${next}` };
  }
  const tone = needsPerson(wait) ? 'needs' : 'waiting';
  return { tone, text: waitSentence(wait, now, connections) };
}

function waitingWords(open: number): string {
  return open === 0 ? 'nothing is queued' : filesWait(open);
}

export function inUse(connections: AppSnapshot['connections']): ConnectionView | undefined {
  return connections.find(({ selected }) => selected) ?? connections[0];
}

/** What is wrong with the key of the connection in use; null when nothing is. */
export function keyMissing(connections: AppSnapshot['connections']): string | null {
  const state = inUse(connections)?.state;
  if (state === 'refused') return 'The service refused the key';
  return state === 'locked' ? 'The key is needed again' : null;
}

/** What is said of no answer. The first file after an outage may take a while; small requests are answered before that. */
function unanswered(connections: AppSnapshot['connections']): string {
  return inUse(connections)?.state === 'ready' ? INTERRUPTED : OFFLINE;
}

function hindered(
  error: NonNullable<AppSnapshot['pipeline']['blockedBy']>,
  { connections }: AppSnapshot,
): string {
  if (NO_ANSWER.has(error.code)) return unanswered(connections);
  return wordsFor(error).message.replace(/\.$/, '');
}

function uploading(snapshot: AppSnapshot): string {
  const { pipeline } = snapshot;
  const left = pipeline.leftMs === null ? '' : `, ${formatLeft(pipeline.leftMs)} left`;
  // The rate is not known in the first second.
  const pace = pipeline.bytesPerSecond === 0 ? '' : `, ${formatRate(pipeline.bytesPerSecond)}`;
  return `${toGoWords(snapshot)}${pace}${left}`;
}

function waiting(sent: number, queued: number): string {
  if (queued > 0) return `${countOf(queued, 'file')} queued`;
  return `${countOf(sent, 'file')} sent; the service has yet to confirm ${sent === 1 ? 'it' : 'them'}`;
}
