/** Finds tools of the tests, or installs them on Debian as root. Plain JavaScript for Node 18. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { SetupError } from './lock.mjs'

const windows = process.platform === 'win32'

function onPath(...names) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const files = names.flatMap((name) => folders.map((folder) => join(folder, windows ? `${name}.exe` : name)))
  return files.find((file) => existsSync(file))
}

const canInstall = () => process.getuid?.() === 0 && onPath('apt-get') !== undefined

const aptInstall = (run, ...packages) => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  run('apt-get', ['update', '-qq'], { env })
  return run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env })
}

const usualBrowsers = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

function findInstalledChromium() {
  const configuredPath = process.env.CHROMIUM_PATH
  if (configuredPath && !existsSync(configuredPath))
    throw new SetupError(`The file of CHROMIUM_PATH does not exist: ${configuredPath}`)
  return (
    configuredPath ||
    onPath('chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome') ||
    usualBrowsers.find((file) => existsSync(file))
  )
}

async function playwrightBrowser(root) {
  const entry = join(root, 'node_modules', 'playwright-core', 'index.mjs')
  const { chromium } = await import(`file://${entry}`)
  const file = chromium.executablePath()
  return existsSync(file) ? file : undefined
}

/** Returns the path of a Chromium for the browser tests. Throws SetupError if it is missing and cannot be installed. */
export async function findChromium({ run, log, node, root }) {
  const installedPath = findInstalledChromium() ?? (await playwrightBrowser(root))
  if (installedPath) return installedPath
  log('Installing Chromium for the browser tests ...')
  if (canInstall()) aptInstall(run, 'chromium')
  else run(node, [join(root, 'node_modules', 'playwright-core', 'cli.js'), 'install', 'chromium'])
  const installed = findInstalledChromium() ?? (await playwrightBrowser(root))
  if (installed) return installed
  throw new SetupError('The tests need Chromium or Chrome: install one, or set CHROMIUM_PATH to its program file.')
}

const enginePrograms = { 'firefox-esr': 'firefox-esr', WebKitWebDriver: 'webkit2gtk-driver', Xvfb: 'xvfb' }
const missingEngines = () =>
  Object.entries(enginePrograms).flatMap(([program, name]) => (onPath(program) ? [] : [name]))

/** Installs Firefox and WebKitGTK for the campaign that uses them. */
export function ensureEngines({ run, log }) {
  if (missingEngines().length === 0) return
  log('Installing Firefox and WebKit for the campaign ...')
  if (canInstall()) aptInstall(run, ...missingEngines())
  if (missingEngines().length > 0)
    throw new SetupError(
      `The campaign needs these Debian packages: ${missingEngines().join(' ')}. Install them and try again.`,
    )
}

const proxyPrograms = ['nginx', 'haproxy', 'caddy', 'openssl']
/** Debian stores servers in a folder that is not on the path of every user. */
const findProxy = (program) => onPath(program) ?? [join('/usr/sbin', program)].find((file) => existsSync(file))
const missingProxies = () => proxyPrograms.filter((program) => findProxy(program) === undefined)

/** Installs the proxies for the campaign that tests their configurations. Debian does not start them. */
export function ensureProxies({ run, log }) {
  if (missingProxies().length === 0) return
  log('Installing nginx, HAProxy and Caddy for the campaign ...')
  if (canInstall()) withoutServices(() => aptInstall(run, ...missingProxies()))
  if (missingProxies().length > 0)
    throw new SetupError(
      `The campaign needs these Debian packages: ${missingProxies().join(' ')}. Install them and try again.`,
    )
}

/** Debian packages of the judges, by a file of each. */
const judgeFiles = {
  'default-jre-headless': '/usr/bin/java',
  'golang-go': '/usr/bin/go',
  'golang-golang-x-mod-dev': '/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog/tlog.go',
  'testssl.sh': '/usr/bin/testssl',
  wapiti: '/usr/bin/wapiti',
}
const missingJudges = () => Object.entries(judgeFiles).flatMap(([name, file]) => (existsSync(file) ? [] : [name]))

/** Installs the programs of the campaign in which tools of others judge the product. */
export function ensureJudges({ run, log }) {
  if (missingJudges().length === 0) return
  log('Installing Java, Go, Wapiti and testssl.sh for the campaign ...')
  if (canInstall()) aptInstall(run, ...missingJudges())
  if (missingJudges().length > 0)
    throw new SetupError(
      `The campaign needs these Debian packages: ${missingJudges().join(' ')}. Install them and try again.`,
    )
}

/** macOS and Windows include a Chinese font. If fc-list is missing on Linux, there is no font that Chromium would find. */
const hasChineseFont = () =>
  process.platform !== 'linux' || Boolean(spawnSync('fc-list', [':lang=zh'], { encoding: 'utf8' }).stdout?.trim())

/** Without a Chinese font, Chinese text is rendered as boxes of half the width, and layout tests would report faults that no user has. */
export function ensureChineseFont({ run, log }) {
  if (hasChineseFont()) return
  if (canInstall()) {
    log('Installing a Chinese font for the browser tests ...')
    aptInstall(run, 'fontconfig', 'fonts-wqy-microhei')
  }
  if (hasChineseFont()) return
  log(
    'No Chinese font is installed: tests that measure the Chinese screens will fail. Install one, such as Noto Sans CJK.',
  )
}

/** Debian stores initdb and similar programs outside PATH, in one folder per version. Returns these folders, newest version first. */
function versionedFolders(parent, inside) {
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
    .map((version) => join(parent, version, inside))
}

function findInstalledPostgres() {
  const configuredPath = process.env.POSTGRES_BIN
  const initdb = onPath('initdb')
  const folders = [
    configuredPath,
    ...versionedFolders('/usr/lib/postgresql', 'bin'),
    initdb && dirname(realpathSync(initdb)),
    ...['/opt/homebrew/opt', '/usr/local/opt'].flatMap((opt) =>
      ['postgresql@17', 'postgresql@16', 'postgresql@15', 'postgresql'].map((name) => join(opt, name, 'bin')),
    ),
    '/Applications/Postgres.app/Contents/Versions/latest/bin',
    ...versionedFolders('C:\\Program Files\\PostgreSQL', 'bin'),
  ]
  const complete = (folder) =>
    ['initdb', 'postgres', 'pg_ctl'].every((name) => existsSync(join(folder, windows ? `${name}.exe` : name)))
  return folders.find((folder) => folder && complete(folder))
}

/**
 * Runs `work` while a policy file forbids Debian to start newly installed services. The tests run a cluster of their own on another port.
 */
function withoutServices(work) {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return work()
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return work()
  } finally {
    rmSync(policy, { force: true })
  }
}

/** Returns the folder with initdb, postgres and pg_ctl, or null. Without it the PostgreSQL tests are skipped, each by name. */
export function findPostgres({ run, log }) {
  const installedPath = findInstalledPostgres()
  if (installedPath) return installedPath
  if (canInstall()) {
    log("Installing PostgreSQL's binaries for the database tests ...")
    withoutServices(() => aptInstall(run, 'postgresql'))
  }
  const installed = findInstalledPostgres()
  if (installed) return installed
  log(
    'PostgreSQL is not installed: its tests will be skipped. Install it, or set POSTGRES_BIN to the folder of its programs.',
  )
  return null
}
