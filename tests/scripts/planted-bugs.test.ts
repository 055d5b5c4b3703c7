/** Tests the list of planted bugs. Whether a test finds each of them shows `npm run campaign -- planted`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { plantedBugs } from '#tests/campaigns/planted/list.ts'

const root = join(import.meta.dirname, '..', '..')

it.each(plantedBugs)('The code that the planted bug "$name" replaces occurs once in its file', ({ file, from, to }) => {
  expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2)
  expect(to).not.toBe(from)
})

it('Each planted bug has test files that exist and run by day, and a name of its own', () => {
  const testFiles = plantedBugs.flatMap(({ tests }) => tests)
  expect(testFiles.filter((file) => !existsSync(join(root, file)) || file.includes('.night.'))).toEqual([])
  expect(plantedBugs.filter(({ tests }) => tests.length === 0)).toEqual([])
  const names = plantedBugs.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})
