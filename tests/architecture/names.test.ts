/** Checks names against docs/glossary.md (terms) and retired-words.json (words with their replacements). */
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { type FileNames, readNames } from '#tests/architecture/declared-names.ts'
import { isCode, listFilesUnder, readFileText, readJson } from '#tests/architecture/tree.ts'

interface RetiredWord {
  word: string
  in: 'any name' | 'a whole name'
  write: string
}

const retiredWords = readJson<RetiredWord[]>('tests/architecture/retired-words.json')
/**
 * Members that may contain a retired word: fields of the wire format, of stored files and of external interfaces. Variables have no
 * exceptions.
 */
const exceptions = readJson<{ name: string; reason: string }[]>('tests/architecture/name-exceptions.json')
const exceptedMembers = new Set(exceptions.map(({ name }) => name))

const inAnyName = new Map(retiredWords.filter((rule) => rule.in === 'any name').map((rule) => [rule.word, rule]))
const asWholeName = new Map(retiredWords.map((rule) => [rule.word, rule]))

const wordsOf = (name: string): string[] =>
  name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)?.map((word) => word.toLowerCase()) ?? []

/** Words without meaning. A retired word stays forbidden if one of them is added to it. */
const padding = new Set(['data', 'info', 'thing', 'things', 'item', 'items'])

/** Returns the rule that refuses the name, or undefined. */
function findRule(name: string): RetiredWord | undefined {
  const words = wordsOf(name)
  const inside = words.find((word) => inAnyName.has(word))
  if (inside !== undefined) return inAnyName.get(inside)
  const [meaning, ...more] = words.filter((word, index) => index === 0 || !padding.has(word))
  return meaning !== undefined && more.length === 0 ? asWholeName.get(meaning) : undefined
}

/**
 * Returns the rule that refuses a string. A state may be an adjective (`'gone'`), so only words that are wrong in every name are checked.
 */
function findTextRule(text: string): RetiredWord | undefined {
  if (!/^[a-z][A-Za-z-]*$/.test(text)) return undefined
  return wordsOf(text)
    .map((word) => inAnyName.get(word))
    .find((rule) => rule !== undefined)
}

function findRefusedNames(file: string, { names }: FileNames): string[] {
  return names.flatMap(({ name, line, kind }) => {
    if (kind !== 'name' && exceptedMembers.has(name)) return []
    const rule = kind === 'text' ? findTextRule(name) : findRule(name)
    return rule ? [`${file}:${line} ${name}: write ${rule.write}`] : []
  })
}

const camelCase = (file: string) =>
  basename(file)
    .replace(/\.\w+$/, '')
    .replace(/-([a-z0-9])/g, (_, character: string) => character.toUpperCase())

const isComponentOrHook = (file: string) => /\/(?:[A-Z]\w*\.tsx|use(?:-[a-z]|[A-Z])[\w-]*\.tsx?)$/.test(file)

const isMisnamed = (file: string, { exports }: FileNames): boolean =>
  isComponentOrHook(file) && !exports.some(({ name }) => name === camelCase(file))

function repeatedTypes(namesOfFiles: ReadonlyMap<string, FileNames>): string[] {
  const files = new Map<string, string[]>()
  for (const [file, { exports }] of namesOfFiles)
    for (const { name, isType } of exports) if (isType) files.set(name, [...(files.get(name) ?? []), file])
  return [...files].filter(([, where]) => where.length > 1).map(([name, where]) => `${name}: ${where.join(', ')}`)
}

/**
 * Files that name what earlier versions stored, and so may use retired words: the device migrations, and the tests of the migrations of
 * device and server.
 */
