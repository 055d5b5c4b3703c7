/**
 * Checks a running image against the instance contract (docs/instance.md), and prints what is missing. Exits with code 1 if the image does
 * not meet a requirement, or if the command cannot run.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packMapp } from '#server/use-cases/catalogue/pack-mapp.ts'
import {
  checkInstance,
  type CheckResult,
  type InstanceCheckOptions,
} from '#server/use-cases/hosting/instance-check/check-instance.ts'
import { formatResult, formatSummary } from '#server/use-cases/hosting/instance-check/format-result.ts'

class CommandError extends Error {}

const usage = `Usage:
  npm run instance-check -- --url URL --token TOKEN [--write] [--seconds N]

  --url URL      address of the running instance, like http://127.0.0.1:8080
  --token TOKEN  CONTROL_TOKEN of the instance
  --write        also checks passwords, drafts and packages: this replaces the
                 data of the instance and puts it back. Use an instance for
                 tests, which nobody else uses.
  --seconds N    limit for each check, from 1 to 3600; 120 if missing`

const optionTypes = {
  url: { type: 'string' },
  token: { type: 'string' },
  write: { type: 'boolean', default: false },
  seconds: { type: 'string', default: '120' },
  help: { type: 'boolean', default: false },
} as const

function readOptions(): Omit<InstanceCheckOptions, 'write'> & { hasWrite: boolean } {
  const { url, token, write: hasWrite, seconds } = parseOptions()
  if (!/^[1-9]\d{0,3}$/.test(seconds) || Number(seconds) > 3600)
    throw new CommandError(`--seconds must be a number from 1 to 3600, not "${seconds}".`)
  return { url: readUrl(url), token: readToken(token), limitMs: Number(seconds) * 1000, hasWrite }
}

function parseOptions() {
  try {
    const { values } = parseArgs({ options: optionTypes })
    if (values.help) throw new CommandError(usage)
    return values
  } catch (error) {
    if (error instanceof CommandError) throw error
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
  }
}

function readUrl(text: string | undefined): string {
  if (text === undefined) throw new CommandError(`--url is missing.\n${usage}`)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CommandError(`--url must be an address like http://127.0.0.1:8080, not "${text}".`)
  if (url.username !== '' || url.password !== '' || url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw new CommandError('--url must contain only the protocol, the host and the port, like http://127.0.0.1:8080.')
  return url.origin
}

function readToken(text: string | undefined): string {
  if (text === undefined) throw new CommandError(`--token is missing.\n${usage}`)
  if (/^[\x21-\x7e]{8,4000}$/.test(text)) return text
  throw new CommandError('--token must have 8 to 4000 ASCII characters without spaces.')
}

/** Builds a package that no instance has yet. */
const packSample = () =>
  packMapp(
    {
      provider: 'check',
      code: 'check',
      name: 'Instance check',
      module: 'check',
      module_name: 'Check',
      version: '1.0',
      min_version_required: null,
      release_date: '2026-01-05',
      flags: [],
      requires: [],
    },
    new Map([['data/check.json', Buffer.from(JSON.stringify({ check: randomBytes(16).toString('hex') }))]]),
  )

async function printResults(options: InstanceCheckOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = []
  for await (const result of checkInstance(options)) {
    results.push(result)
    console.log(formatResult(result))
  }
  console.log(formatSummary(results))
  return results
}

/** The folder of the copy stays if the data may not have been put back. */
async function checkWithWrites(options: Omit<InstanceCheckOptions, 'write'>): Promise<CheckResult[]> {
  console.log('This check replaces the data of the instance and puts it back.')
  const folder = await mkdtemp(join(tmpdir(), 'instance-check-'))
  const write = { copyPath: join(folder, 'data.ndjson'), samplePackage: await packSample() }
  const results = await printResults({ ...options, write })
  if (results.every(({ outcome }) => outcome === 'ok')) await rm(folder, { recursive: true })
  else console.log(`If the data was copied before a check failed, the copy is in\n${folder}.`)
  return results
}

try {
  const { hasWrite, ...options } = readOptions()
  const results = hasWrite ? await checkWithWrites(options) : await printResults({ ...options, write: null })
  if (results.some(({ outcome }) => outcome !== 'ok')) process.exitCode = 1
} catch (error) {
  if (!(error instanceof CommandError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
