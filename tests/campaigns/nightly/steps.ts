/**
 * The steps of the nightly run: everything that `npm test` leaves out. Each is a process of its own, so that one that fails or hangs does not
 * end the others, and an interrupted run continues with the next one.
 */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { quickStart } from '#tests/support/server/process.ts'

export interface NightlyStep {
  /** Unique, and stable between runs. */
  id: string
  /** Arguments of Node. */
  args: readonly string[]
  /** After this time in minutes the step is ended and has failed. */
  maxMinutes: number
}

export const root = join(import.meta.dirname, '..', '..', '..')
export const reportsFolder = join(root, 'reports')
export const coverageFolder = join(reportsFolder, 'coverage')

/** Campaigns with the arguments that fit into a night, and their time limits in minutes. */
const campaigns: readonly (readonly [id: string, args: readonly string[], maxMinutes: number])[] = [
  ['audit-trail', ['200000'], 30],
  ['backups', ['20'], 20],
  ['bodies', [], 20],
  ['cluster', ['5'], 20],
  ['compose', [], 40],
  ['docker', [], 60],
  ['faults', ['100'], 20],
  ['fees', ['100000'], 10],
  ['histories', [], 30],
  ['invitation-flood', [], 5],
  ['judges', [], 60],
  ['kill-writes', ['10'], 15],
  ['lighthouse', [], 40],
  ['money', ['40'], 40],
  ['money', ['450', 'any', 'embedded', 'quick'], 40],
  ['money', ['450', 'any', 'postgres', 'quick'], 40],
  ['monkey', ['60'], 75],
  ['mutants', [], 15],
  ['outbox-model', ['10000'], 15],
  ['packages', ['20000'], 15],
  ['payments', ['40'], 20],
  ['picture-flood', [], 5],
  ['planted', [], 60],
  ['proxies', [], 20],
  ['recipes', [], 20],
  ['reproducible', [], 15],
  ['saved', ['20'], 15],
  ['services', ['20'], 20],
  ['sign-in-flood', [], 10],
  ['upload-flood', [], 10],
  ['worker-life', ['20'], 20],
]

/** Journeys of `campaign -- browsers`. Chromium has its own tests, except the kills. */
const browserRuns: readonly (readonly [args: readonly string[], maxMinutes: number])[] = [
  [['firefox'], 60],
  [['webkit'], 60],
  [['chromium', 'kills', '350'], 60],
]

/** Ids of the figures of `npm run bench`, without their numbers. */
const benches = ['L', 'B', 'S1', 'S2', 'S32', 'T', 'O', 'A', 'C']

const vitest = join('node_modules', 'vitest', 'vitest.mjs')
const runVitest = (...args: string[]) => [...quickStart, vitest, 'run', ...args]

const coverage = [
  '--coverage',
  '--coverage.reporter=json-summary',
  `--coverage.reportsDirectory=${coverageFolder}`,
  ...['src', 'server', 'demo'].map((folder) => `--coverage.include=${folder}/**`),
]

/** Chromium tests run one file at a time, because many of them measure time. */
const listBrowserFiles = (): string[] =>
  ['tests/campaigns/browser/*.test.ts', 'tests/e2e/**/*.test.ts']
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .toSorted()

export function listSteps(): NightlyStep[] {
  return [
    {
      id: 'tests without a browser',
      args: runVitest(
        ...['node', 'page', 'dom', 'parts', 'device', 'left'].flatMap((name) => ['--project', name]),
        ...coverage,
      ),
      maxMinutes: 90,
    },
    ...listBrowserFiles().map((file) => ({
      id: `browser ${file.replace(/^tests\/(campaigns\/)?|\.test\.ts$/g, '')}`,
      args: runVitest('--project', 'campaign', file),
      maxMinutes: 15,
    })),
    ...benches.map((id) => ({ id: `bench ${id}`, args: ['bench/run.ts', id], maxMinutes: 20 })),
    ...browserRuns.map(([args, maxMinutes]) => ({
      id: `campaign browsers ${args[0]}`,
      args: ['tests/campaigns/run.ts', 'browsers', ...args],
      maxMinutes,
    })),
    ...campaigns.map(([id, args, maxMinutes]) => ({
      id: ['campaign', id, ...args.filter((argument) => /^[a-z]+$/.test(argument) && argument !== 'any')].join(' '),
      args: ['tests/campaigns/run.ts', id, ...args],
      maxMinutes,
    })),
  ]
}

/** All test files of the repository except those of the docker driver, which have their own campaign. */
export const listTestFiles = (): string[] =>
  globSync('tests/**/*.test.{ts,tsx}', { cwd: root, exclude: ['tests/**/fixtures/**'] }).toSorted()
