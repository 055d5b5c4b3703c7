/**
 * Checks the gzipped size of what the page loads before any lazy chunk, against budgets.json. Reads which chunk imports which from
 * dist/build-map.json.
 *
 * npm run budget
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { isStoredWith } from './chunk-placement.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const read = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))

const chunks = read(dist, 'build-map.json')
const budgets = read(root, 'budgets.json')

const gzipBytes = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length

/** Throws for an unknown source or group, because a budget that measures nothing would always pass. */
function getChunk(source) {
  if (chunks[source]) return source
  const group = Object.keys(chunks).find((key) => key.startsWith(`_${source}-`))
  if (group) return group
  throw new Error(`budgets.json names ${source}, but this build has no separate chunk for it`)
}

function withImports(keys, seen = new Set()) {
  for (const key of keys) {
    if (seen.has(key)) continue
    seen.add(key)
    withImports(chunks[key].imports ?? [], seen)
  }
  return seen
}

function scripts({ chunks: sources }) {
  const files = [...withImports(sources.map(getChunk))].map((key) => chunks[key].file)
  return [...new Set(files)].filter((file) => file.endsWith('.js'))
}

/** Files that the worker can cache: the list that the build wrote into it. */
const worker = readFileSync(join(dist, 'sw.js'), 'utf8')
const listed = [...new Set([...worker.matchAll(/["'`]?url["'`]?:\s*["'`]([^"'`]+)["'`]/g)].map(([, url]) => url))]
/** The part of each file that only some devices store (scripts/chunk-plugin.ts). */
const parts = read(dist, 'parts.json')
const getPart = (file) => parts[file] ?? 'everybody'
const precached = listed.filter((file) => getPart(file) === 'everybody')

const sum = (files) => files.reduce((bytes, file) => bytes + gzipBytes(file), 0)

const measured = Object.entries(budgets).map(([name, budget]) => {
  const files = budget.precache ? precached : scripts(budget)
  return { name, limit: budget.gzipBytes, files, bytes: sum(files) }
})

const kilo = (bytes) => `${(bytes / 1000).toFixed(1)} kB`
for (const { name, limit, bytes, files } of measured) {
  const over = bytes > limit
  console.log(`${over ? 'OVER' : 'ok  '}  ${name}: ${kilo(bytes)} of ${kilo(limit)} gzip in ${files.length} files`)
  if (!over && !process.argv.includes('--files')) continue
  const sized = files.map((file) => [gzipBytes(file), file]).sort(([a], [b]) => b - a)
  for (const [size, file] of sized) console.log(`        ${kilo(size).padStart(9)}  ${file}`)
}

/** Imports of cached files that are not cached together with them. Such a page would not work offline. */
const torn = Object.values(chunks)
  .filter(({ file }) => listed.includes(file))
  .flatMap(({ file, imports = [] }) =>
    imports
      .map((key) => chunks[key].file)
      .filter((needed) => !listed.includes(needed) || !isStoredWith(getPart(file), getPart(needed)))
      .map((needed) => `${file} needs ${needed}`),
  )
for (const line of torn) console.log(`BROKEN  ${line}, which is not cached with it`)

process.exitCode =
  torn.length > 0 || measured.some(({ bytes, limit, files }) => bytes > limit || files.length === 0) ? 1 : 0
