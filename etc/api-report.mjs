// The public surface of the package as text, an entry point each: etc/*.api.md.
//
//   node etc/api-report.mjs            compares with the built declarations; fails when they differ
//   node etc/api-report.mjs --update   writes them

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CompilerState, Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = fileURLToPath(new URL('..', import.meta.url));
const update = process.argv.includes('--update');
const temporary = mkdtempSync(join(tmpdir(), 'rllm-api-'));

const none = { logLevel: 'none', addToApiReportFile: false };

/** One entry point. Nothing but the report is made; what documentation and style tools say is not part of it. */
const configOf = (entry, report) =>
  ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      newlineKind: 'lf',
      mainEntryPointFilePath: join(root, 'dist', entry),
      compiler: { tsconfigFilePath: join(root, 'tsconfig.build.json'), skipLibCheck: true },
      apiReport: {
        enabled: true,
        reportFileName: report,
        reportFolder: join(root, 'etc'),
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: none },
        extractorMessageReporting: { default: none },
        tsdocMessageReporting: { default: none },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });

const configs = [
  configOf('index.d.ts', 'rllm-sdk.api.md'),
  configOf('testing/index.d.ts', 'rllm-sdk-testing.api.md'),
];
// One compilation for both, which is most of the time.
const compilerState = CompilerState.create(configs[0], {
  additionalEntryPoints: configs.slice(1).map((config) => config.mainEntryPointFilePath),
});

let isChanged = false;
try {
  for (const config of configs) {
    const { apiReportChanged } = Extractor.invoke(config, {
      compilerState,
      localBuild: update,
      messageCallback: (message) => {
        message.handled = true;
      },
    });
    if (!apiReportChanged) continue;
    isChanged = true;
    console.log(`${config.reportFilePath} ${update ? 'is written anew' : 'does not say what dist declares'}`);
  }
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
if (isChanged && !update) {
  console.error('The public surface has changed: look at it, then write it down with `npm run api`.');
  process.exitCode = 1;
}
