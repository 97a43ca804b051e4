import { rolldown } from 'rolldown';

import { ROOT } from './root.js';

const LIBRARY = 'echarts/dist/echarts.esm.min.mjs';
const FILE = 'chart-library.js';
const ENTRY = 'virtual:chart-library';

/** The parts of the chart library that the charts of reports are made of. */
const PARTS = `
import { LineChart } from 'echarts/charts';
import { GridComponent, MarkLineComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
use([LineChart, GridComponent, MarkLineComponent, SVGRenderer]);
export { init };
`;

/** Takes the library from its own file, which is loaded with the first chart. */
export const chartLibraryApart = {
  name: 'chart-library-apart',
  /** @param {string} id what is imported */
  resolveId: (id) => (id === LIBRARY ? { id: `./${FILE}`, external: true } : null),
};

/**
 * Writes the parts of the chart library that are used, minified.
 * @param {string} directory
 * @returns {Promise<readonly string[]>} the paths of the modules in them
 */
export async function bundleChartLibrary(directory) {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { [FILE.replace('.js', '')]: ENTRY },
    // What it asks of a bundler: no warnings for developers of charts.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [
      {
        name: 'chart-parts',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? PARTS : null),
      },
    ],
  });
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    minify: true,
  });
  await bundle.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}
