import { parameterSchemas } from '../../../contract/load-parameters.ts';
import schema from './target-config.schema.json' with { type: 'json' };

const { loadScenario } = schema.$defs;

/** JSON Schema of a configuration file, with the parameters of a load scenario from their table. */
export const TARGET_CONFIG_SCHEMA = {
  ...schema,
  $defs: {
    ...schema.$defs,
    loadScenario: {
      ...loadScenario,
      properties: { ...loadScenario.properties, ...parameterSchemas() },
    },
  },
};
