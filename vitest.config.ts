/**
 * Kinds of test, those of a browser last: `node` (rules, server, architecture: what Node runs by itself), `pageTests` (what runs in a
 * page, without a browser), `domTests` (whole pages in a simulated DOM, over a real server in process, with React as users get it: its
 * development build takes half as much of a core again), `componentTests` (components by themselves in the same DOM), `deviceTests` (the request
 * pipeline over a fake IndexedDB, and parts of the client that need no page), `leavingPageTests` (pages that are left) and `e2eTests` (real
 * Chromium). They run two files at a time, because two cores are what there is; pages wait for a fifth of their time, and are
 * three. In `node`, `deviceTests`, `domTests` and `componentTests` the files of a worker share its modules and its embedded database
 * (`isolate: false`): to load both takes longer than most files run.
 */
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import LongestFirst from './tests/support/runner/longest-first.ts'
import { quickStart } from './tests/support/server/process.ts'

const deviceTests = [
  'app',
  'features',
  'integration',
  'local',
  'outbox-model',
  'patterns',
  'request',
  'state',
  'sw',
  'ui',
].map((part) => `tests/${part}/**`)
/** They change globals of the page, or what a module is: each file has a worker of its own. */
const pageTests = [
  'tests/app/connection/connection-monitor.test.ts',
  'tests/app/pwa/*.test.ts',
  'tests/features/entrance/found-services.test.ts',
  'tests/server/use-cases/rush.test.ts',
]
/** Whole pages, of which each is loaded anew (`screen.ts`). */
const domTests = ['app', 'features'].map((part) => `tests/${part}/**/*.test.tsx`)
/** They leave the page, which pages of other tests in their process would notice. */
const leavingPageTests = ['tests/app/connection/hide-while-away.test.ts', 'tests/app/frozen-tab.test.ts']
/** Drawn by Testing Library, whose `act` React has in its development build alone. */
const componentTests = [
  'tests/patterns/**/*.test.tsx',
  'tests/state/**/*.test.tsx',
  'tests/ui/**/*.test.tsx',
  'tests/app/error-boundary.test.tsx',
  'tests/features/**/use-*.test.tsx',
]
const e2eTests = ['tests/e2e/**']
const clockTests = ['tests/campaigns/browser/**']

/** What `tests/support/runner/nightly.ts` is for single tests. */
const nightlyTests = process.env.CAMPAIGN ? [] : ['tests/**/*.night.test.{ts,tsx}']

const toGlobs = (folders: string[]) =>
  folders.map((folder) => (folder.endsWith('.ts') ? folder : `${folder}/*.test.{ts,tsx}`))

/** Patience, no claim: what is waited for may take its time while another file has the processor. Its default is a second. */
const expectOptions = { poll: { timeout: 15_000 } }

const domProject = {
  isolate: false,
  environment: './tests/support/runner/page-environment.ts',
  environmentOptions: { happyDOM: { url: 'http://localhost:8080/saas/' } },
  setupFiles: ['fake-indexeddb/auto', 'tests/support/runner/dom.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: expectOptions,
  maxWorkers: 3,
  sequence: { groupOrder: 1 },
}

const chromiumProject = {
  // They hold no state of their modules, and share a connection to the browser.
  isolate: false,
  globalSetup: ['tests/support/runner/shared-portal.ts'],
  testTimeout: 90_000,
  hookTimeout: 120_000,
  expect: expectOptions,
}

// Every worker loads the same packages: what the first one compiled is kept for the rest, and for the next run.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

export default defineConfig({
  define: { __BUILD__: JSON.stringify('test') },
  test: {
    // An embedded database takes about half a gigabyte.
    maxWorkers: 2,
    execArgv: quickStart,
    exclude: nightlyTests,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          // The server's code runs as it does for users: by Node itself, which takes its types away.
          experimental: { viteModuleRunner: false, nodeLoader: false },
          setupFiles: ['tests/support/runner/seeded.ts'],
          globalSetup: ['tests/support/runner/both-engines.ts'],
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...deviceTests, ...e2eTests, ...pageTests, 'tests/campaigns/**'],
          isolate: false,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          expect: expectOptions,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'page',
          globalSetup: ['tests/support/runner/template.ts'],
          setupFiles: ['tests/support/runner/seeded.ts'],
          include: pageTests,
          testTimeout: 20_000,
          hookTimeout: 60_000,
          expect: expectOptions,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        oxc: { jsx: { runtime: 'automatic', development: false } },
        test: {
          ...domProject,
          name: 'dom',
          env: { NODE_ENV: 'production' },
          globalSetup: ['tests/support/runner/template.ts'],
          include: domTests,
          exclude: componentTests,
        },
      },
      { extends: true, test: { ...domProject, name: 'parts', include: componentTests } },
      { extends: true, test: { ...domProject, isolate: true, name: 'left', include: leavingPageTests } },
      {
        extends: true,
        test: {
          name: 'device',
          isolate: false,
          globalSetup: ['tests/support/runner/template.ts'],
          include: toGlobs(deviceTests),
          exclude: [...pageTests, ...domTests, ...leavingPageTests, ...componentTests],
          setupFiles: ['fake-indexeddb/auto', 'tests/support/runner/seeded.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: expectOptions,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { ...chromiumProject, name: 'e2e', include: toGlobs(e2eTests), sequence: { groupOrder: 2 } },
      },
      // All tests in Chromium, and what goes by the clock, for which nothing else may have the machine: `npm run campaign -- browser`.
      ...(process.env.CAMPAIGN
        ? [
            {
              extends: true,
              test: {
                ...chromiumProject,
                name: 'campaign',
                include: toGlobs([...clockTests, ...e2eTests]),
                fileParallelism: false,
              },
            },
          ]
        : []),
    ],
  },
})
