import { describe, expect, it } from 'vitest'
import { files, readImports, isCode, readFileText, readJson, listFilesUnder } from '#tests/architecture/tree.ts'

/** Files that may exceed 400 lines, each with its reason. */
const longFileReasons: Record<string, string> = {}

const code = listFilesUnder('src', 'server', 'tests', 'bench', 'scripts').filter(isCode)
const sheets = files.filter((file) => file.endsWith('.css'))
const isText = (file: string) => !/\.(png|woff2|ico|jpg)$/.test(file)

describe('the project tree', () => {
  it('has no folder or file with a vague name such as utils', () => {
    const vagueName = /(^|\/)(utils?|helpers?|common|misc|lib|types|manager|data)([/.]|$)/i
    expect(code.filter((file) => vagueName.test(file))).toEqual([])
  })

  it('repeats no feature name in the file names of that feature', () => {
    const repeatedNames = listFilesUnder('src/features').filter((file) => {
      const [feature, ...rest] = file.split('/').slice(2)
      return rest.length > 0 && new RegExp(`^${feature}[A-Z.-]`).test(rest.at(-1) ?? '')
    })
    expect(repeatedNames).toEqual([])
  })

  it('has default exports only for React.lazy', () => {
    const lazyFiles = new Set(
      code.flatMap((file) => readImports(file).flatMap((entry) => (entry.isLazy ? [entry.file] : []))),
    )
    const filesWithDefault = listFilesUnder('src').filter(
      (file) => isCode(file) && /^export default|\bas default\b/m.test(readFileText(file)),
    )
    expect(filesWithDefault.filter((file) => !lazyFiles.has(file))).toEqual([])
  })

  it('has no file over 400 lines, except those listed with a reason', () => {
    const longFiles = [...code, ...sheets].filter((file) => readFileText(file).split('\n').length > 400)
    expect(longFiles.filter((file) => !(file in longFileReasons))).toEqual([])
    expect(Object.keys(longFileReasons).filter((file) => !longFiles.includes(file))).toEqual([])
  })

  it('has at most 25 files directly in a folder', () => {
    const growingFolder = /^(src\/locales|server\/db\/migrations)\//
    const counts = new Map<string, number>()
    for (const file of listFilesUnder('src', 'server', 'demo', 'tests/support').filter(
      (file) => !growingFolder.test(file),
    )) {
      const folder = file.slice(0, file.lastIndexOf('/'))
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    expect([...counts].filter(([, count]) => count > 25)).toEqual([])
  })

  it('contains no marks for unfinished work', () => {
    const todoMark = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`)
    expect(code.filter((file) => todoMark.test(readFileText(file)))).toEqual([])
  })

  it('contains no disabled test', () => {
    const disabledTest = new RegExp(`\\b(it|test|describe)\\.(skip|only|${'to' + 'do'})\\(`)
    expect(listFilesUnder('tests').filter((file) => isCode(file) && disabledTest.test(readFileText(file)))).toEqual([])
  })

  it('contains no path outside the project', () => {
    const outsidePath = new RegExp(['\\.\\./' + 'shared', '/' + 'work/', '/tmp/' + 'brief'].join('|'))
    expect(files.filter((file) => isText(file) && outsidePath.test(readFileText(file)))).toEqual([])
  })

  it('pins every package to one version (S-93)', () => {
    const { dependencies, devDependencies } = readJson<Record<string, Record<string, string>>>('package.json')
    const unpinnedPackages = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    )
    expect(unpinnedPackages).toEqual([])
  })
})
