import { definePlugin, type PluginDefinition } from 'rllm-sdk';
import { parquetSource } from './parquet-source.js';

export { type ParquetOptions, parquetOptions } from './parquet-options.js';
export { parquetSource } from './parquet-source.js';

const plugin: PluginDefinition = definePlugin({
  name: 'rllm-plugin-parquet',
  apiVersion: 1,
  datasets: [parquetSource],
});

export default plugin;
