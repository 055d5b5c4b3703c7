import { describe, expect, it } from 'vitest'
import { files, importsOf, isCode, read, readJson, under } from '#tests/architecture/tree.ts'

/** Files over 400 lines that are one thing all the same, each with its reason. */
const longFor: Record<string, string> = {}

const code = under('src', 'server', 'tests', 'bench', 'scripts').filter(isCode)
const sheets = files.filter((file) => file.endsWith('.css'))
const isText = (file: string) => !/\.(png|woff2|ico|jpg)$/.test(file)

describe('the tree', () => {
  it('has no drawer for things without a name', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|lib|types|manager|data)([/.]|$)/i
    expect(code.filter((file) => vague.test(file))).toEqual([])
  })

  it('says no word twice in a path', () => {
    const repeats = under('src/features').filter((file) => {
      const [feature, ...rest] = file.split('/').slice(2)
      return rest.length > 0 && new RegExp(`^${feature}[A-Z.-]`).test(rest.at(-1) ?? '')
    })
    expect(repeats).toEqual([])
  })

  it('exports by name, but where React.lazy wants a default', () => {
    const lazily = new Set(code.flatMap((file) => importsOf(file).flatMap((one) => (one.lazy ? [one.file] : []))))
    const defaults = under('src').filter((file) => isCode(file) && /^export default|\bas default\b/m.test(read(file)))
    expect(defaults.filter((file) => !lazily.has(file))).toEqual([])
  })

  it('keeps files small, or says why one is not', () => {
    const long = [...code, ...sheets].filter((file) => read(file).split('\n').length > 400)
    expect(long.filter((file) => !(file in longFor))).toEqual([])
    expect(Object.keys(longFor).filter((file) => !long.includes(file))).toEqual([])
  })

  it('keeps folders small: at most 25 files are directly in one', () => {
    const growing = /^(src\/locales|server\/db\/migrations)\//
    const counts = new Map<string, number>()
    for (const file of under('src', 'server', 'demo', 'tests/support').filter((one) => !growing.test(one))) {
      const folder = file.slice(0, file.lastIndexOf('/'))
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > 25)).toEqual([])
  })

  it('leaves nothing to be done later in the code', () => {
    const marks = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`)
    expect(code.filter((file) => marks.test(read(file)))).toEqual([])
  })

  it('switches no test off', () => {
    const off = new RegExp(`\\b(it|test|describe)\\.(skip|only|${'to' + 'do'})\\(`)
    expect(under('tests').filter((file) => isCode(file) && off.test(read(file)))).toEqual([])
  })

  it('stands by itself: nothing names a folder beside the project', () => {
    const beside = new RegExp(['\\.\\./' + 'shared', '/' + 'work/', '/tmp/' + 'brief'].join('|'))
    expect(files.filter((file) => isText(file) && beside.test(read(file)))).toEqual([])
  })

  it('pins every package to one version (S-93)', () => {
    const { dependencies, devDependencies } = readJson<Record<string, Record<string, string>>>('package.json')
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, at]) => !/^\d+\.\d+\.\d+$/.test(at),
    )
    expect(loose).toEqual([])
  })
})
