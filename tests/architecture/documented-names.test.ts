/** Checks that files and functions named in comments and documents exist. */
import { posix } from 'node:path'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { files, isCode, readFileText } from '#tests/architecture/tree.ts'

const documents = files.filter((file) => file.endsWith('.md'))
const sources = files
  .filter((file) => isCode(file) || file.endsWith('.css'))
  .map((file) => ({ file, ...splitComments(file, readFileText(file)) }))
const documentsAndComments = [
  ...documents.map((file) => ({ file, text: readFileText(file) })),
  ...sources.map(({ file, comments }) => ({ file, text: comments })),
]

function splitComments(file: string, text: string): { comments: string; code: string } {
  if (!isCode(file)) return { comments: text.match(/\/\*[\s\S]*?\*\//g)?.join('\n') ?? '', code: text }
  const { comments } = parseSync(file, text)
  let code = text
  for (const { start, end } of comments.toReversed()) code = code.slice(0, start) + code.slice(end)
  return { comments: comments.map(({ value }) => value).join('\n'), code }
}

/**
 * Matches file names with the extension ts, tsx or mjs, with or without folders, and paths below `docs`, `locales` or `bench` that end with
 * md or json.
 */
const filePattern =
  /(?<![\w/.@:<-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|mjs)\b|(?<![\w/.@:-])(?:docs|locales|bench)\/[\w./-]+\.(?:md|json)\b/g
const placeholderNames = new Set(['server/db/migrations/NNN-what.ts'])
const pathEndings = new Set(
  files.flatMap((file) => {
    const parts = file.split('/')
    return parts.map((_, index) => parts.slice(index).join('/'))
  }),
)
const findMissingFiles = (text: string) =>
  [...text.matchAll(filePattern)]
    // `../` at the beginning is removed. Links have a test of their own.
    .map(([name]) => name.replace(/^(?:\.\.\/)+/, ''))
    .filter((name) => !pathEndings.has(name) && !placeholderNames.has(name))

it('Every file that a comment or a document names exists', () => {
  expect(documentsAndComments.length).toBeGreaterThan(1_000)
  const missingNames = documentsAndComments.flatMap(({ file, text }) =>
    findMissingFiles(text).map((name) => `${file} names ${name}`),
  )
  expect(missingNames).toEqual([])
  expect(
    findMissingFiles('see `storage/gone.ts`, view.tsx and docs/no.md; `*.night.test.ts` and .test.ts are patterns'),
  ).toEqual(['storage/gone.ts', 'view.tsx', 'docs/no.md'])
})

/** Matches the targets of links. They are relative to the folder of the document. Web addresses are not matched. */
const linkPattern = /\]\(([^)\s:#]+)(?:#[^)\s]*)?\)/g
const filesAndFolders = new Set(
  files.flatMap((file) => {
    const parts = file.split('/')
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  }),
)
const findBrokenLinks = (file: string, text: string) =>
  [...text.matchAll(linkPattern)]
    .map(([, path = '']) => path)
    .filter((path) => !filesAndFolders.has(posix.join(posix.dirname(file), path)))

it('Every relative link of a document leads to an existing file', () => {
  const countLinks = (text: string) => [...text.matchAll(linkPattern)].length
  expect(documents.reduce((sum, file) => sum + countLinks(readFileText(file)), 0)).toBeGreaterThan(100)
  const brokenLinks = documents.flatMap((file) =>
    findBrokenLinks(file, readFileText(file)).map((path) => `${file} links to ${path}`),
  )
  expect(brokenLinks).toEqual([])
  const text =
    '[a](security.md) [b](../README.md#top) [c](https://example.com) [d](docs/security.md) [e](../../README.md)'
  expect(findBrokenLinks('docs/x.md', text)).toEqual(['docs/security.md', '../../README.md'])
})

/** Matches names in camel case, and names that are followed by parentheses. */
const functionNames = /(?<![\w./:-])(?:[a-z]+\d*[A-Z]\w*|[a-zA-Z_]\w*(?=\(\)))(?![\w:-])/g
/** Words in camel case that are not names of functions. */
const ordinaryWords = new Set(['iPads', 'sRGB'])
const dataFiles = files.filter((file) => /\.(json|html|sql)$/.test(file) && !file.endsWith('package-lock.json'))
const knownNames = new Set(
  [...sources.map(({ code }) => code), ...dataFiles.map(readFileText)].flatMap(
    (text) => text.match(/[A-Za-z_$][\w$]*/g) ?? [],
  ),
)
const findMissingFunctions = (text: string) =>
  (text.match(functionNames) ?? []).filter((name) => !knownNames.has(name) && !ordinaryWords.has(name))

it('Every function that a comment or a document names exists', () => {
  expect(knownNames.size).toBeGreaterThan(5_000)
  const missingNames = documentsAndComments.flatMap(({ file, text }) =>
    findMissingFunctions(text).map((name) => `${file} names ${name}`),
  )
  expect(missingNames).toEqual([])
  expect(findMissingFunctions(['read', 'Nothing of it, van', 'ish() or expect()'].join(''))).toEqual([
    ['read', 'Nothing'].join(''),
    ['van', 'ish'].join(''),
  ])
})
