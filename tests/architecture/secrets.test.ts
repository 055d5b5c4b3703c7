import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { files, readFileText, root } from '#tests/architecture/tree.ts'

const dist = join(root, 'dist')
const builtFiles = readdirSync(dist, { recursive: true, encoding: 'utf8' })
const textFiles = builtFiles.filter(
  (file) => /\.(js|css|html|json|webmanifest|svg)$/.test(file) && file !== 'build.json',
)

/** Digests of the built files, by which the worker requests them. They look random but are not secret. */
const digests = new Set(
  builtFiles
    .filter((file) => statSync(join(dist, file)).isFile())
    .map(
      (file) =>
        `sha256-${createHash('sha256')
          .update(readFileSync(join(dist, file)))
          .digest('base64')}`,
    ),
)

const keyShapes = {
  'private key': /-----BEGIN (RSA |EC |OPENSSH |ENCRYPTED )?PRIVATE KEY-----/,
  'payment key': /\b(sk|rk|whsec)_(live|test)?_?[A-Za-z0-9]{16,}/,
  'cloud key': /\bAKIA[0-9A-Z]{16}\b/,
  'token of a forge': /\bgh[pousr]_[A-Za-z0-9]{36}\b/,
  'signed token': /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/,
  // Excludes placeholders for the password ("password", "...") that examples use, passwords that are too short to be real, and connections
  // to the local machine.
  'database with password':
    /\bpostgres(ql)?:\/\/[^\s:'"`/@]+:(?!password@|PASSWORD@)[^\s@'"`$]{8,}@(?!127\.0\.0\.1|localhost)/,
}

/** Returns the entropy in bits per character. Random base64 has about 5.5, words and paths have less than 4.5. */
function calculateEntropy(text: string) {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return -[...counts.values()].reduce((sum, n) => sum + (n / text.length) * Math.log2(n / text.length), 0)
}

/** Returns strings of letters and digits that look random. Alphabets, which contain each letter once, are excluded. */
const findRandomStrings = (text: string) =>
  [...text.matchAll(/["'`]([A-Za-z0-9+/_-]{32,}={0,2})["'`]/g)]
    .map(([, run]) => run ?? '')
    .filter((run) => !digests.has(run))
    .filter((run) => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run))
    .filter((run) => calculateEntropy(run) > 4.6 && new Set(run).size < run.length)

const findKeys = (text: string) =>
  Object.entries(keyShapes).flatMap(([name, shape]) => (shape.test(text) ? [name] : []))

describe('secrets (S-80)', () => {
  it('are in no file of the project', () => {
    const isText = (file: string) => !/\.(png|woff2)$/.test(file) && file !== 'package-lock.json'
    const foundKeys = files
      .filter(isText)
      .flatMap((file) => findKeys(readFileText(file)).map((kind) => `${file}: ${kind}`))
    expect(foundKeys).toEqual([])
  })

  it('are not in the built client: no key in a common format, and no random string', () => {
    expect(textFiles.length).toBeGreaterThan(3)
    const suspectTexts = textFiles.flatMap((file) => {
      const text = readFileSync(join(dist, file), 'utf8')
      return [...findKeys(text), ...findRandomStrings(text)].map((match) => `${file}: ${match}`)
    })
    expect(suspectTexts).toEqual([])
  })

  it('the built client contains no source maps and no source files', () => {
    expect(builtFiles.filter((file) => /\.(map|ts|tsx)$/.test(file))).toEqual([])
    const filesWithSourceMap = textFiles.filter((file) =>
      /[#@] ?sourceMappingURL=/.test(readFileSync(join(dist, file), 'utf8')),
    )
    expect(filesWithSourceMap).toEqual([])
  })
})
