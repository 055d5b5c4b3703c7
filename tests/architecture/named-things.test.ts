/** What comments and documents name is there: a reader who looks for it finds it. */
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { files, isCode, read } from '#tests/architecture/tree.ts'

const documents = files.filter((file) => file.endsWith('.md'))
const sources = files
  .filter((file) => isCode(file) || file.endsWith('.css'))
  .map((file) => ({ file, ...splitComments(file, read(file)) }))
const prose = [
  ...documents.map((file) => ({ file, text: read(file) })),
  ...sources.map(({ file, comments }) => ({ file, text: comments })),
]

function splitComments(file: string, text: string): { comments: string; code: string } {
  if (!isCode(file)) return { comments: text.match(/\/\*[\s\S]*?\*\//g)?.join('\n') ?? '', code: text }
  const { comments } = parseSync(file, text)
  let code = text
  for (const { start, end } of comments.toReversed()) code = code.slice(0, start) + code.slice(end)
  return { comments: comments.map(({ value }) => value).join('\n'), code }
}

/** A file with the ending of our code, wherever it lies, or a path below one of our folders. */
const named =
  /(?<![\w/.@:<-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|mjs)\b|(?<![\w/.@:-])(?:docs|locales|bench)\/[\w./-]+\.(?:md|json)\b/g
/** Patterns of names. */
const patterns = new Set(['server/db/migrations/NNN-what.ts'])
const ends = new Set(
  files.flatMap((file) => {
    const parts = file.split('/')
    return parts.map((_, at) => parts.slice(at).join('/'))
  }),
)
const missingFiles = (text: string) =>
  [...text.matchAll(named)].map(([name]) => name).filter((name) => !ends.has(name) && !patterns.has(name))

it('each file that a comment or a document names exists', () => {
  expect(prose.length).toBeGreaterThan(1_000)
  const wrong = prose.flatMap(({ file, text }) => missingFiles(text).map((name) => `${file} names ${name}`))
  expect(wrong).toEqual([])
  expect(
    missingFiles('see `storage/gone.ts`, view.tsx and docs/no.md; `*.night.test.ts` and .test.ts are patterns'),
  ).toEqual(['storage/gone.ts', 'view.tsx', 'docs/no.md'])
})

/** In camel case, or called. */
const functionNames = /(?<![\w./:-])(?:[a-z]+\d*[A-Z]\w*|[a-zA-Z_]\w*(?=\(\)))(?![\w:-])/g
/** Words that are written like one. */
const words = new Set(['iPads', 'sRGB'])
const others = files.filter((file) => /\.(json|html|sql)$/.test(file) && !file.endsWith('package-lock.json'))
const known = new Set(
  [...sources.map(({ code }) => code), ...others.map(read)].flatMap((text) => text.match(/[A-Za-z_$][\w$]*/g) ?? []),
)
const missingFunctions = (text: string) =>
  (text.match(functionNames) ?? []).filter((name) => !known.has(name) && !words.has(name))

it('each function that they name exists', () => {
  expect(known.size).toBeGreaterThan(5_000)
  const wrong = prose.flatMap(({ file, text }) => missingFunctions(text).map((name) => `${file} names ${name}`))
  expect(wrong).toEqual([])
  expect(missingFunctions(['read', 'Nothing of it, van', 'ish() or expect()'].join(''))).toEqual([
    ['read', 'Nothing'].join(''),
    ['van', 'ish'].join(''),
  ])
})
