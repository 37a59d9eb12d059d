/** Lists that lag behind what the service counts. */
import { expect, test } from 'vitest';
import { tinyImages } from '../helpers/media.ts';
import { createWorld } from './world.ts';

const LIST = /\/list$/;
const NOTHING = {
  kind: 'wrongJson',
  text: '{"filesMetadata":[],"nextPageToken":null}',
  contentType: 'application/json',
} as const;

test.concurrent.for([
  ['acknowledged', null],
  ['in doubt', { kind: 'doneButAnswerLost' }],
] as const)(
  'what is %s and counted is looked for again soon, though no figure changes any more',
  async ([, fault], { onTestFinished }) => {
    // Longer than the test: no patience ends, and nothing else asks for another listing.
    const times = { sentPatienceMs: 600_000, lateCommitMs: 600_000, unmeasuredLagMs: 600_000 };
    const world = await createWorld({ times }, onTestFinished);
    for (const { name, content } of tinyImages(3)) await world.local.write(name, content);
    await world.local.remember();
    if (fault !== null) world.service.faults.next('POST', /\/upload\/image$/, fault, 3);
    world.service.faults.next('GET', LIST, NOTHING, 3);
    expect(await world.upload({ mode: 'single' })).toMatchObject({ tally: { confirmed: 3 } });
    expect(world.requestCount('GET', LIST)).toBeLessThanOrEqual(9);
    await world.expectExactlyOnce({ allConfirmed: true });
  },
);
