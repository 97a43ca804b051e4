import { REPORT_FOLDER, START_HERE, type Pipeline } from './pipeline.ts';

/** A workflow that uses the action of this repository, which adds summary, annotations and artefact. */
export const GITHUB: Pipeline = {
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