const formerNames = ['src/local/storage/upgrade.ts', 'tests/local/versions.test.ts', 'tests/server/db/shape.test.ts']
const isMigration = (file: string) => file.startsWith('server/db/migrations/') || formerNames.includes(file)
const all = listFilesUnder('src', 'server', 'demo', 'tests', 'bench', 'scripts').filter((file) => !isMigration(file))
const code = new Map(all.filter(isCode).map((file) => [file, readNames(file, readFileText(file))]))
const product = new Map([...code].filter(([file]) => /^(?:src|server|demo)\//.test(file)))

it('No declared name contains a retired word', () => {
  expect([...code].flatMap(([file, names]) => findRefusedNames(file, names))).toEqual([])
  expect([...code.values()].reduce((sum, { names }) => sum + names.length, 0)).toBeGreaterThan(70_000)
})

it('No file name contains a retired word', () => {
  expect(all.length).toBeGreaterThan(2_000)
  expect(all.filter((file) => findRule(camelCase(file.replace(/\.night\.|\.test\./g, '.'))))).toEqual([])
})

it('The file of a component or hook exports its own name', () => {
  expect([...product.keys()].filter(isComponentOrHook).length).toBeGreaterThan(200)
  expect([...product].filter(([file, names]) => isMisnamed(file, names)).map(([file]) => file)).toEqual([])
})

it('No two files export a type of the same name', () => {
  const types = [...product.values()].flatMap(({ exports }) => exports.filter(({ isType }) => isType))
  expect(types.length).toBeGreaterThan(600)
  expect(repeatedTypes(product)).toEqual([])
})

it('Every exception has a reason and is used, and there are at most 60', () => {
  const declaredNames = new Set(
    [...code.values()].flatMap(({ names }) => names.filter(({ kind }) => kind !== 'name').map(({ name }) => name)),
  )
  expect(exceptions.length).toBeLessThanOrEqual(60)
  expect(exceptions.filter(({ name, reason }) => reason.length < 10 || !declaredNames.has(name))).toEqual([])
})

it.each([
  ['a variable', 'const askedRows = 1'],
  ['a parameter', 'export function run(whole: boolean) {}'],
  ['a name from a destructured object', 'const { rows: kept } = cache'],
  ['the rest element of an array', 'const [first, ...told] = rows'],
  ['a parameter of a function type', 'type Listener = (said: string) => void'],
  ['a property of a type', 'interface Row { heardAt: number }'],
  ['a property of an object', 'send({ hurry: true })'],
  ['a private field', 'class Sender { #lanes = [] }'],
  ['a type', 'type Wish = string'],
  ['a type parameter', 'type Box<Told> = Told[]'],
  ['an imported name', "import { rows as kept } from './rows.ts'"],
  ['an exported name', 'const rows = 1\nexport { rows as kept }'],
  ['a namespace', "export * as deeds from './actions.ts'"],
  ['a caught value', 'try { run() } catch (said) {}'],
  ['a discriminator of a union type', "type Result = { kind: 'askedAgain' } | { kind: 'done' }"],
  ['the value of a discriminator', "return_({ state: 'begun' })"],
  ['a name that ends in Data', 'const foundData = 1'],
  ['a name that ends in Info', 'const chosenInfo = 1'],
  ['a name that ends in Thing', 'type ShownThing = 1'],
  ['a name that ends in Item', 'const takenItem = 1'],
])('The check finds a retired word in %s', (_, text) => {
  expect(findRefusedNames('planted.ts', readNames('planted.ts', text))).toHaveLength(1)
})

it.each([
  'const foundRows = 1',
  'const request = 1',
  "type State = 'gone' | 'done'",
  'const warehouse = 1',
  "log('what was asked')",
])('The check accepts %s', (text) => {
  expect(findRefusedNames('planted.ts', readNames('planted.ts', text))).toEqual([])
})

it('The message of a failure lists the words to use instead', () => {
  expect(findRefusedNames('planted.ts', readNames('planted.ts', '\nconst kept = 1'))).toEqual([
    'planted.ts:2 kept: write cached, stored, saved, pending',
  ])
})

it('The check finds a component file with a wrong name, and a type name that two files export', () => {
  const names = readNames(
    'src/app/ErrorBoundary.tsx',
    'export const Broken = () => null\nexport interface Row { id: number }',
  )
  expect(isMisnamed('src/app/ErrorBoundary.tsx', names)).toBe(true)
  expect(isMisnamed('src/app/Broken.tsx', names)).toBe(false)
  expect(
    repeatedTypes(
      new Map([
        ['a.ts', names],
        ['b.ts', names],
      ]),
    ),
  ).toEqual(['Row: a.ts, b.ts'])
})
