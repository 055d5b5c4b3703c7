import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutants } from '#tests/outbox-model/mutants/list.ts'

const root = join(import.meta.dirname, '..', '..')

/** Checks only that each mutant can be inserted. `npm run campaign -- mutants` checks that the models detect it. */
it.each(mutants)('The code that the mutant "$name" replaces occurs once in its file', ({ file, from }) => {
  expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2)
})
