import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { read, under } from '#tests/architecture/tree.ts'

/** Words of our own for which the field has a standard one. Migrations keep the names under which they ran. */
const retired = new Set(
  (
    'corridor deed deeds desk drain folding heard holdings hope hopes house hurry knock lane lanes ledger letter letters ' +
    'noted premises reckon reckoning roof room stranger strangers till told visitor watcher weather wing wrong'
  ).split(' '),
)
const ownFile = 'tests/architecture/retired-words.test.ts'
const isMigration = (file: string) => file.startsWith('server/db/migrations/')

const wordsIn = (name: string) => name.split(/[^A-Za-z]+|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase())
/** A limit is `max…` or `min…`; `atMost` is English. */
const isRetired = (name: string) => /^(?:most|least)[A-Z]/.test(name) || wordsIn(name).some((word) => retired.has(word))

const exported = /^export (?:async |abstract )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm

it('no file is named by a retired word', () => {
  const named = under('src', 'server', 'demo', 'tests', 'bench', 'scripts').filter((file) => !isMigration(file))
  expect(named.length).toBeGreaterThan(1_000)
  expect(named.filter((file) => isRetired(basename(file)))).toEqual([])
})

it('nothing that src or server exports is named by one', () => {
  const code = under('src', 'server', 'demo').filter((file) => /\.tsx?$/.test(file) && !isMigration(file))
  const names = code.flatMap((file) => [...read(file).matchAll(exported)].map(([, name = '']) => `${name} of ${file}`))
  expect(names.length).toBeGreaterThan(1_000)
  expect(names.filter((name) => isRetired(name.split(' ')[0] ?? ''))).toEqual([])
})

/** In a type, an object or a pattern: `{ is: 'done' }`. */
const isDiscriminant = /(?:[{;,]|^)\s*is\??: ['"]/m

it('a union is told apart by its kind, not by `is`', () => {
  const code = under('src', 'server', 'demo', 'tests', 'bench').filter(
    (file) => /\.tsx?$/.test(file) && file !== ownFile,
  )
  expect(code.length).toBeGreaterThan(1_000)
  expect(code.filter((file) => isDiscriminant.test(read(file)))).toEqual([])
  expect(["| { is: 'done' }", "return { a, is: 'x' }", "\n  is: 'y',"].every((text) => isDiscriminant.test(text))).toBe(
    true,
  )
})

it('a retired word is found inside a longer name', () => {
  expect(['houseRules', 'createHouse', 'drain-lock.ts', 'OutboxDesk'].map(isRetired)).toEqual([true, true, true, true])
  expect(['mostUsers', 'leastMs', 'atMost'].map(isRetired)).toEqual([true, true, false])
  expect(['warehouse', 'drainage', 'distillery'].map(isRetired)).toEqual([false, false, false])
})
