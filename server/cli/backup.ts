/**
 * Backups on the command line (docs/operating.md): `keys` prints the key of a company for safe keeping, `list` says what there is,
 * `restore` puts an archive into a folder without any portal, or has the portal put a backup into a service. Exit code 1 and the reason,
 * where it cannot be.
 */
import '#server/config/private-files.ts'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig, StartProblem } from '#server/config/config.ts'
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { faultOf } from '#server/use-cases/hosting/backups/faults.ts'
import { type BackupKeys, identitiesOf, recipientFor } from '#server/use-cases/hosting/backups/keys.ts'
import { restoreArchive } from '#server/use-cases/hosting/backups/restore-archive.ts'

class Trouble extends Error {}

const usage = `Usage, with the environment of the server:
  npm run --silent backup -- keys --company CODE       prints the key of a company's archives: keep it apart from them
  npm run --silent backup -- keys --company-id N       the same without a database: N stands in the head of each archive's name
  npm run backup -- list --service CODE                the newest backups of a service
  npm run backup -- restore --backup ID --service CODE has the portal put a backup into a service of the same company
  npm run backup -- restore --archive FILE --key FILE --into FOLDER
                                                       needs no portal: makes FOLDER/instance.db, the data of a service
An embedded database is in use while its server runs: stop the server first. docs/operating.md says more.`

const options = {
  archive: { type: 'string' },
  backup: { type: 'string' },
  company: { type: 'string' },
  'company-id': { type: 'string' },
  into: { type: 'string' },
  key: { type: 'string' },
  service: { type: 'string' },
} as const
type Given = Partial<Record<keyof typeof options, string>>

function whole(text: string, option: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new Trouble(`--${option} must be a number, not "${text}".`)
}

/** Loaded where it is asked for: it takes longer than all that needs no portal. */
async function loadPortal() {
  const [{ withApp }, { companyByCode }, { storedOfCode }, { inTransaction }, { restoreByOperator }] =
    await Promise.all([
      import('#server/cli/with-app.ts'),
      import('#server/db/accounts/companies.ts'),
      import('#server/db/hosting/stored-backups.ts'),
      import('#server/db/transaction.ts'),
      import('#server/use-cases/hosting/backups/restore-by-operator.ts'),
    ])
  return { withApp, companyByCode, storedOfCode, inTransaction, restoreByOperator }
}

async function keys(given: Given): Promise<void> {
  const { company, 'company-id': id } = given
  if (id !== undefined) return await sayKeys(await keysHere(), whole(id, 'company-id'), `company ${id}`)
  const { withApp, companyByCode, inTransaction } = await loadPortal()
  await withApp(async (app) => {
    const found = await inTransaction(app, { role: 'portal_system' }, (db) => companyByCode(db, company ?? ''))
    if (!found) throw new Trouble(`There is no company ${company}.`)
    await sayKeys(app.config, found.id, `company ${found.code} (${found.id})`)
  })
}

/** The installation's, which is never made here: another one would open nothing. */
async function keysHere(): Promise<BackupKeys> {
  const config = readConfig(process.env)
  if (config.backupKey !== null || config.tokenKeyGiven) return config
  await requireFile(join(config.dataDir, 'token.key'), 'BACKUP_KEY and TOKEN_KEY are not set, and')
  const { keyOfFolder } = await import('#server/db/accounts/token-key.ts')
  return { ...config, tokenKey: await keyOfFolder(config) }
}

/** As `age -i` reads it. */
async function sayKeys(config: Pick<Config, keyof BackupKeys>, companyId: number, name: string): Promise<void> {
  const [present, ...before] = identitiesOf(config, companyId)
  console.log(`# Opens the archives of ${name}. Secret.\n# public key: ${await recipientFor(present)}\n${present}`)
  for (const identity of before) console.log(`# Of before: ${await recipientFor(identity)}\n${identity}`)
}

const mostListed = 100

