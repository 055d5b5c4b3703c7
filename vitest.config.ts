/**
 * Two files run at a time, because the machine has two cores. DOM tests use three workers, because they wait for a fifth of their time.
 * With `isolate: false` the files of a worker share modules and the embedded database, because loading both takes longer than most files
 * run. Kinds of tests:
 * - `node`: rules, server and architecture, run by Node itself.
 * - `pageTests`: code of a page, without a browser.
 * - `domTests`: complete pages in a simulated DOM, with a real server in the same process. They use React's production build, because the
 *   development build takes 50 % more processor time.
 * - `componentTests`: single components in the same DOM.
 * - `deviceTests`: the request pipeline with a fake IndexedDB, and parts of the client that need no page.
 * - `leavingPageTests`: pages that are closed or left.
 * - `e2eTests`: real Chromium. They run last.
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
/** Tests that change globals of the page or mock modules, so each file has its own worker. */
const pageTests = [
  'tests/app/connection/connection-monitor.test.ts',
  'tests/app/pwa/*.test.ts',
  'tests/features/entrance/found-services.test.ts',
  'tests/server/use-cases/rush.test.ts',
]
/** Tests of complete pages. Each test loads the page again (`screen.ts`). */
const domTests = ['app', 'features'].map((part) => `tests/${part}/**/*.test.tsx`)
/** Tests that leave the page, which would disturb other tests in the same process. */
const leavingPageTests = ['tests/app/connection/hide-while-away.test.ts', 'tests/app/frozen-tab.test.ts']
/** Tests that use Testing Library, whose `act` exists only in React's development build. */
const componentTests = [
  'tests/patterns/**/*.test.tsx',
  'tests/state/**/*.test.tsx',
  'tests/ui/**/*.test.tsx',
  'tests/app/error-boundary.test.tsx',
  'tests/features/**/use-*.test.tsx',
]
const e2eTests = ['tests/e2e/**']
const clockTests = ['tests/campaigns/browser/**']

/** Files that run only at night, so they are excluded from other runs. `tests/support/runner/nightly.ts` does the same for single tests. */
const nightlyTests = process.env.CAMPAIGN ? [] : ['tests/**/*.night.test.{ts,tsx}']

const toGlobs = (folders: string[]) =>
  folders.map((folder) => (folder.endsWith('.ts') ? folder : `${folder}/*.test.{ts,tsx}`))

/**
 * Maximum wait of `expect.poll`, in ms. It is above the default of one second, because a test may wait while another file uses the
 * processor.
 */
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
  // The modules of these tests have no state, and the files share a connection to the browser.
  isolate: false,
  globalSetup: ['tests/support/runner/shared-portal.ts'],
  testTimeout: 90_000,
  hookTimeout: 120_000,
  expect: expectOptions,
}

// The compile cache is shared by all workers and kept for the next run, because all workers load the same packages.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled')

export default defineConfig({
  define: { __BUILD__: JSON.stringify('test') },
  test: {
    // Two workers, because the embedded database of each takes about half a gigabyte.
    maxWorkers: 2,
    execArgv: quickStart,
    exclude: nightlyTests,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          // Server code is executed by Node itself (type stripping), as in production.
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
      // Tests of the docker driver: `npm run campaign -- docker suite`. DOCKER_TESTS is the path of the socket of a Swarm manager.
      ...(process.env.DOCKER_TESTS
        ? [
            {
              extends: true,
              test: {
                name: 'docker',
                experimental: { viteModuleRunner: false, nodeLoader: false },
                globalSetup: ['tests/support/runner/postgres-cluster.ts'],
                include: ['tests/campaigns/docker/**/*.docker.ts'],
                isolate: false,
                fileParallelism: false,
                testTimeout: 300_000,
                hookTimeout: 300_000,
                expect: expectOptions,
              },
            },
          ]
        : []),
      // All Chromium tests and timing tests, which need the machine for themselves: `npm run campaign -- browser`.
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
