/**
 * Kinds of test, one after the other: `node` (rules, server, house), `device` (the request corridor over a fake
 * IndexedDB), `e2e` (real Chromium), and `e2e-alone`, the files of it that go by the clock. All but the last
 * run two files at a time, because two cores are what there is.
 */
import { defineConfig } from 'vitest/config'

const device = ['tests/local/**', 'tests/request/**', 'tests/sw/**', 'tests/house/whole/**', 'tests/models/**']
const e2e = ['tests/e2e/**']
/** They hold the product, or a session's life, to seconds of the clock: nothing else may have the machine meanwhile. */
const alone = ['activity', 'faults', 'offline-pages', 'worker-life', 'worker-life-requests', 'worker-life-session'].map(
  (name) => `tests/e2e/${name}.e2e.test.ts`,
)

const tests = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`)

/** Patience, no claim: what is waited for may take its time while another file has the processor. Its default is a second. */
const patience = { poll: { timeout: 15_000 } }

const inChromium = {
  globalSetup: ['tests/support/demo-data.ts'],
  testTimeout: 90_000,
  hookTimeout: 120_000,
  expect: patience,
}

export default defineConfig({
  define: { __BUILD__: JSON.stringify('test') },
  test: {
    // An embedded database takes about half a gigabyte.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          setupFiles: ['tests/support/seeded.ts'],
          globalSetup: ['tests/support/postgres-cluster.ts', 'tests/support/template.ts'],
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...device, ...e2e, 'tests/campaigns/**'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
          expect: patience,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'device',
          globalSetup: ['tests/support/template.ts'],
          include: tests(device),
          setupFiles: ['fake-indexeddb/auto', 'tests/support/seeded.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          expect: patience,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { ...inChromium, name: 'e2e', include: tests(e2e), exclude: alone, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { ...inChromium, name: 'e2e-alone', include: alone, fileParallelism: false, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
