/**
 * Three kinds of test, one after the other, because two cores and one embedded database per worker are what there is:
 * `node` (rules, server, house), `device` (the request corridor over a fake IndexedDB), `e2e` (real Chromium).
 */
import { defineConfig } from 'vitest/config'

const device = ['tests/local/**', 'tests/request/**', 'tests/sw/**', 'tests/house/whole/**', 'tests/models/**']
const e2e = ['tests/e2e/**']

const tests = (folders: string[]) => folders.map((folder) => `${folder}/*.test.{ts,tsx}`)

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
          globalSetup: ['tests/support/postgres-cluster.ts'],
          include: ['tests/**/*.test.{ts,tsx}'],
          exclude: [...device, ...e2e, 'tests/campaigns/**'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'device',
          include: tests(device),
          setupFiles: ['fake-indexeddb/auto', 'tests/support/seeded.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: tests(e2e),
          fileParallelism: false,
          testTimeout: 90_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
