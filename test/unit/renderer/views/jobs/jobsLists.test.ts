/** Which batches a job can process, and how log lines are ordered by severity. */
import { describe, expect, it } from 'vitest';
import { NO_COUNTS } from '../../../../../main/engine/status/counts.ts';
import type { BatchRow } from '../../../../../preload/contract/records.ts';
import type { JobLogLine } from '../../../../../preload/contract/serviceRecords.ts';
import { jobChoices } from '../../../../../renderer/views/jobs/jobChoices.ts';
import { logTone, severitiesOf } from '../../../../../renderer/views/jobs/jobLogs.ts';
import { batchRow } from '../../records.ts';

function batch(batchId: string, confirmed: number, sending = 0): BatchRow {
  return batchRow({
    batchId,
    displayName: batchId === 'named' ? 'A name' : null,
    state: 'sealed',
    counts: { ...NO_COUNTS, found: confirmed + sending, sending, confirmed },
  });
}

describe('batches for a job', () => {
  it('are those in which everything arrived, each once', () => {
    const all = [batch('full', 3), batch('busy', 3, 1), batch('none', 0), batch('full', 3)];
    expect(jobChoices(all, '').map(({ batchId }) => batchId)).toEqual(['full']);
  });

  it('contain the requested one in any case, with what blocks it', () => {
    const choices = jobChoices([batch('busy', 3, 1)], 'busy');
    expect(choices[0]?.why).toMatch(/not confirmed yet/);
    expect(jobChoices([], 'unseen')).toEqual([{ batchId: 'unseen', label: 'unseen', why: null }]);
  });

  it('say name, id and figures', () => {
    expect(jobChoices([batch('named', 3)], '')[0]?.label).toBe('A name · named (3 images)');
    const dated = batch('camera-2026-11-22', 300);
    expect(jobChoices([dated], '')[0]?.label).toBe(
      'Camera · 22 Nov · camera-2026-11-22 (300 images)',
    );
    const video = { ...batch('belt', 1), kind: 'video' } as const;
    expect(jobChoices([video], '')[0]?.label).toBe('belt (1 video)');
    expect(jobChoices([{ ...video, kind: null }], '')[0]?.label).toBe('belt (1 confirmed)');
    expect(jobChoices([batch('busy', 3, 1)], 'busy')[0]?.label).toBe('busy (3 of 4 confirmed)');
  });
});

describe('log lines', () => {
  it('are as loud as their word, whatever the service calls it', () => {
    expect(['ERROR', 'critical', 'Warn', 'INFO', ''].map(logTone)).toEqual([
      'needs',
      'needs',
      'waiting',
      'quiet',
      'quiet',
    ]);
  });

  it('offer each severity once, the loudest first, and no empty one', () => {
    const line = (severity: string): JobLogLine => ({
      at: 1,
      severity,
      stageId: null,
      taskId: null,
      text: '',
    });
    const words = severitiesOf(['INFO', 'ERROR', '', 'INFO', 'WARNING'].map(line));
    expect(words).toEqual(['ERROR', 'WARNING', 'INFO']);
  });
});
