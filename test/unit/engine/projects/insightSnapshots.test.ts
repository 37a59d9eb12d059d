import { describe, expect, test } from 'vitest';
import { dayOf, isCalendarDay } from '../../../../preload/contract/calendarDay.ts';
import {
  keepSnapshot,
  periodFrom,
  readTrend,
} from '../../../../main/engine/projects/insightSnapshots.ts';
import { createTestLedger } from '../../../helpers/ledger.ts';

const NOON = Date.parse('2026-03-02T12:00:00Z');

describe('a day', () => {
  test.each(['2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31'])('%s is one', (text) => {
    expect(isCalendarDay(text)).toBe(true);
  });
  test.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-01-01',
    '2026-01-01T00',
    '',
    ' 2026-01-01',
    '+020260-01-01',
    '٢٠٢٦-٠١-٠١',
  ])('%j is none', (text) => {
    expect(isCalendarDay(text)).toBe(false);
  });
  test('is counted in UTC', () => {
    expect(dayOf(Date.parse('2026-03-02T23:59:59.999Z'))).toBe('2026-03-02');
  });
});

test.each([
  [null, null, { from: '2026-02-01', until: '2026-03-02' }],
  ['2026-01-05', null, { from: '2026-01-05', until: '2026-03-02' }],
  [null, '2024-03-01', { from: '2024-02-01', until: '2024-03-01' }],
  ['2026-01-05', '2026-01-05', { from: '2026-01-05', until: '2026-01-05' }],
  ['2026-01-06', '2026-01-05', null],
  ['2027-01-01', null, null],
])('from %s until %s', (from, until, period) => {
  expect(periodFrom(from, until, NOON)).toEqual(period);
});

test('figures that the service does not state are kept as unknown', () => {
  const { store, connectionId } = createTestLedger();
  const [url] = store.all('SELECT api_url FROM connections').map((row) => String(row['api_url']));
  const figures = {
    imagesLabeled: 7,
    boxesDrawn: null,
    markedNull: null,
    modelAssisted: null,
    approvalPercent: null,
  };
  const person = { labelerId: 'u1', displayName: 'Ana', email: null, approved: null, rejected: 0 };
  const insights = {
    projectId: 'cups',
    labelers: [{ ...person, ...figures }],
    totals: figures,
  };
  const period = { from: '2026-02-01', until: '2026-03-02' };
  keepSnapshot(store, connectionId, period, insights, NOON);
  expect(readTrend(store, url ?? '', null, 'cups')).toMatchObject([
    { totals: insights.totals, labelers: insights.labelers },
  ]);
});
