export { type Dataset, datasetHash, MAX_DATASET_ROWS, readDataset } from './dataset.js';
export { loadDatasetFile } from './dataset-file.js';
export type { DatasetContext, DatasetSource } from './dataset-source.js';
export { fileSource } from './file-source.js';
export { type ChosenDataset, openDataset } from './open-dataset.js';
export {
  type DataCursor,
  type TaskBatch,
  type TaskItem,
  TaskLoader,
  type TaskLoaderOptions,
  trainLoader,
  validationLoader,
} from './task-loader.js';
