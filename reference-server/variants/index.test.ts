import { describe, expect, it } from 'vitest';

import type { Alteration } from '../alterations/alteration.ts';
import {
  fieldOf,
  issueKey,
  ITEMS,
  member,
  order,
  rateLimit,
  sendRaw,
  startForTest,
} from '../testing.test-data.ts';
import { VARIANTS } from './index.ts';
import { codeWhereAllowed } from './transport.ts';

function alterationOf(id: string): Alteration {
  const variant = VARIANTS.find((candidate) => candidate.id === id);
  if (variant === undefined) {
    throw new Error(`No variant ${id}`);
  }
  return variant.alter;
}

function startWith(...ids: readonly string[]) {
  return startForTest({ alterations: ids.map(alterationOf) });
}

const BAD_UPDATE = { method: 'PATCH', body: '{}' } as const;

describe('variants that are combined', () => {
  it('tell what remains after a refused update was taken back', async () => {
    const { url } = await startWith('uncounted-errors', 'headers-describe-the-fuller-window', 'chunked');
    expect(rateLimit(await sendRaw(`${url}/inventory`)).remaining).toBe(59);
    const refused = await sendRaw(`${url}/inventory/1`, BAD_UPDATE);
    expect(refused.status).toBe(400);
    expect(rateLimit(refused).remaining).toBe(59);
    expect(rateLimit(await sendRaw(`${url}/inventory`)).remaining).toBe(58);
  });

  it('take back nothing that was not counted', async () => {
    const { url } = await startWith('uncounted-errors', 'unknown-routes-with-html', 'update-before-key');
    await sendRaw(`${url}/inventory`);
    await fetch(`${url}/nowhere`, { headers: { Authorization: 'Bearer free-test-key' } });
    await sendRaw(`${url}/inventory/1`, { ...BAD_UPDATE, key: 'nobody' });
    expect(rateLimit(await sendRaw(`${url}/inventory`)).remaining).toBe(58);
  });

  it('code what another has chunked and spelled otherwise', async () => {
    const { url } = await startWith(
      'white-space-around',
      'chunked',
      'gzip',
      'header-names-in-small-letters',
      'connection-closed-after-each-response',
      'charset-parameter',
    );
    const response = await fetch(`${url}/inventory`, {
      headers: { Authorization: 'Bearer free-test-key', 'Accept-Encoding': 'gzip' },
    });
    expect(response.headers.get('Content-Encoding')).toBe('gzip');
    expect(response.headers.get('Content-Length')).toBeNull();
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(await response.text()).toContain('\r\n\t {\r\n\t  "petId": 9007199254740993,');
  });

  it.each([
    ['gzip', 'deflate;q=0.5, gzip;q=0.001', 'gzip'],
    ['deflate', 'gzip, deflate', 'deflate'],
    ['br', 'gzip,br', 'br'],
    ['zstd', 'ZSTD', 'zstd'],
    ['br', 'gzip', null],
    ['br', 'br; q=0.000, gzip', null],
    ['gzip', 'identity', null],
    ['gzip', 'br;q=0, *', 'gzip'],
    ['gzip', 'gzip;q=0, *', null],
    ['gzip', 'identity, *;q=0', null],
    ['br', '*', null],
  ] as const)('code by %s those who ask for it by name: %s', async (coding, accepted, sent) => {
    const { url } = await startForTest({ alterations: [codeWhereAllowed(coding)] });
    const response = await fetch(`${url}/inventory`, {
      headers: { Authorization: 'Bearer free-test-key', 'Accept-Encoding': accepted },
    });
    expect(response.headers.get('Content-Encoding')).toBe(sent);
    expect(await response.json()).toHaveLength(ITEMS.length);
  });

  it.each([
    ['other-operations-in-text', 'white-space-around'],
    ['white-space-around', 'other-operations-in-text'],
  ])('leave contents alone that are no JSON: %s, %s', async (...ids) => {
    const { url } = await startForTest({
      alterations: [alterationOf('429-body-html'), ...ids.map(alterationOf)],
    });
    const response = await fetch(`${url}/store/orders`, {
      headers: { Authorization: 'Bearer free-test-key' },
    });
    expect(response.headers.get('Content-Type')).toBe('text/plain');
    expect(await response.text()).toBe('see the manual');
  });

  it('ban nobody if one of them does not', async () => {
    const { url } = await startWith('ban-of-a-week', 'no-ban', 'ban-by-403', 'ban-extended-by-each-request');
    const statuses: number[] = [];
    for (let sent = 0; sent < 90; sent += 1) {
      statuses.push((await sendRaw(`${url}/inventory`)).status);
    }
    expect(new Set(statuses.slice(60))).toEqual(new Set([429]));
  });
});

describe('single variants', () => {
  it('leave Date out', async () => {
    const { url } = await startWith('no-date');
    expect(fieldOf(await sendRaw(`${url}/inventory`), 'Date')).toBeUndefined();
  });

  it('keep a quantity of any size to the last digit', async () => {
    const { url } = await startWith('quantities-of-any-size', 'negative-quantities');
    const body = '{"quantity":9007199254740993}';
    const updated = await sendRaw(`${url}/inventory/1`, { method: 'PATCH', body });
    expect(member(updated.body, 'quantity')).toBe(9_007_199_254_740_993n);
  });

  it('know an issued key in its own form only, until it is revoked', async () => {
    const server = await startWith('keys-with-punctuation');
    const key = await issueKey(server, { plan: 'pro' });
    expect(key).toMatch(/^[\w.~+/-]+==$/);
    expect(rateLimit(await sendRaw(`${server.url}/inventory`, { key })).limit).toBe(300);
    await order(server, `DELETE /keys/${encodeURIComponent(key)}`);
    expect((await sendRaw(`${server.url}/inventory`, { key })).status).toBe(401);
  });

  it('recompute a status until the store is filled anew', async () => {
    const server = await startWith('status-by-quantity');
    const updated = await sendRaw(`${server.url}/inventory/1`, { method: 'PATCH', body: '{"quantity":0}' });
    expect(member(updated.body, 'status')).toBe('sold');
    await order(server, 'POST /reset');
    const listed = await sendRaw(`${server.url}/inventory`);
    const [first] = Array.isArray(listed.body) ? listed.body : [];
    expect(member(first, 'status')).toBe(ITEMS[0]?.status);
  });
});
