/**
 * Puts faults that the product once had back into a copy of it, one at a time (tests/campaigns/planted), and runs the tests that must find
 * them. Before that, these tests must pass on the unchanged copy. Exits with 1 if they do not, or if no test fails with one of the faults.
 *
 * npm run campaign -- planted [parts of names]
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlantedBug } from '#tests/campaigns/planted/bug.ts'
import { plantedBugs } from '#tests/campaigns/planted/list.ts'
import { runVitest } from '#tests/campaigns/vitest.ts'

const root = join(import.meta.dirname, '..', '..')

interface JsonReport {
  testResults: { assertionResults: { fullName: string; status: string }[] }[]
}

interface TestRun {
  hasPassed: boolean
  /** Null if no test failed, also if a file could not be loaded or its set-up failed. */
  failedTest: string | null
  output: string
}

/** Copies all files of the repository, with changes that are not committed. The packages are a link. */
function copyProduct(folder: string): void {
  const paths = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 24 }).split('\0')
  for (const path of paths.filter((path) => path !== '' && existsSync(join(root, path))))
    cpSync(join(root, path), join(folder, path))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir')
}

/** Runs test files in the copy as `npm test` does, without their nightly parts. */
async function runTests(folder: string, project: string, files: readonly string[], args: string[]): Promise<TestRun> {
  const reportFile = join(folder, 'planted-report.json')
  rmSync(reportFile, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const { hasPassed, output } = await runVitest(
    ['--project', project, ...args, ...reporters, ...files],
    { CAMPAIGN: '' },
    folder,
  )
  const report = existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as JsonReport) : null
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? []
  return { hasPassed, failedTest: results.find(({ status }) => status === 'failed')?.fullName ?? null, output }
}

/** Runs each test file of these bugs once on the unchanged copy. Returns whether all of them passed. */
async function runUnchanged(folder: string, bugs: readonly PlantedBug[]): Promise<boolean> {
  let haveAllPassed = true
  for (const project of new Set(bugs.map((bug) => bug.project))) {
    const files = new Set(bugs.filter((bug) => bug.project === project).flatMap(({ tests }) => tests))
    const { hasPassed, failedTest, output } = await runTests(folder, project, [...files], [])
    if (!hasPassed) haveAllPassed = false
    console.log(
      hasPassed
        ? `the unchanged copy passes ${files.size} files of the project ${project}`
        : `THE UNCHANGED COPY FAILS in the project ${project}: ${failedTest ?? output.slice(-1000)}`,
    )
  }
  return haveAllPassed
}

/** Returns whether a test failed with the bug. Afterwards the file is as before. */
async function runBug(folder: string, { name, file, from, to, project, tests }: PlantedBug): Promise<boolean> {
  const path = join(folder, file)
  const text = readFileSync(path, 'utf8')
  if (text.split(from).length !== 2) throw new Error(`${name}: the code to replace does not occur once in ${file}`)
  writeFileSync(
    path,
    text.replace(from, () => to),
  )
  const { failedTest, hasPassed, output } = await runTests(folder, project, tests, ['--bail=1'])
  writeFileSync(path, text)
  if (failedTest !== null) console.log(`caught    ${name}: ${failedTest}`)
  else console.log(hasPassed ? `SURVIVED  ${name}` : `SURVIVED  ${name}, no test ran: ${output.slice(-1000)}`)
  return failedTest !== null
}

export async function run(parts: string[]): Promise<void> {
  const bugs = plantedBugs.filter(({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)))
  if (bugs.length === 0) throw new Error(`no name of a planted bug has "${parts.join('" or "')}" in it`)
  const folder = mkdtempSync(join(tmpdir(), 'planted-'))
  try {
    copyProduct(folder)
    if (!(await runUnchanged(folder, bugs))) process.exitCode = 1
    let caughtCount = 0
    for (const bug of bugs) if (await runBug(folder, bug)) caughtCount += 1
    console.log(`${caughtCount} of ${bugs.length} caught`)
    if (caughtCount < bugs.length) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
