/** Whether the plugin that does nothing is in every app, for the few tests of an app without plugins. */
export const HAS_NO_OP: boolean = (process.env['NODE_OPTIONS'] ?? '').includes('/test/no-op/built-apps.mjs');
