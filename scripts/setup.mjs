/**
 * Prepares a new computer: packages, the pinned Node, the built client, and by option Chromium with a Chinese font, Firefox and WebKit, and
 * PostgreSQL for the tests. Runs before every npm command, so it must be fast if everything is ready.
 *
 * node scripts/setup.mjs [--client] [--browser] [--engines] [--judges] [--proxies] [--postgres]
 *
 * Plain JavaScript with only Node's own modules, from Node 18 on, because nothing is installed yet. All output goes to stderr, so that a
 * command's own output stays clean.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError, runExclusively } from './lock.mjs'
import { buildId } from './build-id.mjs'
import {
  ensureChineseFont,
  ensureEngines,
  ensureJudges,
  ensureProxies,
  findChromium,
  findPostgres,
} from './test-tools.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.ensure-stamp')
const nodeBinary = join(modules, 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
const toolsFile = join(modules, '.cache', 'portal-tools.json')

const log = (line) => process.stderr.write(`${line}\n`)

const readIfThere = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')

/** Returns the environment for a nested npm. This script runs inside an npm command, whose settings the nested npm would otherwise use. */
function cleanEnvironment() {
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_(lifecycle_|package_|command)/.test(name))
  return Object.fromEntries(inherited)
}

/** Output of child processes goes to stderr too. */
function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options })
  return !error && status === 0
}

/** Like `run`, but prints the output only after a failure. */
function runQuietly(command, args, options) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8', ...options })
  const isGood = !error && status === 0
  if (!isGood) log(`${stdout ?? ''}${stderr ?? ''}${error ?? ''}`)
  return isGood
}

function npm(...args) {
  const entry = process.env.npm_execpath
  const env = cleanEnvironment()
  return entry && /\.c?js$/.test(entry)
    ? run(process.execPath, [entry, ...args], { env })
    : run('npm', args, { env, shell: process.platform === 'win32' })
}

function ensureNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  throw new SetupError(
    `Node ${process.versions.node} is too old: install Node 20.19 or newer (24 is best) from https://nodejs.org and try again.`,
  )
}

/**
 * Hash of everything that the installed packages depend on: the lock file, the platform and the processor. If it differs, they are
 * installed again.
 */
function computeStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(lock).update(process.platform).update(process.arch).digest('hex')
}

function ensurePackages() {
  const stamp = computeStamp()
  if (readIfThere(stampFile).trim() === stamp) return
  log('Installing packages (about a minute, only once) ...')
  if (!npm('ci', '--loglevel=error', '--no-audit', '--no-fund')) {
    throw new SetupError('npm ci failed, see above. Check the network and the npm registry, then try again.')
  }
  // Written last, so that an interrupted install is repeated.
  writeFileSync(stampFile, `${stamp}\n`)
}

const runsNode24 = (binary) => {
  const { status, stdout } = spawnSync(binary, ['--version'], { encoding: 'utf8' })
  return status === 0 && stdout.startsWith('v24.')
}

/** Returns the Node of the package `node`, or the computer's own if it is version 24. */
function ensureNode() {
  if (existsSync(nodeBinary) && runsNode24(nodeBinary)) return nodeBinary
  if (process.versions.node.startsWith('24.')) return process.execPath
  log('Downloading Node 24 ...')
  npm('rebuild', 'node')
  if (existsSync(nodeBinary) && runsNode24(nodeBinary)) return nodeBinary
  throw new SetupError(
    'The npm package "node" has no Node 24 for this machine: install Node 24 from https://nodejs.org and try again.',
  )
}

function ensureClient(node) {
  const built = readIfThere(join(root, 'dist', 'build.json'))
  if (built && JSON.parse(built).sources === buildId(root)) return
  log('Building the client ...')
  const env = {
    ...cleanEnvironment(),
    PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}`,
    NODE_ENV: 'production',
  }
  if (!runQuietly(node, [join(modules, 'vite', 'bin', 'vite.js'), 'build'], { env })) {
    throw new SetupError('Could not build the client, see above.')
  }
}

/** Tests read the paths from this file. A tool that was not requested keeps the path of an earlier run. */
function rememberTools(foundTools) {
  const knownTools = JSON.parse(readIfThere(toolsFile) || '{}')
  const tools = JSON.stringify({ ...knownTools, ...foundTools })
  if (tools === JSON.stringify(knownTools)) return
  mkdirSync(dirname(toolsFile), { recursive: true })
  writeFileSync(toolsFile, `${tools}\n`)
}

async function ensure(wants) {
  ensureNodeVersion()
  ensurePackages()
  const node = ensureNode()
  if (wants.has('--client')) ensureClient(node)
  if (wants.has('--browser')) {
    rememberTools({ chromium: await findChromium({ run, log, node, root }) })
    ensureChineseFont({ run, log })
  }
  if (wants.has('--engines')) ensureEngines({ run, log })
  if (wants.has('--judges')) ensureJudges({ run, log })
  if (wants.has('--proxies')) ensureProxies({ run, log })
  if (wants.has('--postgres')) rememberTools({ postgres: findPostgres({ run, log }) })
}

try {
  await runExclusively(root, log, () => ensure(new Set(process.argv.slice(2))))
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  log(`\n${error.message}\n`)
  process.exitCode = 1
}
