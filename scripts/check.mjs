/**
 * Runs the static checks: types per environment, format, Chinese texts, lint, dead code. Each check counts as one test. Run alone, it also
 * checks names, language, imports and folders (which `npm test` does with all other tests), and the titles of the last commits.
 * npm run check
 */
import { spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const bin = (name) => join(root, 'node_modules', '.bin', name)

const environments = ['tests', 'page', 'server', 'worker', 'pure']

export const checks = [
  // The longest check comes first. Each type check uses one checker: several would compute the same types in parallel and take twice the
  // processor time.
  { name: 'lint', command: [bin('oxlint'), '--type-aware', '--deny-warnings', '.'] },
  ...environments.map((name) => ({
    name: `types: ${name}`,
    command: [bin('tsc'), '--noEmit', '--checkers', '1', '-p', `tsconfig.${name}.json`],
  })),
  { name: 'format', command: [bin('biome'), 'format', '.'] },
  { name: 'Chinese texts', command: [process.execPath, join(root, 'scripts', 'check-chinese.mjs')] },
  { name: 'dead code and unused packages', command: [bin('knip')] },
]

const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const rules = ['imports', 'names', 'plain-language', 'log-events', 'tree'].map(
  (name) => `tests/architecture/${name}.test.ts`,
)
const structure = {
  name: 'names, language, imports and folders',
  command: [process.execPath, vitest, 'run', '--project', 'node', ...rules],
}

/** Resolves to { name, passed, output }; never rejects. */
export function runCheck({ name, command: [program, ...args] }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, shell: process.platform === 'win32' })
    const parts = []
    child.stdout.on('data', (part) => parts.push(part))
    child.stderr.on('data', (part) => parts.push(part))
    child.on('error', (error) => resolve({ name, passed: false, output: String(error) }))
    child.on('close', (code) => resolve({ name, passed: code === 0, output: Buffer.concat(parts).toString() }))
  })
}

/** Runs two checks at a time, because there are two cores. Results are in the order of the list. */
export async function runChecks(list, onResult = () => {}) {
  const results = Array(list.length)
  let next = 0
  const worker = async () => {
    while (next < list.length) {
      const at = next++
      results[at] = await runCheck(list[at])
      onResult(results[at])
    }
  }
  await Promise.all([worker(), worker()])
  return results
}

export function printResult({ name, passed, output }) {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}`)
  if (!passed) console.log(output)
}

const commitTitles = { name: 'commit titles', command: [process.execPath, join('scripts', 'check-commits.mjs')] }

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const results = await runChecks([...checks, structure, commitTitles], printResult)
  const failed = results.filter((result) => !result.passed).length
  console.log(`${results.length - failed} passed, ${failed} failed`)
  process.exitCode = failed ? 1 : 0
}
