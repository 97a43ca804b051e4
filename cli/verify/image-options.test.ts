import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { usageErrorOf } from '../refusal.test-data.ts';
import { readImageOptions, type ImageFlags } from './image-options.ts';

type Rivals = Parameters<typeof readImageOptions>[1];

function read(flags: ImageFlags, rivals: Rivals = {}) {
  return readImageOptions(flags, rivals, { environment: {}, directory: tmpdir() });
}

function messageOf(flags: ImageFlags, rivals: Rivals = {}): string {
  return usageErrorOf(() => read(flags, rivals));
}

test('without --image there is none', () => {
  expect(read({}, { target: 'http://127.0.0.1:1/v1' })).toBeNull();
});

test('what is not given has its default', () => {
  expect(read({ image: 'shop/inventory:1.2' })).toEqual({
    name: 'shop/inventory:1.2',
    port: 8080,
    controlPort: null,
    path: '/v1',
    environment: {},
    timeoutSeconds: 60,
  });
});

test('every option arrives', () => {
  const flags = {
    image: 'registry.example:5000/inventory@sha256:0a1b',
    imagePort: '3000',
    imageControlPort: '3001',
    imagePath: '/api/v1/',
    imageEnv: ['A=1', 'B=x=y', 'C='],
    imageTimeout: '2.5',
  };
  expect(read(flags)).toEqual({
    name: 'registry.example:5000/inventory@sha256:0a1b',
    port: 3000,
    controlPort: 3001,
    path: '/api/v1',
    environment: { A: '1', B: 'x=y', C: '' },
    timeoutSeconds: 2.5,
  });
});

test('a service at the root has no path', () => {
  expect(read({ image: 'i', imagePath: '/' })?.path).toBe('');
});

describe('is bad usage:', () => {
  test.each<[string, ImageFlags]>([
    ['--image-port', { imagePort: '8080' }],
    ['--image-control-port', { imageControlPort: '9090' }],
    ['--image-path', { imagePath: '/v1' }],
    ['--image-env', { imageEnv: ['A=1'] }],
    ['--image-timeout', { imageTimeout: '5' }],
  ])('%s without --image', (option, flags) => {
    expect(messageOf(flags)).toBe(`${option} describes an image, but --image names none`);
  });

  test.each<[string, Omit<ImageFlags, 'image'>]>([
    ['--image-control-port must be another port than --image-port', { imageControlPort: '8080' }],
    ['--image-path must be the base path of the service, such as /v1, not "v1"', { imagePath: 'v1' }],
    ['--image-env must have the form NAME=VALUE', { imageEnv: ['SECRET'] }],
  ])('%s', (message, flags) => {
    expect(messageOf({ image: 'i', ...flags })).toBe(message);
  });

  test.each(['', 'two words', '--privileged'])('the name %j', (image) => {
    expect(messageOf({ image })).toMatch(/^--image must be the name of an image/);
  });
});
