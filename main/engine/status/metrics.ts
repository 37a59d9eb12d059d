/**
 * The state of a ledger as OpenMetrics text, for Prometheus and similar tools. Source of the format: the OpenMetrics specification,
 * 1.0. Labels contain names that a person chose (workspace, batch or template) and codes, never a path, an address or a key.
 */
import { basename, isAbsolute } from 'node:path';
import { ITEM_STATES } from '../core/model.ts';
import { integer, oneOf, text } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { FIELDS } from './counts.ts';
import { readWaits } from './waits.ts';

/** What the process knows in addition to the ledger; null or absent when unknown here. */
export interface MetricsFacts {
  readonly version: string;
  /** Epoch ms by this computer's clock. */
  readonly now: number;
  /** A Sluice program is working on this ledger. */
  readonly running: boolean;
  /** Free space on the disk with the data folder, in bytes. */
  readonly freeBytes: number | null;
  readonly ledgerBytes: number | null;
  /** Bytes handed to the network by this process. */
  readonly sentBytes?: number;
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Family {
  /** Ends with the unit, if it has one. */
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
  /** Not `info`: the node exporter refuses a whole file with that type. */
  readonly type: 'gauge' | 'counter';
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

const SUFFIX = { gauge: '', counter: '_total' } as const;

function linesOf({ name, help, samples, type }: Family): readonly string[] {
  const unit = /_(bytes|seconds)$/.exec(name)?.[1];
  const heads = [`# TYPE ${name} ${type}`, ...(unit ? [`# UNIT ${name} ${unit}`] : [])];
  const values = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([key, label]) => `${key}="${escaped(label)}"`);
    const set = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
    return `${name}${SUFFIX[type]}${set} ${value}`;
  });
  return [...heads, `# HELP ${name} ${escaped(help)}`, ...values];
}

/** Files and bytes by destination and state, from the counters that the ledger updates as they move. */
function readItems(store: Store): Readonly<Record<'files' | 'bytes', readonly Sample[]>> {
  const sums = new Map<string, { labels: Sample['labels']; files: number; bytes: number }>();
  for (const row of store.all(ITEMS)) {
    const state = FIELDS[oneOf(row, 'state', ITEM_STATES)];
    const name = text(row, 'target');
    // The destination of a watch with a template begins with the path of its directory.
    const target = isAbsolute(name) ? basename(name) : name;
    const labels = { workspace: text(row, 'workspace'), target, state };
    const key = JSON.stringify(labels);
    const before = sums.get(key) ?? { files: 0, bytes: 0 };
    const files = before.files + integer(row, 'count');
    sums.set(key, { labels, files, bytes: before.bytes + integer(row, 'bytes') });
  }
  const all = [...sums.values()];
  return {
    files: all.map(({ labels, files }) => ({ labels, value: files })),
    bytes: all.map(({ labels, bytes }) => ({ labels, value: bytes })),
  };
}

function readGrouped(store: Store, sql: string, label: string): readonly Sample[] {
  return store.all(sql).map((row) => ({
    labels: { workspace: text(row, 'workspace'), [label]: text(row, label) },
    value: integer(row, 'count'),
  }));
}

const ITEMS = `SELECT connections.workspace, destinations.name AS target, item_counts.state, item_counts.count, item_counts.bytes
  FROM item_counts JOIN destinations ON destinations.id = item_counts.destination_id
  JOIN connections ON connections.id = destinations.connection_id
  ORDER BY destinations.id, item_counts.state`;
const JOBS = `SELECT connections.workspace, jobs.state, count(*) AS count FROM jobs
  JOIN connections ON connections.id = jobs.connection_id GROUP BY jobs.connection_id, jobs.state`;
const PROBLEMS = `SELECT connections.workspace, items.reason AS code, count(*) AS count
  FROM destinations CROSS JOIN items INDEXED BY items_parked
    ON items.destination_id = destinations.id AND items.state = 'parked'
  JOIN connections ON connections.id = destinations.connection_id
  WHERE items.reason IS NOT NULL GROUP BY connections.id, items.reason`;

function family(
  name: string,
  help: string,
  samples: readonly Sample[],
  type: Family['type'] = 'gauge',
): Family {
  return { name, help, samples, type };
}

function one(value: number | null | undefined): readonly Sample[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}

function ledgerFamilies(store: Store, { now, running }: MetricsFacts): readonly Family[] {
  const items = readItems(store);
  const waits = readWaits(store, now, running);
  const aged = waits.flatMap(({ since, workspace, kind, code }) =>
    since === null
      ? []
      : [{ labels: { workspace, kind, code: code ?? '' }, value: Math.max(0, now - since) / 1000 }],
  );
  const oldest = Math.max(0, ...aged.map(({ value }) => value));
  const attention = waits.filter((wait) => wait.attention).length;
  return [
    family(
      'sluice_items',
      'Files by state: queued, sending, sent, confirmed, skipped, attention.',
      items.files,
    ),
    family('sluice_items_bytes', 'Bytes of these files.', items.bytes),
    family(
      'sluice_problems',
      'Files that need a person, by the code of their error.',
      readGrouped(store, PROBLEMS, 'code'),
    ),
    family('sluice_jobs', 'Processing jobs by state.', readGrouped(store, JOBS, 'state')),
    family('sluice_waiting_seconds', 'How long something waits, by what and why.', largestOf(aged)),
    family(
      'sluice_oldest_waiting_seconds',
      'Age of what has waited longest; 0 when nothing waits.',
      one(oldest),
    ),
    family('sluice_waits_attention', 'Waits that need a person.', one(attention)),
  ];
}

/** Metrics known without the ledger. */
function processFamilies(facts: MetricsFacts): readonly Family[] {
  const { version, running, freeBytes, ledgerBytes, sentBytes } = facts;
  const build = [{ labels: { version }, value: 1 }];
  const sent = 'Bytes handed to the network by this process.';
  return [
    family('sluice_build_info', 'The version of this program.', build),
    family('sluice_running', 'Whether a Sluice works on this ledger now.', one(running ? 1 : 0)),
    family('sluice_disk_free_bytes', 'Free space where the data folder is.', one(freeBytes)),
    family('sluice_ledger_bytes', 'Size of the ledger.', one(ledgerBytes)),
    family('sluice_sent_bytes', sent, one(sentBytes), 'counter'),
  ];
}

/** The page of metrics. Without a ledger (null), its metrics are absent. */
export function metricsText(store: Store | null, facts: MetricsFacts): string {
  const families = [
    ...processFamilies(facts),
    ...(store === null ? [] : ledgerFamilies(store, facts)),
  ].filter(({ samples }) => samples.length > 0);
  return `${families.flatMap(linesOf).join('\n')}\n# EOF\n`;
}

/** For samples with equal labels, keeps the largest. */
function largestOf(samples: readonly Sample[]): readonly Sample[] {
  const by = new Map<string, Sample>();
  for (const sample of samples) {
    const key = JSON.stringify(sample.labels);
    if ((by.get(key)?.value ?? -1) < sample.value) by.set(key, sample);
  }
  return [...by.values()];
}
