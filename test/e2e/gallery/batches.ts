import type { BatchRow } from '../../../preload/contract/records.ts';
import {
  batchDetail,
  BATCHES,
  itemsPage,
  leftOutRows,
  manyBatches,
  OUTPUTS,
  thumbnailOf,
} from './batchData.ts';
import { answer, fail, type Handlers, pageOf, type Scenario } from './scenario.ts';

function batchesOf(scenario: Scenario): readonly BatchRow[] {
  if (scenario === 'first') return [];
  return scenario === 'long' ? manyBatches() : BATCHES;
}

export function handlers(scenario: Scenario): Handlers {
  const batches = batchesOf(scenario);
  return {
    'batch.page': (asked) => {
      if (scenario === 'failing') return fail('disk.failed', 'stop');
      const search = asked.search.toLowerCase();
      const fits = ({ batchId, displayName }: BatchRow): boolean =>
        `${batchId} ${displayName ?? ''}`.toLowerCase().includes(search);
      return pageOf(batches.filter(fits), asked);
    },
    'batch.detail': ({ batchId }) => {
      const found = batches.find((batch) => batch.batchId === batchId);
      if (found === undefined) return fail('service.notFound', 'park');
      return answer(batchDetail(found, scenario === 'failing'));
    },
    'batch.outputs': () => answer(OUTPUTS),
    'batch.items': (asked) => answer(itemsPage(batches, asked)),
    'leftOut.page': (asked) => {
      const page = pageOf(leftOutRows(asked.reason, asked.search), asked);
      const all = leftOutRows(null, '');
      const reasons = (['item.duplicate', 'item.unsupported', 'item.empty'] as const).map(
        (reason) => ({ reason, count: all.filter((row) => row.reason === reason).length }),
      );
      return page.ok ? answer({ ...page.value, reasons }) : page;
    },
    'item.thumbnail': ({ id }) =>
      id % 11 === 0 ? answer(null) : answer({ dataUrl: thumbnailOf(id) }),
  };
}
