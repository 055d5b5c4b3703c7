import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isCode, readFileText, root, listFilesUnder } from '#tests/architecture/tree.ts'

/** Files with a function over a limit of .oxlintrc.json. It may only become smaller. */
const maxFiles = 5

const rules = ['complexity', 'max-lines-per-function'] as const
type RuleMeasures = Partial<Record<(typeof rules)[number], number>>

interface LintOverride {
  files: string[]
  rules: Record<string, ['error', { max: number }]>
}

const withoutComments = readFileText('.oxlintrc.json').replaceAll(/^\s*\/\/.*$/gm, '')
const { overrides } = JSON.parse(withoutComments) as { overrides: LintOverride[] }
const overridesWithLimits = overrides.filter((override) => rules.some((rule) => rule in override.rules))
const [limits, ...exceptions] = overridesWithLimits

const getLimits = ({ rules: overrideRules }: LintOverride): RuleMeasures =>
  Object.fromEntries(rules.flatMap((rule) => (overrideRules[rule] ? [[rule, overrideRules[rule][1].max]] : [])))

/** The largest function over a limit, by file and rule, as the linter measures it without the exceptions. */
function measureFunctions(): Map<string, RuleMeasures> {
  const folder = mkdtempSync(join(tmpdir(), 'function-limits-'))
  try {
    const config = join(folder, 'oxlint.json')
    writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, rules: limits?.rules }))
    const folders = ['src', 'server', 'demo', 'main.ts']
    const { stdout } = spawnSync(
      join(root, 'node_modules', '.bin', 'oxlint'),
      ['-c', config, '--disable-nested-config', '-f', 'json', ...folders],
      { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, shell: process.platform === 'win32' },
    )
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string; code: string; filename: string }[] }
    const measuresByFile = new Map<string, RuleMeasures>()
    for (const { message, code, filename } of diagnostics) {
      const rule = rules.find((ruleName) => code.includes(ruleName))
      const value = Number(/complexity of (\d+)|lines \((\d+)\)/.exec(message)?.slice(1).find(Boolean))
      if (!rule || !value) throw new Error(`the linter says something else: ${message}`)
      const file = filename.replaceAll('\\', '/')
      const fileMeasures = measuresByFile.get(file) ?? {}
      measuresByFile.set(file, { ...fileMeasures, [rule]: Math.max(value, fileMeasures[rule] ?? 0) })
    }
    return measuresByFile
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('a function has a complexity of 15 and 100 lines at most, but for a list that becomes shorter', () => {
  expect(limits && getLimits(limits)).toEqual({ complexity: 15, 'max-lines-per-function': 100 })
  const listedLimits = Object.fromEntries(exceptions.map((override) => [override.files.join(), getLimits(override)]))
  // A function that became smaller is listed with what it has now, and one within the limits not at all.
  expect(listedLimits).toEqual(Object.fromEntries(measureFunctions()))
  expect(exceptions.length).toBeLessThanOrEqual(maxFiles)
})

it('no comment takes a function out of the limits', () => {
  const comments = listFilesUnder('src', 'server', 'demo')
    .filter(isCode)
    .flatMap((file) => readFileText(file).match(/(?:ox|es)lint-disable.*(?:complexity|max-lines)/g) ?? [])
  expect(comments).toEqual([])
})
