/**
 * Backup commands for the operator (docs/operating.md): `keys` prints a company's key for safekeeping, `list` lists the backups of a
 * service, and `restore` restores a backup. With `--archive`, `restore` needs no portal and writes the data to a folder. With `--backup`,
 * it makes the portal restore the backup into a service. On failure the program prints the reason and exits with code 1.
 */
import '#server/config/private-files.ts'
import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, readConfig, StartProblem } from '#server/config/config.ts'
import { readEnvironment } from '#server/config/secret-files.ts'
import type { StoredBackup } from '#server/db/hosting/stored-backups.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import { toBackupFault } from '#server/use-cases/hosting/backups/faults.ts'
import { type BackupKeys, getIdentities, toRecipient } from '#server/use-cases/hosting/backups/backup-identities.ts'
import { restoreArchive } from '#server/use-cases/hosting/backups/restore-archive.ts'

class CommandError extends Error {}

const usage = `Usage, with the environment of the server:
  npm run --silent backup -- keys --company CODE       prints the key of a company's archives; store it apart from them
  npm run --silent backup -- keys --company-id N       the same without a database; N is in the name of each archive
  npm run backup -- list --service CODE                lists the latest backups of a service
  npm run backup -- restore --backup ID --service CODE the portal restores a backup into a service of the same company
  npm run backup -- restore --archive FILE --key FILE --into FOLDER
                                                       without a portal: writes the service's data to FOLDER/instance.db
With an embedded database, stop the server first. See docs/operating.md.`

const optionTypes = {
  archive: { type: 'string' },
  backup: { type: 'string' },
  company: { type: 'string' },
  'company-id': { type: 'string' },
  into: { type: 'string' },
  key: { type: 'string' },
  service: { type: 'string' },
} as const
type BackupOptions = Partial<Record<keyof typeof optionTypes, string>>

function readInteger(text: string, option: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new CommandError(`--${option} must be a number, not "${text}".`)
}

/** Imports the portal's modules. Only commands that need them call this, because the import takes longer than everything else here. */
async function loadPortal() {
  const [{ withApp }, { findCompanyByCode }, { listStoredBackupsOfCode }, { runInTransaction }, { restoreByOperator }] =
    await Promise.all([
      import('#server/cli/with-app.ts'),
      import('#server/db/accounts/companies.ts'),
      import('#server/db/hosting/stored-backups.ts'),
      import('#server/db/transaction.ts'),
      import('#server/use-cases/hosting/backups/restore-by-operator.ts'),
    ])
  return { withApp, findCompanyByCode, listStoredBackupsOfCode, runInTransaction, restoreByOperator }
}

async function printCompanyKeys(options: BackupOptions): Promise<void> {
  const { company, 'company-id': id } = options
  if (id !== undefined)
    return await printKeys(await readInstallationKeys(), readInteger(id, 'company-id'), `company ${id}`)
  const { withApp, findCompanyByCode, runInTransaction } = await loadPortal()
  await withApp(async (app) => {
    const companyRow = await runInTransaction(app, { role: 'portal_system' }, (db) =>
      findCompanyByCode(db, company ?? ''),
    )
    if (!companyRow) throw new CommandError(`Company ${company} does not exist.`)
    await printKeys(app.config, companyRow.id, `company ${companyRow.code} (${companyRow.id})`)
  })
}

/** Returns the keys of the installation. A missing key is not created, because a new key could not open any archive. */
async function readInstallationKeys(): Promise<BackupKeys> {
  const config = readConfig(readEnvironment())
  if (config.backupKey !== null || config.isTokenKeyConfigured) return config
  await requireFile(join(config.dataDir, 'token.key'), 'BACKUP_KEY and TOKEN_KEY are not set.')
  const { readTokenKeyFile } = await import('#server/db/accounts/token-key.ts')
  return { ...config, tokenKey: await readTokenKeyFile(config) }
}

/** Prints the keys in the file format of `age -i`. */
async function printKeys(config: Pick<Config, keyof BackupKeys>, companyId: number, name: string): Promise<void> {
  const [currentIdentity, ...previousIdentities] = getIdentities(config, companyId)
  console.log(
    `# Opens the archives of ${name}. Secret.\n# public key: ${await toRecipient(currentIdentity)}\n${currentIdentity}`,
  )
  for (const identity of previousIdentities) console.log(`# Previous key: ${await toRecipient(identity)}\n${identity}`)
}

const maxListed = 100

