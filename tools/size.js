import { execFileSync } from 'node:child_process';

/**
 * Prints how many lines of TypeScript, JavaScript and style sheets each room has, and how many more than at another commit.
 * usage: npm run size -- [COMMIT]
 *   COMMIT is the last tag by default, or the last commit if there is none.
 */
const ROOMS = ['suites', 'cli', 'reports', 'reference-server', 'load'];
const OTHERS = 'others';
const TEST = /\.test(?:-data)?\./;

const git = (...words) => execFileSync('git', words, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' });

/** Lines by room. @param where a commit, or nothing for the files as they are now */
function sizesOf(...where) {
  const sizes = new Map([...ROOMS, OTHERS].map((room) => [room, { source: 0, tests: 0, files: 0 }]));
  const counts = git(
    'grep',
    ...(where.length === 0 ? ['--untracked'] : []),
    '-c',
    '',
    ...where,
    '--',
    '*.ts',
    '*.js',
    '*.css',
  );
  for (const line of counts.trimEnd().split('\n')) {
    const [, path, lines] = /([^:]+):(\d+)$/.exec(line);
    const [folder] = path.split('/');
    const size = sizes.get(ROOMS.includes(folder) ? folder : OTHERS);
    size[TEST.test(path) ? 'tests' : 'source'] += Number(lines);
    size.files += 1;
  }
  return sizes;
}

function lastTag() {
  try {
    return git('describe', '--tags', '--abbrev=0').trim();
  } catch {
    return 'HEAD';
  }
}

function isCommit(name) {
  try {
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

const commit = process.argv[2] ?? lastTag();
if (!isCommit(commit)) {
  console.error(`size: there is no commit "${commit}". Name a tag or a commit to compare with.`);
  process.exit(2);
}
const [now, before] = [sizesOf(), sizesOf(commit)];
const all = (sizes, kind) => [...sizes.values()].reduce((sum, size) => sum + size[kind], 0);

function cell(size, sizeBefore) {
  const more = size - sizeBefore;
  const change = more === 0 ? '' : `${more > 0 ? '+' : ''}${more}`;
  return `${size.toLocaleString('en')} ${change.padStart(6)}`.padStart(16);
}

console.log(
  `${`since ${commit}`.padEnd(20)}${['source', 'tests', 'files'].map((kind) => kind.padStart(9).padEnd(16)).join('')}`,
);
for (const room of [...now.keys(), 'all']) {
  const cells = ['source', 'tests', 'files'].map((kind) =>
    room === 'all'
      ? cell(all(now, kind), all(before, kind))
      : cell(now.get(room)[kind], before.get(room)[kind]),
  );
  console.log(`${room.padEnd(20)}${cells.join('')}`);
}
