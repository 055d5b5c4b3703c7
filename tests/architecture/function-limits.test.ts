import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isCode, readFileText, root, listFilesUnder } from '#tests/architecture/tree.ts'

/** Maximum number of files with a function over a limit of .oxlintrc.json. May only decrease. */
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

/** Returns the size of the largest function over a limit, by file and rule. Ignores the linter's exceptions. */
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

it('A function has at most complexity 15 and 100 lines, except in the listed files', () => {
  expect(limits && getLimits(limits)).toEqual({ complexity: 15, 'max-lines-per-function': 100 })
  const listedLimits = Object.fromEntries(exceptions.map((override) => [override.files.join(), getLimits(override)]))
  // The exceptions must list exactly the files over a limit, each with its current size.
  expect(listedLimits).toEqual(Object.fromEntries(measureFunctions()))
  expect(exceptions.length).toBeLessThanOrEqual(maxFiles)
})

it('No comment switches the function limits off', () => {
  const comments = listFilesUnder('src', 'server', 'demo')
    .filter(isCode)
    .flatMap((file) => readFileText(file).match(/(?:ox|es)lint-disable.*(?:complexity|max-lines)/g) ?? [])
  expect(comments).toEqual([])
})
