import { expect, it } from 'vitest'
import { read, under } from '#tests/architecture/tree.ts'

const sheets = (...folders: string[]) => under(...folders).filter((file) => file.endsWith('.css'))

/** `property: value of file`, of every rule that sets it otherwise than `fits`. */
function others(files: string[], property: string, fits: RegExp): string[] {
  const rule = new RegExp(`(?<=[\\s;{])${property}:\\s*([^;}]+)`, 'g')
  return files.flatMap((file) =>
    [...read(file).matchAll(rule)].flatMap(([, value = '']) => (fits.test(value) ? [] : [`${value} of ${file}`])),
  )
}

it('there are three weights: 550 is drawn as 600 or 700 by fonts that have no weight between', () => {
  const files = sheets('src', 'site', 'server')
  expect(files.length).toBeGreaterThan(40)
  expect(others(files, 'font-weight', /^(400|500|600|inherit)$/)).toEqual([])
})

it('every size is one of the tokens, and lines are as high as their size asks for', () => {
  const files = sheets('src')
  expect(others(files, 'font-size', /^(var\(--t-[a-z]+\)|inherit|0)$/)).toEqual([])
  expect(others(files, 'line-height', /^(var\(--leading\)|18px|1)$/)).toEqual([])
})
