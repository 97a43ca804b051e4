import type { TrailExpectation } from '../../../contract/trail.ts';
import { expectedStore } from './expected-store.ts';
import { isAsExpected } from './judge-expectation.ts';
import type { FindingScene, Candidate } from './candidates/candidate.ts';
import { candidatesOfStatus } from './candidates/of-status.ts';
import { candidatesOfFields } from './candidates/of-fields.ts';
import { candidatesOfRemaining, candidatesOfLimits } from './candidates/of-limits.ts';
import { candidatesOfForm, candidatesOfStore } from './candidates/of-bodies.ts';

/**
 * What the answers of a trail would have been without the fault; the answers that came do not meet it. `null` if no
 * expectation shows the fault.
 */
export function deriveExpectation(scene: FindingScene): TrailExpectation | null {
  return (
    candidatesOf(scene).find(
      ({ about, expectation }) => about(scene.id) && !isAsExpected(expectation, scene.answers),
    )?.expectation ?? null
  );
}

function candidatesOf(scene: FindingScene): readonly Candidate[] {
  const answer = scene.steps.numberOf(scene.decisive);
  if (scene.exchange === null) {
    return [{ about: () => true, expectation: { expect: 'response', answer } }];
  }
  const store = expectedStore(scene.events, scene.decisive, scene.steps);
  return [
    ...candidatesOfStatus(scene, answer, store),
    ...candidatesOfFields(scene, answer),
    ...candidatesOfRemaining(scene, answer),
    ...candidatesOfForm(),
    ...candidatesOfStore(scene, answer, store),
    ...candidatesOfLimits(scene),
  ];
}
