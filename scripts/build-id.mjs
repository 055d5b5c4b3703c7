/**
 * Computes a short hash of the sources of the client. It shows whether dist/ is current. It uses the content of the files and not their
 * times, because a git checkout sets new times. The name of a build is a number, which orders builds, and this hash.
 * Plain JavaScript for Node 18: it also runs before anything is installed.
 */
import { execFileSync } from 'node:child_process'
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
 * the same in every build of one commit, so that all nodes serve the same files. Throws an error if BUILD_NUMBER or SOURCE_DATE_EPOCH is
 * invalid.
 */
export function buildName(root, sources) {
  return `${chooseBuildNumber(process.env, () => readCommitSeconds(root), new Date())}-${sources}`
}

/**
 * Returns BUILD_NUMBER, or else a time as yyyymmddhhmmss (UTC): SOURCE_DATE_EPOCH (seconds), or the time of the commit, or the time of the
 * build if the sources differ from the commit.
 */
export function chooseBuildNumber(env, readCommit, now) {
  const number = env.BUILD_NUMBER
  if (number) {
    if (/^[1-9]\d{0,14}$/.test(number)) return number
    throw new Error(`BUILD_NUMBER must be a whole number from 1 to 999999999999999, not "${number}".`)
  }
  const epoch = env.SOURCE_DATE_EPOCH
  if (epoch && !(/^\d{1,12}$/.test(epoch) && Number(epoch) <= lastSecond))
    throw new Error(`SOURCE_DATE_EPOCH must be a time in seconds since 1970, not "${epoch}".`)
  const seconds = epoch ? Number(epoch) : readCommit()
  const time = seconds === null ? now : new Date(seconds * 1000)
  return time.toISOString().replace(/\D/g, '').slice(0, 14)
}

/** Last second of the year 9999. Later years have more digits. */
const lastSecond = 253_402_300_799

/** Returns the time of the commit that is checked out, in seconds, or null if the client's sources differ from it or git does not know. */
export function readCommitSeconds(root) {
  // A git hook sets variables that name another repository.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  // The folder may belong to another user, as in a container. The build runs its code anyway.
  const options = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', '--no-optional-locks']
  const git = (...args) =>
    execFileSync('git', [...options, ...args], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  try {
    // An ignored file is built too, but is not part of the commit.
    const existing = sources.filter((source) => existsSync(join(root, source)))
    if (git('status', '--porcelain', '--untracked-files=all', '--ignored', '--', ...existing) !== '') return null
    const tracked = git('ls-files', '--', ...existing)
    return tracked === '' ? null : Number(git('log', '-1', '--format=%ct', '--no-show-signature'))
  } catch {
    return null
  }
}
