/** Projects: folders, image batches, annotation jobs and insights, in shape and in what they refuse. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReferenceService, type ReferenceService } from './referenceService.ts';
import { call, dig, listIn, textIn } from './testRequests.ts';

let service: ReferenceService;

beforeEach(async () => {
  service = await createReferenceService();
});
afterEach(() => service.close());

describe('folders', () => {
  const folders = async () => listIn((await call(service, 'GET', '/demo/folders')).json, 'data');
  const create = (json: unknown) => call(service, 'POST', '/demo/folders', { json });

  test('are made below others, and a project is in one of them at most', async () => {
    const made = await create({ name: 'Archive', parent_id: 'folder-quality' });
    const id = textIn(made.json, 'id');
    const path = `/demo/folders/${id}/projects`;
    const moved = await call(service, 'POST', path, { json: { projects: ['bottle-caps'] } });
    expect([moved.status, moved.bytes.length]).toEqual([204, 0]);
    expect(await folders()).toMatchObject([
      { id: 'folder-quality', parent_id: null, projects: [] },
      { id: 'folder-line-2', parent_id: 'folder-quality' },
      { id, name: 'Archive', projects: [{ id: 'bottle-caps', name: 'Bottle caps' }] },
    ]);
  });

  test.each([
    ['without a name', 400, {}],
    ['with an empty name', 400, { name: '' }],
    ['below an unknown one', 400, { name: 'x', parent_id: 'unknown' }],
    ['with an unknown project', 404, { name: 'x', projects: ['unknown'] }],
    ['with an unknown field', 400, { name: 'x', colour: 'red' }],
  ] as const)('%s are refused', async (_, status, json) => {
    expect((await create(json)).status).toBe(status);
    expect(await folders()).toHaveLength(2);
  });

  test('unknown ones take no projects, known ones no unknown projects', async () => {
    const move = (folder: string, projects: readonly string[]) =>
      call(service, 'POST', `/demo/folders/${folder}/projects`, { json: { projects } });
    expect((await move('unknown', ['bottle-caps'])).status).toBe(404);
    expect((await move('folder-line-2', ['unknown'])).status).toBe(404);
    expect((await move('folder-line-2', [])).status).toBe(400);
  });
});

describe('annotation jobs', () => {
  const path = '/demo/bottle-caps/jobs';
  const GOOD = {
    name: 'Second half',
    batch: 'ib-caps-1',
    num_images: 89,
    labelerEmail: 'labeler@example.com',
    reviewerEmail: 'reviewer@example.com',
  };

  test('take the free images of an image batch', async () => {
    const { json } = await call(service, 'POST', path, { json: GOOD });
    expect(json).toMatchObject({ name: 'Second half', status: 'assigned', unannotated: 89 });
    expect(listIn((await call(service, 'GET', path)).json, 'jobs')).toHaveLength(2);
    const batches = listIn(
      (await call(service, 'GET', '/demo/bottle-caps/batches')).json,
      'batches',
    );
    expect(batches[0]).toMatchObject({ name: 'Night shift', images: 115, numJobs: 2 });
    expect(typeof dig(batches[0], 'uploaded', '_seconds')).toBe('number');
    expect((await call(service, 'POST', path, { json: { ...GOOD, num_images: 1 } })).status).toBe(
      400,
    );
  });

  test.each([
    ['an unknown batch', 404, { batch: 'unknown' }],
    ['a batch of another project', 404, { batch: 'ib-signs-1' }],
    ['more images than are free', 400, { num_images: 90 }],
    ['no images', 400, { num_images: 0 }],
    ['a stranger', 400, { labelerEmail: 'stranger@example.com' }],
    ['no name', 400, { name: '' }],
  ] as const)('are refused with %s', async (_, status, wrong) => {
    const reply = await call(service, 'POST', path, { json: { ...GOOD, ...wrong } });
    expect(reply.status).toBe(status);
    if (status === 404) expect(reply.json).toEqual({ error: 'Batch not found' });
  });

  test('exist in existing projects only', async () => {
    expect((await call(service, 'GET', '/demo/unknown/jobs')).status).toBe(404);
    expect((await call(service, 'GET', '/demo/unknown/batches')).status).toBe(404);
  });
});

describe('insights', () => {
  const insights = (query: Readonly<Record<string, string>> = {}) =>
    call(service, 'GET', '/demo/bottle-caps/annotationInsights', { query });

  test('have a row for each labeler, and totals that are their sums', async () => {
    const { json } = await insights();
    const rows = listIn(json, 'data');
    expect(rows).toHaveLength(3);
    const sum = rows.reduce((total: number, row) => total + Number(dig(row, 'imagesLabeled')), 0);
    expect(dig(json, 'stats', 'numImagesLabeled')).toBe(sum);
    expect(listIn(json, 'labelers')[0]).toMatchObject({ email: 'labeler@example.com' });
  });

  test('obey their dates', async () => {
    const today = new Date(service.clock.now()).toISOString().slice(0, 10);
    const one = await insights({ startDate: today, endDate: today });
    const all = await insights();
    expect(Number(dig(one.json, 'stats', 'numImagesLabeled'))).toBeLessThan(
      Number(dig(all.json, 'stats', 'numImagesLabeled')),
    );
    expect((await insights({ startDate: '2020-01-01', endDate: '2020-01-02' })).json).toMatchObject(
      {
        data: [],
        labelers: [],
      },
    );
    expect((await insights({ startDate: 'yesterday' })).status).toBe(400);
    expect((await insights({ startDate: '2024-01-02', endDate: '2024-01-01' })).status).toBe(400);
  });
});
