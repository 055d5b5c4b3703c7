/**
 * What the built client is made of, as one short hash. It names the build (page and worker compare it to see that they
 * are of one kind) and tells whether dist/ is still good: content, not times, because a checkout changes every time.
 *
 * Plain JavaScript for Node 18: it also runs before anything is installed.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

const sources = ['src', 'public', 'index.html', 'package-lock.json', 'vite.config.ts', 'scripts/theme.mjs']

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
