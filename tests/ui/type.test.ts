import { expect, it } from 'vitest'
import { readFileText, listFilesUnder } from '#tests/architecture/tree.ts'

const listStyleSheets = (...folders: string[]) => listFilesUnder(...folders).filter((file) => file.endsWith('.css'))

/** `property: value of file`, of every rule that sets it otherwise than `allowedValue`. */
function listDeviations(files: string[], property: string, allowedValue: RegExp): string[] {
  const rule = new RegExp(`(?<=[\\s;{])${property}:\\s*([^;}]+)`, 'g')
  return files.flatMap((file) =>
    [...readFileText(file).matchAll(rule)].flatMap(([, value = '']) =>
      allowedValue.test(value) ? [] : [`${value} of ${file}`],
    ),
  )
}

it('there are three weights: 550 is drawn as 600 or 700 by fonts that have no weight between', () => {
  const files = listStyleSheets('src', 'site', 'server')
  expect(files.length).toBeGreaterThan(40)
  expect(listDeviations(files, 'font-weight', /^(400|500|600|inherit)$/)).toEqual([])
})

it('every size is one of the tokens, and lines are as high as their size asks for', () => {
  const files = listStyleSheets('src')
  expect(listDeviations(files, 'font-size', /^(var\(--t-[a-z]+\)|inherit|0)$/)).toEqual([])
  expect(listDeviations(files, 'line-height', /^(var\(--leading\)|18px|1)$/)).toEqual([])
})
