import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * Has tests start Python itself. What a version manager puts in its place takes several times as long, and tests start
 * hundreds; vitest calls it before it starts any worker.
 */
export default function usePythonItself() {
  const words = ['-c', 'import sys; print(sys.executable)'];
  const { stdout, status } = spawnSync('python3', words, { encoding: 'utf8' });
  const own = dirname((stdout ?? '').trim());
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const place = folders.findIndex((folder) => existsSync(join(folder, 'python3')));
  if (status === 0 && place !== -1 && folders[place] !== own && existsSync(join(own, 'python3'))) {
    // Just before its stand-in, so that nothing else that is found there comes first.
    process.env['PATH'] = folders.toSpliced(place, 0, own).join(delimiter);
  }
}
