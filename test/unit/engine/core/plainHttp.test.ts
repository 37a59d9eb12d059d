import { expect, test } from 'vitest';
import { isReadableOnTheWay, plainHttpSentence } from '../../../../main/engine/core/plainHttp.ts';

test.each([
  ['http://pipeline.example', true],
  ['http://192.168.1.5:8080/x', true],
  ['http://127.0.0.1.example', true],
  ['https://pipeline.example', false],
  ['http://127.0.0.1:1', false],
  ['http://[::1]:1', false],
  ['http://localhost:1', false],
  ['nonsense', false],
])('the key sent to %s is readable on the way: %s', (url, readable) => {
  expect(isReadableOnTheWay(url)).toBe(readable);
});

test('the sentence names the host, and is absent when all is well', () => {
  const urls = ['https://api.example', 'http://projects.example:8080'];
  expect(plainHttpSentence(urls)).toContain('projects.example:8080');
  expect(plainHttpSentence(['https://api.example', 'http://127.0.0.1:5'])).toBeNull();
});
