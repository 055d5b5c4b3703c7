/**
 * Creates the link with which the provider's first admin sets a password. Each start outside demo mode prints a new single-use link until
 * the provider has an active admin.
 */
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { environments, PROVIDER } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findCompanyByCode, insertCompany } from '#server/db/accounts/companies.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { insertKey, spendAllKeys } from '#server/db/accounts/one-time-keys.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { hasActiveAdmin, insertUser, findUserByEmail } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'

const linkLifetimeMs = 72 * 3_600_000

export async function createFirstAdminLink(app: AppContext): Promise<string | null> {
  const { config } = app
  return writeAsSystem(app, async (db) => {
    // Several servers may start at the same time. The lock lets the second one find the rows of the first.
    await sql`select pg_advisory_xact_lock(7801, -1)`.execute(db)
    const now = app.clock()
    const companyId = await findOrCreateProvider(db, now)
    if (await hasActiveAdmin(db, companyId)) return null
    const user = await findUserByEmail(db, companyId, config.providerEmail)
    const userId = user?.id ?? (await addAdmin(db, companyId, config.providerEmail, now))
    const key = randomBytes(32).toString('base64url')
    await spendAllKeys(db, userId, now)
    await insertKey(db, { key, userId, companyId, purpose: 'activate', until: now + linkLifetimeMs })
    return `${config.publicUrl}/saas/sys/activate?otk=${key}`
  })
}

/** Returns the id of the provider's company. It is created at the start, so that nobody else can register it (D71). */
async function findOrCreateProvider(db: DatabaseHandle, now: number): Promise<number> {
  const company = await findCompanyByCode(db, PROVIDER)
  if (company) return company.id
  return insertCompany(db, { code: PROVIDER, name: PROVIDER, create_time: now, update_time: now })
}

async function addAdmin(db: DatabaseHandle, companyId: number, email: string, now: number): Promise<number> {
  return insertUser(db, {
    company_id: companyId,
    title: 0,
    name: 'Administrator',
    email,
    password_hash: null,
    admin: true,
    orders: true,
    alert: true,
    status: userStatus.deactivated,
    avatar: null,
    language: 'en',
    access_level: environments.delete,
    seal_key: createSealKey(),
    change: await takeChangeNumber(db, companyId),
    create_time: now,
    update_time: now,
  })
}
