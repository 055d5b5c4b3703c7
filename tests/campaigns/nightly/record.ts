/**
 * The record of the nightly run: `docs/nightly.json` has the latest complete run, and `docs/benchmarks.md` its table. `reports/nightly.json` has
 * the run that is not complete yet, so that it can be continued.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '#tests/campaigns/nightly/steps.ts'

/** A measured value with its limit, as text. */
export interface NightlyFigure {
  id: string
  value: string
  limit: string
  hasPassed: boolean
  /** Numbers of events that the record adds up over its runs, such as kills of a browser. */
  addedUp?: Record<string, number>
}

export interface StepRecord {
  id: string
  hasPassed: boolean
  minutes: number
  /** Numbers of tests, for steps that run tests. */
  passed?: number
  failed?: number
  skipped?: number
  /** Names of failed tests, or the last lines of the output. */
  problems: string[]
  figures: NightlyFigure[]
  /** Files of tests that ran. */
  files: string[]
}

export interface NightlyRecord {
  /** The last commit that changed the product or its tests. */
  commit: string
  /** `yyyy-MM-dd` of the last step. */
  date: string
  steps: StepRecord[]
  /** Files of tests that no step has run. */
  missingFiles: string[]
  /** The latest run without a failure. Null if there was none. */
  lastGreen: { commit: string; date: string } | null
  /** Sums of `addedUp` over all complete runs, without steps that failed. */
  totals?: Record<string, number>
}

/** What a nightly run is about. Documents and this record may change without a new run. */
export const productPaths = ['src', 'server', 'demo', 'tests', 'package-lock.json']

export const recordPath = join(root, 'docs', 'nightly.json')
const unfinishedPath = join(root, 'reports', 'nightly.json')
const tablePath = join(root, 'docs', 'benchmarks.md')

const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

/** Returns the last commit that changed the product or its tests. Throws if something of them is not committed. */
export function readProductCommit(): string {
  const changes = git('status', '--porcelain', '--', ...productPaths)
  if (changes !== '')
    throw new Error(`Commit these changes first, so that the record can name what was tested:\n${changes}`)
  return git('log', '-1', '--format=%H', '--', ...productPaths)
}

const readRecord = (path: string): NightlyRecord | null =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as NightlyRecord) : null

export const readUnfinished = (commit: string): NightlyRecord | null => {
  const record = readRecord(unfinishedPath)
  return record?.commit === commit ? record : null
}

export const readLatest = (): NightlyRecord | null => readRecord(recordPath)

function write(path: string, record: NightlyRecord): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`)
}

export const saveUnfinished = (record: NightlyRecord): void => write(unfinishedPath, record)

export const isGreen = ({ steps, missingFiles }: NightlyRecord): boolean =>
  missingFiles.length === 0 && steps.every(({ hasPassed }) => hasPassed)

const [tableStart, tableEnd] = ['<!-- nightly run -->', '<!-- end of the nightly run -->']

const sum = (steps: readonly StepRecord[], field: 'passed' | 'failed' | 'minutes') =>
  steps.reduce((total, step) => total + (step[field] ?? 0), 0)

/** Returns the totals with those of the steps that passed. */
export function addTotals(totals: Record<string, number>, steps: readonly StepRecord[]): Record<string, number> {
  const sums = { ...totals }
  for (const { addedUp = {} } of steps.flatMap(({ hasPassed, figures }) => (hasPassed ? figures : [])))
    for (const [name, count] of Object.entries(addedUp)) sums[name] = (sums[name] ?? 0) + count
  return sums
}

export function formatTable(record: NightlyRecord): string {
  const { commit, date, steps, missingFiles, totals = {} } = record
  const failedSteps = steps.filter(({ hasPassed }) => !hasPassed)
  const figures = steps.flatMap(({ figures: own }) => own)
  return [
    tableStart,
    `The latest run was on ${date}, of commit ${commit.slice(0, 8)}, in ${(sum(steps, 'minutes') / 60).toFixed(1)} hours:`,
    `${steps.length - failedSteps.length} of ${steps.length} steps passed, with ${sum(steps, 'passed')} tests passed and ${sum(steps, 'failed')} failed.`,
    ...(missingFiles.length === 0 ? [] : [`Not run: ${missingFiles.join(', ')}.`]),
    '',
    '| Step | Result | Minutes | Tests | Problems |',
    '| --- | --- | --- | --- | --- |',
    ...steps.map(
      ({ id, hasPassed, minutes, passed, problems }) =>
        `| ${id} | ${hasPassed ? 'passed' : '**failed**'} | ${minutes.toFixed(1)} | ${passed ?? '–'} | ${escapeCell(problems)} |`,
    ),
    '',
    ...(figures.length === 0
      ? []
      : [
          '| Figure | Value | Limit | |',
          '| --- | --- | --- | --- |',
          ...figures.map(
            ({ id, value, limit, hasPassed }) => `| ${id} | ${value} | ${limit} | ${hasPassed ? '' : '**missed**'} |`,
          ),
          '',
        ]),
    ...(Object.keys(totals).length === 0
      ? []
      : [
          '| Added up over all runs | Number |',
          '| --- | --- |',
          ...Object.entries(totals).map(([name, count]) => `| ${name} | ${count} |`),
          '',
        ]),
    tableEnd,
  ].join('\n')
}

const maxProblems = 3
const maxProblemLength = 160

const escapeCell = (problems: readonly string[]) =>
  problems
    .slice(0, maxProblems)
    .map((problem) => problem.replace(/[|\n]/g, ' ').slice(0, maxProblemLength))
    .join('; ')

/** Stores a complete run, and writes its table into the page of benchmarks. */
export function saveComplete(run: NightlyRecord): void {
  const { commit, date } = run
  const previous = readLatest()
  const record = {
    ...run,
    lastGreen: isGreen(run) ? { commit, date } : (previous?.lastGreen ?? null),
    totals: addTotals(previous?.totals ?? {}, run.steps),
  }
  write(recordPath, record)
  const page = readFileSync(tablePath, 'utf8')
  const [head = '', rest = ''] = page.split(tableStart)
  const tail = rest.split(tableEnd)[1] ?? '\n'
  const title = page.includes(tableStart) ? '' : '\n## Nightly run\n\n'
  writeFileSync(tablePath, `${head.trimEnd()}\n${title === '' ? '\n' : title}${formatTable(record)}${tail}`)
}

const dayMs = 86_400_000
/** After so many days `npm test` warns. */
const maxAgeDays = 7

/** One line about the latest run without a failure, for the end of `npm test`. `today` is `yyyy-MM-dd`. */
export function describeAge(record: Pick<NightlyRecord, 'lastGreen'> | null, today: string): string {
  const advice = 'run `npm run campaign -- nightly`'
  if (!record?.lastGreen) return `Warning: no nightly run without a failure is on record: ${advice}.`
  const { commit, date } = record.lastGreen
  const days = Math.round((Date.parse(today) - Date.parse(date)) / dayMs)
  const age = `The latest nightly run without a failure is ${days} ${days === 1 ? 'day' : 'days'} old (${commit.slice(0, 8)})`
  return days > maxAgeDays ? `Warning: ${age}: ${advice}.` : `${age}.`
}
