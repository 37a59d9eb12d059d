/** `sluice watch edit`: what its options change in a rule. */
import { expect, test } from 'vitest';
import { subcommandsOf } from '../../../../main/cli/options/pages.ts';
import { watch } from '../../../../main/cli/options/watch.ts';
import { readRule, sayIfIdle } from '../../../../main/cli/options/watchRule.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import type { JobOptions } from '../../../../preload/contract/watchRule.ts';
import { contextOf } from '../commandContext.ts';

const OPTIONS = subcommandsOf(watch)['edit']?.options ?? {};
const job = { workflowId: 'count' };
const RULE = {
  ...standardRule('/camera', 'camera'),
  include: ['*.jpg'],
  exclude: ['tmp/**'],
  displayName: 'Line 4',
  batch: 'b-{n}',
  itemsPerBatch: 5,
  part: { index: 0, of: 2 },
  job,
  downloadTo: '/out',
  moveTo: '/done',
  seal: { quietMinutes: 1, items: 2, at: '18:00' },
};

test.each([
  ['include', { include: [] }],
  ['exclude', { exclude: [] }],
  ['display-name', { displayName: null }],
  ['per-batch', { itemsPerBatch: null }],
  ['part', { part: null }],
  ['seal-quiet', { seal: { ...RULE.seal, quietMinutes: null } }],
  ['seal-items', { seal: { ...RULE.seal, items: null } }],
  ['seal-at', { seal: { ...RULE.seal, at: null } }],
  ['workflow', { job: null }],
  ['to', { downloadTo: null }],
  ['move-to', { moveTo: null }],
])('--%s none removes the setting, and only that', (name, changed) => {
  const read = readRule(contextOf([`--${name}`, 'none'], OPTIONS), RULE);
  expect(read).toEqual({ ok: true, value: { ...RULE, ...changed } });
});

const JOB: JobOptions = {
  workflowId: 'count',
  machineType: 'gpu',
  workersPerMachine: 2,
  processingTimeoutSeconds: 60,
  maxParallelTasks: 3,
  maxImageFailureRate: 0.5,
  imageInputName: 'photo',
  persistImagesOutputs: true,
  aggregationFormat: 'csv',
  maxVideoFps: 5,
  workflowParameters: { confidence: 0.4 },
};

test.each([
  ['machine', 'machineType'],
  ['workers', 'workersPerMachine'],
  ['timeout', 'processingTimeoutSeconds'],
  ['max-tasks', 'maxParallelTasks'],
  ['max-failure-rate', 'maxImageFailureRate'],
  ['image-input', 'imageInputName'],
  ['aggregation', 'aggregationFormat'],
  ['max-fps', 'maxVideoFps'],
  ['parameters', 'workflowParameters'],
  ['no-save-images', 'persistImagesOutputs'],
] as const)('--%s leaves the option of the job to the service again', (name, field) => {
  const words = name === 'no-save-images' ? [`--${name}`] : [`--${name}`, 'none'];
  const { [field]: _, ...left } = JOB;
  const read = readRule(contextOf(words, OPTIONS), { ...RULE, job: JOB });
  expect(read).toEqual({ ok: true, value: { ...RULE, job: left } });
});

test('--no-unpack leaves archives packed again; not together with --unpack', () => {
  const rule = { ...RULE, unpack: true };
  const read = readRule(contextOf(['--no-unpack'], OPTIONS), rule);
  expect(read).toEqual({ ok: true, value: { ...RULE, unpack: false } });
  expect(readRule(contextOf(['--no-unpack', '--unpack'], OPTIONS), rule)).toMatchObject({
    error: { context: { said: '--unpack or --no-unpack, not both' } },
  });
});

test.each([
  ['workflow', 'x'.repeat(201), 'workflowId: at most 200 characters'],
  ['timeout', '31536001', 'processingTimeoutSeconds: at most 31536000'],
  ['parameters', '[1]', '--parameters is not a JSON object'],
])('--%s says in plain words what is wrong', (name, given, said) => {
  const read = readRule(contextOf([`--${name}`, given], OPTIONS), RULE);
  expect(read).toMatchObject({ error: { code: 'usage.invalid', context: { said } } });
});

test.each([
  ['--machine gpu --max-fps 5', 'Without --workflow, --machine and --max-fps do nothing.\n'],
  ['--save-images --unpack', 'Without --workflow, --save-images does nothing.\n'],
])('without a workflow, options of its job are named: %s', (line, said) => {
  let shown = '';
  const context = contextOf(line.split(' '), OPTIONS, (text) => void (shown += text));
  sayIfIdle(context, { ...RULE, job: null });
  expect(shown).toBe(said);
  shown = '';
  sayIfIdle(context, RULE);
  expect(shown).toBe('');
});

test('without a folder for results, --unpack is named', () => {
  let shown = '';
  const context = contextOf(['--unpack', '--machine', 'gpu'], OPTIONS, (text) => (shown += text));
  sayIfIdle(context, { ...RULE, downloadTo: null });
  expect(shown).toBe('Without --to, --unpack does nothing.\n');
});
