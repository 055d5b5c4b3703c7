import { expect, it } from 'vitest'
import { readFileText, listFilesUnder } from '#tests/architecture/tree.ts'

const listStyleSheets = (...folders: string[]) => listFilesUnder(...folders).filter((file) => file.endsWith('.css'))

/** Returns `property: value of file` for every rule whose value does not match `allowedValue`. */
function listDeviations(files: string[], property: string, allowedValue: RegExp): string[] {
  const rule = new RegExp(`(?<=[\\s;{])${property}:\\s*([^;}]+)`, 'g')
  return files.flatMap((file) =>
    [...readFileText(file).matchAll(rule)].flatMap(([, value = '']) =>
      allowedValue.test(value) ? [] : [`${value} of ${file}`],
    ),
  )
}

it('All style sheets use only the weights 400, 500 and 600, which every font can show', () => {
  const files = listStyleSheets('src', 'site', 'server')
  expect(files.length).toBeGreaterThan(40)
  expect(listDeviations(files, 'font-weight', /^(400|500|600|inherit)$/)).toEqual([])
})

it('The style sheets of the client use the size tokens and only three line heights', () => {
  const files = listStyleSheets('src')
  expect(listDeviations(files, 'font-size', /^(var\(--t-[a-z]+\)|inherit|0)$/)).toEqual([])
  expect(listDeviations(files, 'line-height', /^(var\(--leading\)|18px|1)$/)).toEqual([])
})
