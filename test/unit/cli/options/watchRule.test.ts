/** `sluice watch edit`: what its options change in a rule. */
import { expect, test } from 'vitest';
import { subcommandsOf } from '../../../../main/cli/options/pages.ts';
import { watch } from '../../../../main/cli/options/watch.ts';
import { readRule } from '../../../../main/cli/options/watchRule.ts';
import { standardRule } from '../../../../preload/contract/standardRule.ts';
import { contextOf } from '../commandContext.ts';

const OPTIONS = subcommandsOf(watch)['edit']?.options ?? {};
const job = { workflowId: 'count' };
const RULE = {
  ...standardRule('/camera', 'camera'),
  ...{ include: ['*.jpg'], exclude: ['tmp/**'], displayName: 'Line 4', batch: 'b-{n}' },
  ...{ itemsPerBatch: 5, part: { index: 0, of: 2 }, job, downloadTo: '/out', moveTo: '/done' },
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
