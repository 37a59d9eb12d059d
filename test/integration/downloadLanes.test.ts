/** How many files of a download come over the network at the same time. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { contentOf, createOutputScene } from './outputScene.ts';

const FILES = 400;
/** The storage takes this long for each answer, as one far away does, in ms. */
const AWAY_MS = 60;
/** At the beginning as many as the service's own client fetches. */
const FIRST = 8;

test('small files from far away come more at a time than at the beginning', async () => {
  const scene = await createOutputScene();
  const object = await scene.put('', 'first.csv', contentOf(1, 500));
  scene.repeat(
    object,
    Array.from({ length: FILES - 1 }, (_, index) => `crop-${index}.csv`),
  );
  let asked = 0;
  let [under, most] = [0, 0];
  scene.service.onRequest({ method: 'GET', path: /\/storage\// }, async () => {
    asked += 1;
    under += 1;
    most = Math.max(most, under);
    if (asked === FIRST) expect(most).toBeLessThanOrEqual(FIRST);
    await delay(AWAY_MS);
    under -= 1;
  });
  expect(await scene.fetch()).toMatchObject({ ok: true, value: { files: FILES, parked: [] } });
  expect(most).toBeGreaterThan(FIRST);
});
