/**
 * Creates companies for tests that write: copies of Acme with its users, services and orders, under codes of their own. They are added to
 * the shared portal's data before it starts, and each is used by one test only, so tests do not see each other's changes.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { openDatabase } from '#server/db/open.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { loadCompanies, loadDemoData } from '#demo/sample-data/load-demo-data.ts'
import { type DemoCompany, demoCompanies, demoPassword } from '#demo/sample-data/demo-data.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-destinations.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/checkpoint-store.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPaymentMethods } from '#server/context/payment-methods.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import type { Person } from '#tests/support/browser/browser.ts'
import { readFolderConfig } from '#tests/support/server/read-folder-config.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { quickHashes } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

export interface TestCompany {
  code: string
  /** User who may administer the company and order. */
  admin: Person
  user: Person
}

const copyCount = isNight ? 30 : 10
const originalCode = 'acme'

/** Returns the company's code: `t01`, ... The codes of its services start with it instead of `acme`. */
const buildCode = (index: number) => `t${String(index + 1).padStart(2, '0')}`

function copyCompany(company: DemoCompany, code: string): DemoCompany {
  const withCode = (text: string) => text.replace(originalCode, code)
  return {
    ...company,
    code,
    services: company.services.map((row) => ({ ...row, code: withCode(row.code), url: withCode(row.url) })),
    orders: company.orders.map((row) => ({ ...row, code: withCode(row.code) })),
  }
}

/** Fills an empty data folder with the demo data. No server may use the folder. */
export async function loadWorld(dataDir: string): Promise<void> {
  await createDataFolder(dataDir)
  await withContext(buildEnv(dataDir), async (app) => void (await loadDemoData(app)))
}

export const loadCopies = (dataDir: string): Promise<void> =>
  withContext(buildEnv(dataDir), async (app) => {
    const companies = demoCompanies
      .filter(({ code }) => code === originalCode)
      .flatMap((company) => Array.from({ length: copyCount }, (_, index) => copyCompany(company, buildCode(index))))
    const hash = await hashPassword(demoPassword, app.config.argon2)
    await runInTransaction(app, { role: 'portal_system' }, async (db) => {
      const { id: listId } = await db.selectFrom('price_list').select('id').orderBy('id').executeTakeFirstOrThrow()
      await loadCompanies(db, app, { companies, hash, listId, now: app.clock() })
    })
  })

const buildEnv = (dataDir: string) => ({ DATA_DIR: dataDir, ...quickHashes })

/** Runs `work` with the data of a server that is not running. `env` is that server's environment. */
export async function withContext(
  env: Record<string, string>,
  work: (app: AppContext) => Promise<void>,
): Promise<void> {
  // With the server's own key: it would not accept audit entries that were sealed with another one.
  const config = await readFolderConfig(env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
  try {
    await work({
      config,
      database,
      log,
      clock: Date.now,
      payments: noPaymentMethods,
      hosting: noHosting,
      backups: noBackups,
      files: openTestFiles(config),
      checkpointStore: noCheckpointStore,
    })
  } finally {
    await database.close()
  }
}

/** Returns the next unused company. `takenDir` is a folder of this run in which all processes record the companies in use. */
export function takeCompany(takenDir: string): TestCompany {
  for (let index = 0; index < copyCount; index++) {
    const code = buildCode(index)
    if (!tryCreateFolder(join(takenDir, code))) continue
    const buildPerson = (name: string) => ({ company: code, username: `${name}@acme.example`, password: demoPassword })
    return { code, admin: buildPerson('admin'), user: buildPerson('user') }
  }
  throw new Error(`more than ${copyCount} companies were asked for: raise the number in companies.ts`)
}

/** Creates the folder. Returns true for only one of several processes. */
function tryCreateFolder(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
