import { shellWord } from '../../reports/index.ts';

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

const REPORT_FOLDER = 'stockcheck-report';

/** What a reader of the file puts in the place of this comment, if the service has to be started. */
const START_HERE = 'Start your service here, in the background, and wait until it answers.';

/** A workflow that uses the action of this repository, which adds summary, annotations and artefact. */
const GITHUB: Pipeline = {
  id: 'github',
  title: 'GitHub Actions',
  path: '.github/workflows/conformance.yml',
  secrets: 'Add each as a secret of the repository, under Settings, Secrets and variables, Actions.',
  render: ({ variables, configuration, major, requirementSet, isLocal }) =>
    [
      'name: Conformance',
      'on: [push, workflow_dispatch]',
      'permissions:',
      '  contents: read',
      'jobs:',
      '  conformance:',
      '    runs-on: ubuntu-latest',
      '    steps:',
      '      - uses: actions/checkout@v4',
      ...(isLocal ? [`      # ${START_HERE}`] : []),
      `      - uses: stockcheck/stockcheck@v${major}`,
      ...(variables.length === 0 ? [] : ['        env:']),
      ...variables.map((name) => `          ${name}: \${{ secrets.${name} }}`),
      '        with:',
      ...(configuration === null ? [] : [`          config: ${JSON.stringify(configuration)}`]),
      `          requirements: '${requirementSet}'`,
      `          report: ${REPORT_FOLDER}`,
      '',
    ].join('\n'),
};

/** A job whose reports GitLab shows in merge requests. Variables of the project reach it by themselves. */
export const GITLAB: Pipeline = {
  id: 'gitlab',
  title: 'GitLab CI',
  path: '.gitlab-ci.yml',
  secrets: 'Add each as a masked variable of the project, under Settings, CI/CD, Variables.',
  render: (context) =>
    [
      'conformance:',
      '  image: node:24',
      '  script:',
      ...(context.isLocal ? [`    # ${START_HERE}`] : []),
      `    - ${JSON.stringify(verifyLine(context))}`,
      '  artifacts:',
      '    when: always',
      '    paths:',
      `      - ${REPORT_FOLDER}/`,
      '    reports:',
      `      junit: ${REPORT_FOLDER}/junit.xml`,
      '      codequality: gl-code-quality-report.json',
      '',
    ].join('\n'),
};

/** The systems that a pipeline file can be written for. */
export const PIPELINES: readonly Pipeline[] = [GITHUB, GITLAB];

/** What `--pipeline` takes. */
export const PIPELINE_CHOICES: readonly string[] = [...PIPELINES.map(({ id }) => id), 'none'];

/** The line of a shell that judges the target and writes the reports. */
function verifyLine({ configuration, major, requirementSet }: PipelineContext): string {
  const named = configuration === null ? '' : ` --config ${shellWord(configuration)}`;
  return `npx --yes stockcheck@${major} verify${named} --requirements ${requirementSet} --report ${REPORT_FOLDER}`;
}
