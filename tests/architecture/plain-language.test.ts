/**
 * Checks that comments and test titles are plain English. CONTRIBUTING.md has the rules, and plain-language.json lists words that break
 * them.
 */
import { describe, expect, it } from 'vitest'
import { findMarker, languageRules, listCommentLines, listTestTitles } from '#tests/architecture/plain-language.ts'
import { isCode, listFilesUnder, readFileText } from '#tests/architecture/tree.ts'

const { maxMarkedPercent, maxCommentLinesPerThousand } = languageRules

const readFiles = (...folders: string[]) =>
  listFilesUnder(...folders)
    .filter((file) => isCode(file) && !file.includes('/migrations/'))
    .map((file) => ({ file, text: readFileText(file) }))

/** Returns the lines that contain such a word if there are more than the limit allows, otherwise none. */
function findExcess(lines: readonly { file: string; line: string }[]): string[] {
  const markedLines = lines.filter(({ line }) => findMarker(line))
  const isTooMany = markedLines.length > (lines.length * maxMarkedPercent) / 100
  return isTooMany ? markedLines.map(({ file, line }) => `${file}: "${findMarker(line)}" in ${line}`) : []
}

describe('language rules', () => {
  const productFiles = readFiles('src', 'server', 'demo')
  const productComments = productFiles.flatMap(({ file, text }) =>
    listCommentLines(file, text).map((line) => ({ file, line })),
  )

  it('comments contain few or no unclear words', () => {
    expect(findExcess(productComments)).toEqual([])
    const otherComments = readFiles('tests', 'scripts', 'bench').flatMap(({ file, text }) =>
      listCommentLines(file, text).map((line) => ({ file, line })),
    )
    expect(findExcess(otherComments)).toEqual([])
  })

  it('the product code has few comments', () => {
    const lineCount = productFiles.reduce((sum, { text }) => sum + text.split('\n').length, 0)
    expect((productComments.length * 1000) / lineCount).toBeLessThanOrEqual(maxCommentLinesPerThousand)
  })

  it('test titles contain few or no unclear words', () => {
    const titles = readFiles('tests').flatMap(({ file, text }) => listTestTitles(text).map((line) => ({ file, line })))
    expect(titles.length).toBeGreaterThan(3000)
    expect(findExcess(titles)).toEqual([])
  })

  it('the check finds planted unclear words', () => {
    const planted = "/** Answers whoever asked. */\nconst a = 1 // says so\nit('goes on anew', () => {})"
    expect(listCommentLines('a.ts', planted).map(findMarker)).toEqual(['whoever', 'says so'])
    expect(listTestTitles(planted).map(findMarker)).toEqual(['goes on'])
    expect(findMarker('Returns the rows of one page.')).toBeUndefined()
  })
})
