import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { afterEach, describe, expect, test, vi } from 'vitest';

import { temporaryDirectory } from '../../../contract/temporary-directory.test-data.ts';
import { stateDirectories, stateOnDemand, UnusableState } from './state-directory.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('the folder for state', () => {
  test.each([
    { own: '/var/lib/own', xdg: '/var/lib/xdg', folder: '/var/lib/own' },
    { own: undefined, xdg: '/var/lib/xdg', folder: '/var/lib/xdg/stockcheck' },
    { own: undefined, xdg: undefined, folder: join(homedir(), '.local', 'state', 'stockcheck') },
    // XDG Base Directory Specification: empty is as good as unset.
    { own: '', xdg: '', folder: join(homedir(), '.local', 'state', 'stockcheck') },
  ])('is $folder if STOCKCHECK_STATE_DIR is $own and XDG_STATE_HOME is $xdg', ({ own, xdg, folder }) => {
    vi.stubEnv('STOCKCHECK_STATE_DIR', own);
    vi.stubEnv('XDG_STATE_HOME', xdg);
    expect(stateDirectories()[0]).toBe(folder);
  });
});

/** Below a file there can be no folder, whoever one is. */
function belowAFile(): { readonly folder: string; readonly temporary: string } {
  const temporary = temporaryDirectory();
  writeFileSync(join(temporary, 'file'), '');
  return { folder: join(temporary, 'file', 'state'), temporary };
}

describe('a folder for state that cannot be written', () => {
  test('is replaced by one among the temporary files, and that is said', () => {
    const { folder, temporary } = belowAFile();
    vi.stubEnv('STOCKCHECK_STATE_DIR', undefined);
    vi.stubEnv('XDG_STATE_HOME', folder);
    vi.stubEnv('TMPDIR', temporary);
    const notices: string[] = [];
    const openState = stateOnDemand((notice) => notices.push(notice));
    expect(openState().path.startsWith(temporary)).toBe(true);
    expect(openState()).toBe(openState());
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/cannot be used .*ENOTDIR.* may be lost .* STOCKCHECK_STATE_DIR/);
  });

  test('ends the run if the user named it', () => {
    const { folder } = belowAFile();
    vi.stubEnv('STOCKCHECK_STATE_DIR', folder);
    expect(() => stateOnDemand(undefined)()).toThrow(UnusableState);
    expect(() => stateOnDemand(undefined)()).toThrow(/ENOTDIR.* STOCKCHECK_STATE_DIR/);
  });
});