async function list({ service = '' }: Given): Promise<void> {
  const { withApp, storedOfCode, inTransaction } = await loadPortal()
  await withApp(async (app) => {
    const rows = await inTransaction(app, { role: 'portal_system' }, (db) => storedOfCode(db, service, mostListed))
    if (rows.length === 0) throw new Trouble(`There is no backup of a service ${service}.`)
    for (const row of rows) console.log(lineOf(row))
  })
}

function lineOf({ id, company_id, pdb_type, state, create_time, bytes, rows, place, key_id }: StoredBackup): string {
  const time = new Date(create_time).toISOString()
  const size = bytes === null ? '' : `, ${bytes} bytes, ${rows} rows`
  const where = place === null ? '' : `, ${place}`
  return `${id}: ${pdb_type} ${state}, ${time}, company ${company_id}${size}${where}${key_id === null ? '' : `, key ${key_id}`}`
}

async function restoreBackup({ backup = '', service = '' }: Given): Promise<void> {
  const id = whole(backup, 'backup')
  const { withApp, restoreByOperator } = await loadPortal()
  await withApp(async (app) => {
    await restoreByOperator(app, id, service)
    console.log(`Backup ${id} is to be put into ${service}: the server that runs the services does it, once it runs.`)
  })
}

async function restoreFile({ archive = '', key = '', into = '' }: Given): Promise<void> {
  await requireFile(archive)
  const identities = await identitiesIn(key)
  const target = join(resolve(into), 'instance.db')
  if (await stat(target).catch(() => null))
    throw new Trouble(`There is a file ${target} already: it is not overwritten. Name another folder.`)
  const { head, path, tables, rows, digest } = await restoreArchive(archive, identities, resolve(into))
  const { backupId, companyCode, code, time } = head
  console.log(`Backup ${backupId} of the service ${code} of company ${companyCode}, ${new Date(time).toISOString()}.`)
  console.log(`${path}: ${tables} tables, ${rows} rows, SHA-256 of the data ${digest}. Read back and compared.`)
}

async function identitiesIn(path: string): Promise<string[]> {
  await requireFile(path)
  const found = (await readFile(path, 'utf8')).match(/\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g)
  if (found) return found
  throw new Trouble(`${path} holds no key: one begins with AGE-SECRET-KEY-1 and has 74 signs.`)
}

async function requireFile(path: string, before = ''): Promise<void> {
  if (!(await stat(path).catch(() => null))?.isFile()) throw new Trouble(`${before} there is no file ${path}.`.trim())
}

/** By what was given: exactly those options. */
const ways: { name: string; takes: (keyof Given)[]; run: (given: Given) => Promise<void> }[] = [
  { name: 'keys', takes: ['company'], run: keys },
  { name: 'keys', takes: ['company-id'], run: keys },
  { name: 'list', takes: ['service'], run: list },
  { name: 'restore', takes: ['backup', 'service'], run: restoreBackup },
  { name: 'restore', takes: ['archive', 'into', 'key'], run: restoreFile },
]

function argumentsOf(args: string[]) {
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const names = Object.keys(values).toSorted().join()
    const way = ways.find(({ name, takes }) => positionals.join() === name && takes.join() === names)
    if (way && Object.values(values).every(Boolean)) return { way, values }
  } catch {
    // An option that is not ours, or one without its value.
  }
  throw new Trouble(usage)
}

const words: Record<string, string> = {
  NOT_FOUND: 'There is no such backup, or its company has no such service.',
  NOT_SUPPORT: 'HOSTING is off here: nobody would do it.',
  RESOURCE_LOCKED: 'Something else is being done to the service: try again later.',
}

/** Null: nobody foresaw it. */
function reasonOf(error: unknown): string | null {
  if (error instanceof Trouble || error instanceof StartProblem) return error.message
  const fault = faultOf(error)
  if (fault !== null) return `Nothing was put back (${fault}): ${(error as Error).message}`
  if (!(error instanceof ProblemError)) return null
  return words[error.code] ?? `The portal refuses it (${error.code}): ${JSON.stringify(error.data)}.`
}

try {
  const { way, values } = argumentsOf(process.argv.slice(2))
  await way.run(values)
} catch (error) {
  const reason = reasonOf(error)
  if (reason === null) throw error
  console.error(reason)
  process.exitCode = 1
}
