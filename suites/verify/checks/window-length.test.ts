import { lasting } from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { windowLength } from './window-length.ts';

testChecks([windowLength], [['limit-renews', 'windows last 30 s', lasting(30)]]);
