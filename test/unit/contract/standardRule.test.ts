import { expect, test } from 'vitest';
import { standardRule } from '../../../preload/contract/standardRule.ts';
import { watchRuleSchema } from '../../../preload/contract/watchRule.ts';

test('a folder with a very long name can be watched: the watch has the beginning of the name', () => {
  const folder = `${'acceptance '.repeat(9)}🌳 and everything after it`;
  const rule = standardRule(`/data/${folder}`, folder);
  expect(watchRuleSchema().parse(rule).name).toMatch(/^acceptance .+acceptance/);
  expect(rule.name.isWellFormed()).toBe(true);
});
