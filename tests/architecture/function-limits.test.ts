import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isCode, read, root, under } from '#tests/architecture/tree.ts'

/** Files with a function over a limit of .oxlintrc.json. It may only become smaller. */
const maxFiles = 65

const rules = ['complexity', 'max-lines-per-function'] as const
type Measures = Partial<Record<(typeof rules)[number], number>>

interface Override {
  files: string[]
  rules: Record<string, ['error', { max: number }]>
}

const withoutComments = read('.oxlintrc.json').replaceAll(/^\s*\/\/.*$/gm, '')
const { overrides } = JSON.parse(withoutComments) as { overrides: Override[] }
const limited = overrides.filter((one) => rules.some((rule) => rule in one.rules))
const [limits, ...exceptions] = limited

const maxOf = ({ rules: all }: Override): Measures =>
  Object.fromEntries(rules.flatMap((rule) => (all[rule] ? [[rule, all[rule][1].max]] : [])))

/** The largest function over a limit, by file and rule, as the linter measures it without the exceptions. */
function measure(): Map<string, Measures> {
  const folder = mkdtempSync(join(tmpdir(), 'function-limits-'))
  try {
    const config = join(folder, 'oxlint.json')
    writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, rules: limits?.rules }))
    const places = ['src', 'server', 'demo', 'main.ts']
    const { stdout } = spawnSync(
      join(root, 'node_modules', '.bin', 'oxlint'),
      ['-c', config, '--disable-nested-config', '-f', 'json', ...places],
      { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26, shell: process.platform === 'win32' },
    )
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string; code: string; filename: string }[] }
    const found = new Map<string, Measures>()
    for (const { message, code, filename } of diagnostics) {
      const rule = rules.find((one) => code.includes(one))
      const value = Number(/complexity of (\d+)|lines \((\d+)\)/.exec(message)?.slice(1).find(Boolean))
      if (!rule || !value) throw new Error(`the linter says something else: ${message}`)
      const file = filename.replaceAll('\\', '/')
      const known = found.get(file) ?? {}
      found.set(file, { ...known, [rule]: Math.max(value, known[rule] ?? 0) })
    }
    return found
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

it('a function has a complexity of 15 and 100 lines at most, but for a list that becomes shorter', () => {
  expect(limits && maxOf(limits)).toEqual({ complexity: 15, 'max-lines-per-function': 100 })
  const listed = Object.fromEntries(exceptions.map((one) => [one.files.join(), maxOf(one)]))
  // A function that became smaller is listed with what it has now, and one within the limits not at all.
  expect(listed).toEqual(Object.fromEntries(measure()))
  expect(exceptions.length).toBeLessThanOrEqual(maxFiles)
})

it('no comment takes a function out of the limits', () => {
  const comments = under('src', 'server', 'demo')
    .filter(isCode)
    .flatMap((file) => read(file).match(/(?:ox|es)lint-disable.*(?:complexity|max-lines)/g) ?? [])
  expect(comments).toEqual([])
})
