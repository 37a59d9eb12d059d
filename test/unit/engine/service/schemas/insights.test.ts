/** Annotation insights: rows that are merged, and figures that are missing. */
import { expect, test } from 'vitest';
import { insightsAnswer } from '../../../../../main/engine/service/schemas/insights.ts';
import { ANSWERS } from '../answers.ts';

test('adds up insights of one labeler, and leaves other projects out', () => {
  const row = ANSWERS.insights.data[0];
  const data = [
    { ...row, projectId: 'acme/cups', imagesLabeled: 30, approvalRate: 50 },
    { ...row, projectId: 'cups', imagesLabeled: 10, approvalRate: 90 },
    { ...row, projectId: 'plates' },
  ];
  const insights = insightsAnswer('cups')().parse({ ...ANSWERS.insights, data });
  expect(insights.labelers).toHaveLength(1);
  expect(insights.labelers[0]).toMatchObject({ displayName: 'Ana', imagesLabeled: 40 });
  expect(insights.totals).toMatchObject({ imagesLabeled: 40, approvalPercent: 60 });
  expect(insightsAnswer('cups')().parse(ANSWERS.insights).totals.approvalPercent).toBe(99);
});

test('knows no figure that no row states, rather than 0', () => {
  const data = [
    { labelerId: 'u1', imagesLabeled: 3 },
    { labelerId: 'u1', imagesLabeled: 4, rejected: 0 },
  ];
  expect(insightsAnswer('cups')().parse({ data })).toMatchObject({
    labelers: [{ imagesLabeled: 7, rejected: 0, boxesDrawn: null, approved: null }],
    totals: { imagesLabeled: 7, boxesDrawn: null },
  });
});

test('adds up the totals that the service does not state', () => {
  const stats = { numImagesLabeled: 80 };
  const { totals } = insightsAnswer('p1')().parse({ ...ANSWERS.insights, stats });
  expect(totals).toMatchObject({ imagesLabeled: 80, boxesDrawn: 127, approvalPercent: 100 });
});

test.each([
  [{ displayName: '', email: 'ana@example.com' }, 'ana@example.com'],
  [{ displayName: ' ', email: '' }, 'u1'],
])('a labeler with %j is named %s', (named, displayName) => {
  const answer = { data: [{ labelerId: 'u1' }], labelers: [{ id: 'u1', ...named }] };
  expect(insightsAnswer('cups')().parse(answer).labelers[0]).toMatchObject({ displayName });
});
