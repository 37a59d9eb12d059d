/** Where the results of a job are searched. */
import { describe, expect, it } from 'vitest';
import { type ResultPlaces, resultPlaces } from '../../../../main/engine/jobs/downloads.ts';
import type { JobView } from '../../../../main/engine/jobs/jobs.ts';

interface Told {
  readonly stages?: Readonly<Record<string, readonly string[]>>;
  readonly planned?: readonly string[];
  readonly named?: readonly string[];
  readonly input?: Readonly<Record<string, string>>;
}

function places({ stages = {}, planned = [], named = [], input = {} }: Told): ResultPlaces {
  const view: JobView = {
    status: {
      jobId: 'j1',
      name: 'j1',
      state: 'succeeded',
      currentStage: null,
      plannedStages: planned,
      lastMessage: null,
      resultsBatches: named,
      createdAt: 0,
      updatedAt: 0,
      definition: { jobInput: { batchId: 'cups', ...input } },
    },
    stages: Object.entries(stages).map(([name, outputBatches]) => ({
      stageId: name,
      name,
      tasksNumber: 1,
      outputBatches,
      startedAt: 0,
      status: 'succeeded',
      message: '',
      eventAt: 0,
      tasks: [],
    })),
    unread: null,
  };
  return resultPlaces(view, 'cups');
}

describe('the results of a job', () => {
  it('are what its export left, never what an earlier stage did', () => {
    const stages = { processing: ['j1-processing'], export: ['out'] };
    const named = ['out', 'j1-processing'];
    expect(places({ stages, named }).batches).toEqual(['out', 'j1-export']);
    const planned = ['processing', 'export'];
    const early = { processing: ['j1-processing'] };
    expect(places({ stages: early, planned }).batches).toEqual(['j1-export']);
  });

  it('are what its stages left where there is no export', () => {
    const stages = { processing: ['j1-processing'] };
    expect(places({ stages }).batches).toEqual(['j1-processing', 'j1-export']);
  });

  it('are named by the job where its stages cannot be read', () => {
    expect(places({ named: ['out'] }).batches).toEqual(['out', 'j1-export']);
    const all = ['j1-processing', 'j1-export'];
    expect(places({ named: all }).batches).toEqual(['j1-export', 'j1-processing']);
  });

  it('are never the files of its input, at most the parts, unless it read one of them', () => {
    const stages = { processing: ['cups'] };
    expect(places({ stages, named: ['cups'] })).toEqual({ batches: ['j1-export'], input: 'cups' });
    expect(places({ stages, input: { partName: 'exported' } }).input).toBeNull();
  });
});
