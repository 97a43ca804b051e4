import { CIRCLECI } from './circleci.ts';
import { GITHUB } from './github.ts';
import { GITLAB } from './gitlab.ts';
import { JENKINS } from './jenkins.ts';
import type { Pipeline } from './pipeline.ts';

export type { Pipeline, PipelineContext } from './pipeline.ts';

/** The systems that a pipeline file can be written for. */
export const PIPELINES: readonly Pipeline[] = [GITHUB, GITLAB, JENKINS, CIRCLECI];

/** What `--pipeline` takes. */
export const PIPELINE_CHOICES: readonly string[] = [...PIPELINES.map(({ id }) => id), 'none'];
