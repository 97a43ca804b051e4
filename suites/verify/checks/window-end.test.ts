import { testChecks } from './judge-scripted.test-data.ts';
import { lasting } from './target-changes.test-data.ts';
import { windowEnd } from './window-end.ts';

testChecks([windowEnd], [['limit-renews', 'windows last 59 s', lasting(59)]]);
