/** Comments and titles of tests are plain English: CONTRIBUTING.md has the rules, plain-language.json the words that break them. */
import { describe, expect, it } from 'vitest'
import { findMarker, languageRules, listCommentLines, listTestTitles } from '#tests/architecture/plain-language.ts'
import { isCode, listFilesUnder, readFileText } from '#tests/architecture/tree.ts'

const { maxMarkedPercent, maxCommentLinesPerThousand } = languageRules

const readFiles = (...folders: string[]) =>
  listFilesUnder(...folders)
    .filter((file) => isCode(file) && !file.includes('/migrations/'))
    .map((file) => ({ file, text: readFileText(file) }))

/** Lines with a marker, if there are more than the limit allows; else none. */
function findExcess(lines: readonly { file: string; line: string }[]): string[] {
  const markedLines = lines.filter(({ line }) => findMarker(line))
  const isTooMany = markedLines.length > (lines.length * maxMarkedPercent) / 100
  return isTooMany ? markedLines.map(({ file, line }) => `${file}: "${findMarker(line)}" in ${line}`) : []
}

describe('plain English', () => {
  const productFiles = readFiles('src', 'server', 'demo')
  const productComments = productFiles.flatMap(({ file, text }) =>
    listCommentLines(file, text).map((line) => ({ file, line })),
  )

  it('is the language of comments', () => {
    expect(findExcess(productComments)).toEqual([])
    const otherComments = readFiles('tests', 'scripts', 'bench').flatMap(({ file, text }) =>
      listCommentLines(file, text).map((line) => ({ file, line })),
    )
    expect(findExcess(otherComments)).toEqual([])
  })

  it('needs few comments', () => {
    const lineCount = productFiles.reduce((sum, { text }) => sum + text.split('\n').length, 0)
    expect((productComments.length * 1000) / lineCount).toBeLessThanOrEqual(maxCommentLinesPerThousand)
  })

  it('is the language of test titles', () => {
    const titles = readFiles('tests').flatMap(({ file, text }) => listTestTitles(text).map((line) => ({ file, line })))
    expect(titles.length).toBeGreaterThan(3000)
    expect(findExcess(titles)).toEqual([])
  })

  it('is distinguished from the dialect', () => {
    const planted = "/** Answers whoever asked. */\nconst a = 1 // says so\nit('goes on anew', () => {})"
    expect(listCommentLines('a.ts', planted).map(findMarker)).toEqual(['whoever', 'says so'])
    expect(listTestTitles(planted).map(findMarker)).toEqual(['goes on'])
    expect(findMarker('Returns the rows of one page.')).toBeUndefined()
  })
})
