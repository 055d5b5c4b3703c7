/**
 * What the built client is made of, as one short hash. It tells whether dist/ is still good: content, not times, because a
 * checkout changes every time. The name of a build has it behind a number, by which builds have an order.
 *
 * Plain JavaScript for Node 18: it also runs before anything is installed.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const sources = [
  'src',
  'public',
  'site',
  'index.html',
  'package-lock.json',
  'vite.config.ts',
  'scripts/chunk-placement.ts',
  'scripts/chunk-plugin.ts',
  'scripts/client-build.ts',
  'scripts/previous-build.mjs',
  'scripts/site.ts',
]

/** Every file below a path, in an order that is the same on every machine. */
function filesOf(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)))
}

/** The build that these sources make: 16 hex digits. */
export function buildId(root) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesOf(join(root, source)))) {
    hash.update(relative(root, file).split(sep).join('/')).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * What a build is called: `{number}-{sources}`. The number rises from build to build (src/contract/client-build.ts compares it);
 * BUILD_NUMBER gives it, else it is the moment of building, UTC, as yyyymmddhhmmss.
 */
export function buildName(sources) {
  const number = process.env.BUILD_NUMBER || new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  return `${number}-${sources}`
}
