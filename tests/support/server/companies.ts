/**
 * Companies for tests that write: copies of Acme, with its people, services and orders, under codes of their own. They are laid
 * into the shared portal's world before it starts, and each is given away once, so that no test meets another one's changes.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { readConfig } from '#server/config/config.ts'
import { openDatabase } from '#server/db/open.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { loadCompanies, loadDemoWorld } from '#demo/sample-data/load-demo-data.ts'
import { type DemoCompany, demoCompanies, demoPassword } from '#demo/sample-data/demo-data.ts'
import type { AppContext } from '#server/context/context.ts'
import { noBackups } from '#server/context/backup-places.ts'
import { noCheckpointStore } from '#server/drivers/checkpoint-store/driver.ts'
import { noHosting } from '#server/context/no-hosting.ts'
import { noPayments } from '#server/context/payment-methods.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import type { Person } from '#tests/support/browser/browser.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { quickHashes } from '#tests/support/server/process.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'

export interface Company {
  code: string
  /** May administer the company and order. */
  admin: Person
  user: Person
}

const copies = isNight ? 30 : 10
const original = 'acme'

/** `t01`, ...: services are called as Acme's are, with this before the name instead of `acme`. */
const codeOf = (at: number) => `t${String(at + 1).padStart(2, '0')}`

function copyOf(company: DemoCompany, code: string): DemoCompany {
  const renamed = (text: string) => text.replace(original, code)
  return {
    ...company,
    code,
    services: company.services.map((one) => ({ ...one, code: renamed(one.code), url: renamed(one.url) })),
    orders: company.orders.map((one) => ({ ...one, code: renamed(one.code) })),
  }
}

/** Fills an empty data folder with the demo world; no server may be running on it. */
export async function loadWorld(dataDir: string): Promise<void> {
  await layDataFolder(dataDir)
  await withContext(cheap(dataDir), async (app) => void (await loadDemoWorld(app)))
}

/** Adds the copies to a demo world. */
export const loadCopies = (dataDir: string): Promise<void> =>
  withContext(cheap(dataDir), async (app) => {
    const companies = demoCompanies
      .filter(({ code }) => code === original)
      .flatMap((company) => Array.from({ length: copies }, (_, at) => copyOf(company, codeOf(at))))
    const hash = await hashPassword(demoPassword, app.config.argon2)
    await inTransaction(app, { role: 'portal_system' }, async (db) => {
      const { id: listId } = await db.selectFrom('price_list').select('id').orderBy('id').executeTakeFirstOrThrow()
      await loadCompanies(db, app, { companies, hash, listId, now: app.clock() })
    })
  })

const cheap = (dataDir: string) => ({ DATA_DIR: dataDir, ...quickHashes })

/** `env`: of the server whose data they are, which is not running. */
export async function withContext(
  env: Record<string, string>,
  work: (app: AppContext) => Promise<void>,
): Promise<void> {
  const config = readConfig(env)
  const log = pino({ level: 'silent' })
  const database = await openDatabase(config, log)
  try {
    await work({
      config,
      database,
      log,
      clock: Date.now,
      payments: noPayments,
      hosting: noHosting,
      backups: noBackups,
      checkpointStore: noCheckpointStore,
    })
  } finally {
    await database.close()
  }
}

/** The next company that nobody was given yet. `given`: a folder of this run in which that is noted for all processes. */
export function takeCompany(given: string): Company {
  for (let at = 0; at < copies; at++) {
    const code = codeOf(at)
    if (!isMade(join(given, code))) continue
    const person = (name: string) => ({ company: code, username: `${name}@acme.example`, password: demoPassword })
    return { code, admin: person('admin'), user: person('user') }
  }
  throw new Error(`more than ${copies} companies were asked for: raise the number in companies.ts`)
}

/** Of several processes one makes it. */
function isMade(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
