/** What a pipeline file depends on. */
export interface PipelineContext {
  /** Environment variables that the configuration names, each of which has to come from the secrets of the pipeline. */
  readonly variables: readonly string[];
  /** The configuration file if it has not the usual name. */
  readonly configuration: string | null;
  /** The major version of stockcheck that the pipeline runs. */
  readonly major: string;
  /** The set of requirements that decides, so that a later suite fails nobody by itself. */
  readonly requirementSet: string;
  /** Whether the target is on the machine that runs the pipeline, so that the pipeline has to start it. */
  readonly isLocal: boolean;
}

/** A system that runs pipelines, and the file that makes it run stockcheck. */
export interface Pipeline {
  readonly id: string;
  readonly title: string;
  /** Where the file belongs, from the root of the repository. */
  readonly path: string;
  readonly render: (context: PipelineContext) => string;
  /** What else has to be done for the secrets. */
  readonly secrets: string;
}

export const REPORT_FOLDER = 'stockcheck-report';

/** What a reader of the file puts in the place of this comment, if the service has to be started. */
export const START_HERE = 'Start your service here, in the background, and wait until it answers.';
