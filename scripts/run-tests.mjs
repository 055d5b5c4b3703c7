/**
 * Runs all checks of the product: static checks, size budgets, all vitest projects. Each check counts as one test. The last line is `N
 * passed, N failed`, followed by `, N skipped` if there are any.
 *
 * npm test: everything.
 * npm test -- <file or -t>: only these tests. Arguments are passed to vitest, and the static checks are left out.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checks, runChecks, printResult } from './check.mjs'
import { quickStart } from '../tests/support/server/process.ts'
import { describeAge, readLatest } from '../tests/campaigns/nightly/record.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const tools = JSON.parse(readFileSync(join(root, 'node_modules', '.cache', 'portal-tools.json'), 'utf8'))
const isContinuous = process.env.CI === 'true'

const budget = { name: 'size budgets', command: [process.execPath, join('scripts', 'budget.mjs')] }

/** Runs vitest with its own report on the screen and a second one as data. Resolves to that data, or null. */
function runVitest(args) {
  const folder = mkdtempSync(join(tmpdir(), 'portal-tests-'))
  const report = join(folder, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const env = { ...process.env, CHROMIUM_PATH: tools.chromium, POSTGRES_BIN: tools.postgres ?? '' }
  return new Promise((resolve) => {
    // Vitest's own process creates the databases that the tests start with.
    const argv = [...quickStart, vitest, 'run', ...reporters, ...args]
    const child = spawn(process.execPath, argv, { cwd: root, stdio: 'inherit', env })
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => child.kill(signal))
    child.on('close', (code) => {
      const data = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null
      rmSync(folder, { recursive: true, force: true })
      resolve({ code, data })
    })
  })
}

const getPath = (file) => relative(root, file.name)

/** A file that could not be loaded has no tests, so it counts as one failed test. */
function listTests(file) {
  const tests = file.assertionResults.map(({ fullName, status }) => ({ name: `${getPath(file)}: ${fullName}`, status }))
  const hasFailed = tests.some(({ status }) => status === 'failed')
  if (file.status === 'failed' && !hasFailed) tests.push({ name: `${getPath(file)}: could not run`, status: 'failed' })
  return tests
}

/** Vitest may fail although every test passed (an error outside a test), or end without a report. */
function outcomes({ code, data }) {
  const tests = data ? data.testResults.flatMap(listTests) : []
  const hasFailed = tests.some(({ status }) => status === 'failed')
  if (code !== 0 && !hasFailed) tests.push({ name: `vitest itself (exit code ${code}), see above`, status: 'failed' })
  return tests
}

/** Tests may be skipped on computers that lack a tool. In continuous integration a skipped test counts as failed. */
const judgeTest = (test) => {
  if (test.status === 'passed' || test.status === 'failed') return test
  return isContinuous ? { name: `${test.name} (skipped)`, status: 'failed' } : { ...test, status: 'skipped' }
}

/** Shows files that become slow before the total does. Files run in parallel, so their times add up to more than the total. */
function printSlowest({ data }, minutes) {
  const files = (data?.testResults ?? []).map((file) => ({ name: getPath(file), ms: file.endTime - file.startTime }))
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, 10)
  console.log(`\nSlowest files:\n${slowest.map(({ name, ms }) => `  ${(ms / 1000).toFixed(1)} s  ${name}`).join('\n')}`)
  const areas = Map.groupBy(files, ({ name }) => name.split('/')[1])
  const sums = [...areas].map(([area, all]) => ({
    area,
    count: all.length,
    ms: all.reduce((sum, { ms }) => sum + ms, 0),
  }))
  const lines = sums.toSorted((a, b) => b.ms - a.ms)
  console.log(
    `\nBy area:\n${lines.map(({ area, count, ms }) => `  ${(ms / 1000).toFixed(0)} s  ${area} (${count} files)`).join('\n')}`,
  )
  console.log(`\n${minutes.toFixed(1)} minutes in total`)
}

const args = process.argv.slice(2)
const began = performance.now()
const results = args.length ? [] : await runChecks([...checks, budget], printResult)
const run = await runVitest(args)
const tests = [
  ...results.map(({ name, passed }) => ({ name, status: passed ? 'passed' : 'failed' })),
  ...outcomes(run).map(judgeTest),
]

const getTestsByStatus = (status) => tests.filter((test) => test.status === status)
for (const [status, title] of [
  ['skipped', 'Skipped'],
  ['failed', 'Failed'],
]) {
  if (getTestsByStatus(status).length)
    console.log(
      `\n${title}:\n${getTestsByStatus(status)
        .map(({ name }) => `  ${name}`)
        .join('\n')}`,
    )
}
printSlowest(run, (performance.now() - began) / 60_000)
console.log(`\n${describeAge(readLatest(), new Date().toISOString().slice(0, 10))}`)
const [passed, failed, skipped] = ['passed', 'failed', 'skipped'].map((status) => getTestsByStatus(status).length)
console.log(`\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exitCode = failed ? 1 : 0
