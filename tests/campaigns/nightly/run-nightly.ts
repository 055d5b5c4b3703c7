/**
 * Runs everything that `npm test` leaves out, step by step: nightly tests, all Chromium tests, the benchmarks and all campaigns. A missed limit
 * is a failure. A run that was interrupted continues if the product has not changed since. When all steps are done, `docs/nightly.json` and
 * the table in `docs/benchmarks.md` are written. Exits with 1 if a step failed.
 *
 * npm run campaign -- nightly: the next steps, until all are done.
 * npm run campaign -- nightly 90: for at most 90 minutes.
 * npm run campaign -- nightly again <part of a step's name>: these steps once more.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  isGreen,
  type NightlyFigure,
  type NightlyRecord,
  readProductCommit,
  readUnfinished,
  saveComplete,
  saveTotals,
  saveUnfinished,
  type StepRecord,
} from '#tests/campaigns/nightly/record.ts'
import {
  coverageFolder,
  listSteps,
  listTestFiles,
  type NightlyStep,
  reportsFolder,
  root,
} from '#tests/campaigns/nightly/steps.ts'
import type { Totals } from '#tests/campaigns/nightly/totals.ts'

const testsReport = join(reportsFolder, 'nightly-tests.json')
const figuresReport = join(reportsFolder, 'nightly-figures.json')
const totalsReport = join(reportsFolder, 'nightly-totals.json')
const coverageReport = join(coverageFolder, 'coverage-summary.json')

interface TestsReport {
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

const readJson = <T>(path: string): T | null =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null

const maxOutputLines = 5

/** Runs the step and prints its output. A step that takes too long gets SIGTERM, and SIGKILL half a minute later. */
async function runStep({ id, args, maxMinutes }: NightlyStep): Promise<StepRecord> {
  for (const path of [testsReport, figuresReport, totalsReport, coverageReport]) rmSync(path, { force: true })
  const startedAt = performance.now()
  const isOfTests = args.some((argument) => argument.endsWith('vitest.mjs'))
  const reporters = isOfTests ? ['--reporter=default', '--reporter=json', `--outputFile.json=${testsReport}`] : []
  const child = spawn(process.execPath, [...args, ...reporters], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', CAMPAIGN: '1', FIGURES_REPORT: figuresReport, TOTALS_REPORT: totalsReport },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      output = (output + piece.toString()).slice(-20_000)
      process.stdout.write(piece)
    })
  let isLate = false
  const end = setTimeout(() => {
    isLate = true
    child.kill('SIGTERM')
    setTimeout(() => child.kill('SIGKILL'), 30_000).unref()
  }, maxMinutes * 60_000)
  const [code] = await once(child, 'close')
  clearTimeout(end)
  const minutes = Math.round((performance.now() - startedAt) / 6000) / 10
  const figures = readJson<NightlyFigure[]>(figuresReport) ?? readCoverage()
  const totals = readJson<Totals>(totalsReport) ?? {}
  const tests = toTestCounts(readJson<TestsReport>(testsReport))
  // A test that did not run has not passed.
  const hasPassed = code === 0 && !isLate && tests.skippedNames.length === 0
  const lastLines = output.trimEnd().split('\n').slice(-maxOutputLines)
  const problems = [
    ...(isLate ? [`ended after ${maxMinutes} minutes`] : []),
    ...(tests.failedNames.length > 0 || hasPassed || code === 0 ? tests.failedNames : lastLines),
    ...tests.skippedNames.map((name) => `${name} did not run`),
  ]
  const { failedNames: _failed, skippedNames: _skipped, files, ...counts } = tests
  return { id, hasPassed, minutes, ...counts, problems, figures, files, totals }
}

/** A file that could not be loaded has no tests, so it counts as one failed test. */
function toTestCounts(report: TestsReport | null) {
  if (!report) return { failedNames: [], skippedNames: [], files: [] }
  const { testResults } = report
  const tests = testResults.flatMap(({ name, status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed')
      ? [...assertionResults, { fullName: `${name} could not run`, status: 'failed' }]
      : assertionResults,
  )
  const listNames = (isListed: (status: string) => boolean) =>
    tests.filter(({ status }) => isListed(status)).map(({ fullName }) => fullName)
  const passedNames = listNames((status) => status === 'passed')
  const failedNames = listNames((status) => status === 'failed')
  const skippedNames = listNames((status) => status !== 'passed' && status !== 'failed')
  return {
    passed: passedNames.length,
    failed: failedNames.length,
    skipped: skippedNames.length,
    failedNames,
    skippedNames,
    files: testResults.map(({ name }) => name.replace(`${root}/`, '')),
  }
}

/** Share of the lines that tests without a browser run, as a figure without a limit. Servers in processes of their own are not measured. */
function readCoverage(): NightlyFigure[] {
  const summary = readJson<{ total: { lines: { pct: number } } }>(coverageReport)
  if (!summary) return []
  return [{ id: 'lines covered without a browser', value: `${summary.total.lines.pct} %`, limit: '–', hasPassed: true }]
}

function findMissingFiles(steps: readonly StepRecord[]): string[] {
  const files = new Set(steps.flatMap(({ files: own }) => own))
  return listTestFiles().filter((file) => !files.has(file))
}

const getToday = () => new Date().toISOString().slice(0, 10)

export async function runNightly([first, ...names]: string[]): Promise<void> {
  mkdirSync(reportsFolder, { recursive: true })
  const commit = readProductCommit()
  const record: NightlyRecord = readUnfinished(commit) ?? {
    commit,
    date: getToday(),
    steps: [],
    missingFiles: [],
    lastGreen: null,
    totals: {},
  }
  const isAgain = (id: string) => first === 'again' && names.some((name) => id.includes(name))
  record.steps = record.steps.filter(({ id }) => !isAgain(id))
  const allSteps = listSteps()
  const maxMs = /^\d+$/.test(first ?? '') ? Number(first) * 60_000 : Number.POSITIVE_INFINITY
  const startedAt = performance.now()
  for (const step of allSteps) {
    if (record.steps.some(({ id }) => id === step.id)) continue
    if (performance.now() - startedAt > maxMs) break
    console.log(`\n=== ${step.id}`)
    const outcome = await runStep(step)
    console.log(`=== ${step.id}: ${outcome.hasPassed ? 'passed' : 'FAILED'} in ${outcome.minutes} minutes`)
    record.steps.push(outcome)
    record.date = getToday()
    saveUnfinished(record)
    saveTotals(outcome)
  }
  const failedIds = record.steps.filter(({ hasPassed }) => !hasPassed).map(({ id }) => id)
  console.log(
    `\n${record.steps.length} of ${allSteps.length} steps of ${commit.slice(0, 8)} are done, ${failedIds.length} failed: ${failedIds.join(', ')}`,
  )
  if (record.steps.length < allSteps.length) return
  record.missingFiles = findMissingFiles(record.steps)
  const order = new Map(allSteps.map(({ id }, index) => [id, index]))
  record.steps.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
  saveComplete(record)
  if (!isGreen(record)) process.exitCode = 1
}
