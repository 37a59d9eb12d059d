/** The service's answers about batches, read leniently and mapped to our own types. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import type { OutputPart, RemoteBatch, RemoteFile, ShardDetails } from '../../core/model.ts';
import {
  compactJson,
  entries,
  eventInstant,
  id,
  inField,
  instant,
  listOf,
  maybeCount,
  pageIn,
  shownText,
  statusOf,
  perAddress,
  plainWebAddress,
} from './parts.ts';

/** `GET /`: the slug of the key's workspace. It becomes part of paths, so it must be a single plain segment. */
export const workspaceAnswer = once(() =>
  z
    .object({ workspace: z.string().regex(/^(?!\.{1,2}$)[^\s/\\?#%]{1,200}$/) })
    .transform((answer) => answer.workspace),
);

/** True when an answer says, whatever its status, that nothing was done. */
function saysFailed({ error, success, status }: Readonly<Record<string, unknown>>): boolean {
  const isWord = typeof status === 'string' && /^(error|fail)/i.test(status);
  return Boolean(error) || success === false || isWord;
}

/** The service accepted what was sent: a non-empty object that names no error (service-api §2.2). Anything else proves nothing. */
export const acceptedAnswer = once(() =>
  z
    .record(z.string(), z.unknown())
    .refine((answer) => Object.keys(answer).length > 0 && !saysFailed(answer)),
);

/** Number of ingested items; some services send it as text. */
export const countAnswer = once(() =>
  inField(
    z.union([
      z.number().int().nonnegative(),
      z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number),
    ]),
    'count',
  ),
);

const shard = once(() =>
  z
    .object({
      shardId: id(),
      statusName: shownText(),
      statusType: textOrEmpty(),
      eventTimestamp: eventInstant(),
      shardObjectsCount: maybeCount(),
      statusMetadata: z.unknown().optional(),
    })
    .transform((wire): ShardDetails => ({
      shardId: wire.shardId,
      status: statusOf(wire.statusType),
      statusName: wire.statusName ?? wire.statusType,
      objectsCount: wire.shardObjectsCount,
      eventAt: wire.eventTimestamp,
      details: compactJson(wire.statusMetadata),
    })),
);

export const shardsAnswer = once(() => pageIn(entries().pipe(z.array(shard())), 'shards'));

/** Expected text, or '' when it is missing. A row that is not as documented must not hide the others. */
const textOrEmpty = once(() => z.string().catch(''));

const part = once(() =>
  z
    .object({
      partName: textOrEmpty(),
      partType: shownText(),
      contentType: shownText(),
      partDescription: shownText(),
    })
    .transform((wire): OutputPart => ({
      name: wire.partName,
      type: wire.partType ?? '',
      contentType: wire.contentType ?? '',
      description: wire.partDescription,
    })),
);

export const partsAnswer = once(() =>
  z
    .preprocess(
      (answer) => (Array.isArray(answer) || answer === null ? { batchParts: answer } : answer),
      z.object({
        batchParts: z
          .array(part())
          .nullish()
          .refine((parts) => !parts?.length || parts.some(({ name, type }) => name + type !== '')),
      }),
    )
    .transform((answer): readonly OutputPart[] => answer.batchParts ?? []),
);

/** A row of a list of files, as far as it can be read. Without a schema, which takes several times as long: a list may have a million rows. */
function fileOf(row: unknown, base: string): RemoteFile {
  const fields: Readonly<Record<string, unknown>> =
    typeof row === 'object' && row !== null ? { ...row } : {};
  const read = (field: string): string | null => {
    const value = fields[field];
    return typeof value === 'string' ? value : null;
  };
  return {
    fileName: read('fileName') ?? '',
    url: plainWebAddress(read('downloadURL') ?? '', base),
    partName: read('partName') || null,
    shardId: read('shardId'),
    contentType: read('contentType') ?? '',
  };
}

/**
 * A page of files. Unreadable rows count as rows, because a list is complete when it is as long as the service's count. A page with only
 * such rows is not the service's.
 */
export const filesAnswer = perAddress((base) =>
  pageIn(
    entries()
      .transform((rows) => rows.map((row) => fileOf(row, base)))
      .refine(
        (rows) => rows.length === 0 || rows.some(({ fileName, url }) => fileName + url !== ''),
      ),
    'filesMetadata',
  ),
);

const batch = once(() =>
  z
    .object({
      batchId: id(),
      displayName: shownText(),
      batchType: shownText(),
      batchContentType: shownText(),
      createdDate: eventInstant(),
      // A wrong expiry would close an open batch, so it is never guessed.
      expiryDate: instant(),
    })
    .transform((wire): RemoteBatch => ({
      batchId: wire.batchId,
      displayName: wire.displayName ?? wire.batchId,
      type: wire.batchType ?? '',
      contentType: wire.batchContentType ?? '',
      createdAt: wire.createdDate,
      expiresAt: wire.expiryDate,
    })),
);

export const batchesAnswer = once(() => pageIn(listOf(batch()), 'batches'));

export const batchAnswer = once(() => inField(batch(), 'batch'));
