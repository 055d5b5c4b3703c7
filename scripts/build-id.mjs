/**
 * Computes a short hash of the sources of the client. It shows whether dist/ is current. It uses the content of the files and not their
 * times, because a git checkout sets new times. The name of a build is a number, which orders builds, and this hash.
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

/** Returns every file below a path, in the same order on every computer. */
function filesOf(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesOf(join(path, name)))
}

/** Returns the id of the build of these sources: 16 hex digits. */
export function buildId(root) {
  const hash = createHash('sha256')
  for (const file of sources.flatMap((source) => filesOf(join(root, source)))) {
    hash.update(relative(root, file).split(sep).join('/')).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

/**
 * Returns the name of a build: `{number}-{sources}`. The number grows from build to build (src/contract/client-build.ts compares it). It is
 * BUILD_NUMBER, or else the time of the build (UTC) as yyyymmddhhmmss.
 */
export function buildName(sources) {
  const number = process.env.BUILD_NUMBER || new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  return `${number}-${sources}`
}
