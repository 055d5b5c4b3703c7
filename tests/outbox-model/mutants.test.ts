import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mutants } from '#tests/outbox-model/mutants/list.ts'

const root = join(import.meta.dirname, '..', '..')

/** That each of them is caught: `npm run campaign -- mutants`. */
it.each(mutants)('$name: the code that it changes is there', ({ file, from }) => {
  expect(readFileSync(join(root, file), 'utf8').split(from)).toHaveLength(2)
})
