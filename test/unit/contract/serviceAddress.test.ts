import { expect, test } from 'vitest';
import { hasKeyInAddress } from '../../../preload/contract/serviceAddress.ts';

const KEY = 'k3y+of/the=workspace';
const HOST = 'https://pipeline.example';

test.each([
  `${HOST}/?api_key=other`,
  `${HOST}?API-KEY=other`,
  `${HOST}/base?a=1&token=other`,
  `${HOST}/?x-api-key=other`,
  `${HOST}/?access_token=other`,
  `${HOST}/?authToken=other`,
  `${HOST}/?client_secret=other`,
  `${HOST}/?password=other`,
  `${HOST}/#key=other`,
  `${HOST}/#/page?auth=other`,
  `${HOST}/?a=1;secret=other`,
  `${HOST}/?x=${KEY}`,
  `${HOST}/?x=before-${encodeURIComponent(KEY)}-after`,
  `${HOST}/?${encodeURIComponent(KEY)}`,
  `${HOST}/#${KEY}`,
  'https://ann@pipeline.example',
  `https://ann:${encodeURIComponent(KEY)}@pipeline.example`,
  `https://:pass@pipeline.example`,
])('%s contains a key', (address) => {
  expect(hasKeyInAddress(address, KEY)).toBe(true);
});

test.each([
  HOST,
  `${HOST}:8443/base/path`,
  `${HOST}/?x=1&y=a b#frag`,
  `${HOST}/?monkey=1&keyboard=2&tokens=3&author=4`,
  `${HOST}/?key=`,
  `${HOST}/?region=eu`,
  'no address',
])('%s contains none', (address) => {
  expect(hasKeyInAddress(address, KEY)).toBe(false);
  expect(hasKeyInAddress(address, '')).toBe(false);
  expect(hasKeyInAddress(address, 'eu')).toBe(false);
});