async function listBackups({ service = '' }: BackupOptions): Promise<void> {
  const { withApp, listStoredBackupsOfCode, runInTransaction } = await loadPortal()
  await withApp(async (app) => {
    const rows = await runInTransaction(app, { role: 'portal_system' }, (db) =>
      listStoredBackupsOfCode(db, service, maxListed),
    )
    if (rows.length === 0) throw new CommandError(`Service ${service} has no backups, or it does not exist.`)
    for (const row of rows) console.log(formatBackup(row))
  })
}

function formatBackup({
  id,
  company_id,
  pdb_type,
  state,
  create_time,
  bytes,
  rows,
  location,
  key_id,
}: StoredBackup): string {
  const time = new Date(create_time).toISOString()
  const sizeText = bytes === null ? '' : `, ${bytes} bytes, ${rows} rows`
  const locationText = location === null ? '' : `, ${location}`
  return `${id}: ${pdb_type} ${state}, ${time}, company ${company_id}${sizeText}${locationText}${key_id === null ? '' : `, key ${key_id}`}`
}

async function restoreIntoService({ backup = '', service = '' }: BackupOptions): Promise<void> {
  const id = readInteger(backup, 'backup')
  const { withApp, restoreByOperator } = await loadPortal()
  await withApp(async (app) => {
    await restoreByOperator(app, id, service)
    console.log(
      `The restore of backup ${id} into ${service} was requested. The server that runs the services executes it when it is running.`,
    )
  })
}

async function restoreFile({ archive = '', key: keyPath = '', into: targetFolder = '' }: BackupOptions): Promise<void> {
  await requireFile(archive)
  const identities = await readIdentities(keyPath)
  const target = join(resolve(targetFolder), 'instance.db')
  if (await stat(target).catch(() => null))
    throw new CommandError(`The file ${target} already exists: choose another folder.`)
  const { head, path, tables, rows, digest } = await restoreArchive(archive, identities, resolve(targetFolder))
  const { backupId, companyCode, code, time } = head
  console.log(`Backup ${backupId} of the service ${code} of company ${companyCode}, ${new Date(time).toISOString()}.`)
  console.log(
    `${path}: ${tables} tables, ${rows} rows, SHA-256 of the data ${digest}. The file was read again and compared.`,
  )
}

async function readIdentities(path: string): Promise<string[]> {
  await requireFile(path)
  const identities = (await readFile(path, 'utf8')).match(/\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g)
  if (identities) return identities
  throw new CommandError(`${path} does not contain a key. A key starts with AGE-SECRET-KEY-1 and has 74 characters.`)
}

async function requireFile(path: string, prefix = ''): Promise<void> {
  if (!(await stat(path).catch(() => null))?.isFile())
    throw new CommandError(`${prefix} The file ${path} does not exist.`.trim())
}

/** The commands. A command may be listed twice with different options. It runs if exactly these options are set. */
const commands: {
  name: string
  optionNames: (keyof BackupOptions)[]
  run: (options: BackupOptions) => Promise<void>
}[] = [
  { name: 'keys', optionNames: ['company'], run: printCompanyKeys },
  { name: 'keys', optionNames: ['company-id'], run: printCompanyKeys },
  { name: 'list', optionNames: ['service'], run: listBackups },
  { name: 'restore', optionNames: ['backup', 'service'], run: restoreIntoService },
  { name: 'restore', optionNames: ['archive', 'into', 'key'], run: restoreFile },
]

function parseArguments(args: string[]) {
  try {
    const { values, positionals } = parseArgs({ args, options: optionTypes, allowPositionals: true })
    const names = Object.keys(values).toSorted().join()
    const command = commands.find(
      ({ name, optionNames }) => positionals.join() === name && optionNames.join() === names,
    )
    if (command && Object.values(values).every(Boolean)) return { command, values }
  } catch {
    // parseArgs throws for an unknown option and for an option without its value.
  }
  throw new CommandError(usage)
}

const messages: Record<string, string> = {
  NOT_FOUND: 'The backup does not exist, or its company does not have this service.',
  NOT_SUPPORT: 'HOSTING is off: this server cannot restore a backup into a service.',
  RESOURCE_LOCKED: 'Another operation on the service is running: try again later.',
}

function getReason(error: unknown): string | null {
  if (error instanceof CommandError || error instanceof StartProblem) return error.message
  const fault = toBackupFault(error)
  if (fault !== null) return `Nothing was restored (${fault}): ${(error as Error).message}`
  if (!(error instanceof ProblemError)) return null
  return messages[error.code] ?? `The portal refused the request (${error.code}): ${JSON.stringify(error.data)}.`
}

try {
  const { command, values } = parseArguments(process.argv.slice(2))
  await command.run(values)
} catch (error) {
  const reason = getReason(error)
  if (reason === null) throw error
  console.error(reason)
  process.exitCode = 1
}
