/** Loads the demo world, once per database. */
import { userStatus } from '#domain/accounts/users.ts'
import { recordApps } from '#server/db/catalogue/apps.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { insertCompany } from '#server/db/accounts/companies.ts'
import { factOf, setFactOnce } from '#server/db/installation.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { insertUser } from '#server/db/accounts/users.ts'
import { tellStory } from '#demo/sample-data/audit-story.ts'
import { loadBackups } from '#demo/sample-data/backups.ts'
import { loadCatalogue } from '#demo/sample-data/catalogue.ts'
import { loadOrders } from '#demo/sample-data/orders.ts'
import { demoCompanies, type DemoCompany, demoPassword, type DemoUser } from '#demo/sample-data/demo-data.ts'
import { demoFact } from '#server/composition/demo.ts'
import type { AppContext } from '#server/context/context.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { keepPackage } from '#server/use-cases/uploads/kept-packages.ts'
import { newSealKey } from '#server/use-cases/sessions/seal-key.ts'

const system = { role: 'portal_system' } as const
/** Who made the price lists. */
const demoAuthor = 'Stella Chan'
const dayMs = 86_400_000

/** Whether it was loaded by this call. Of several servers that start at once, one does it. */
export async function loadDemoWorld(app: AppContext): Promise<boolean> {
  if (await inTransaction(app, system, (db) => factOf(db, demoFact))) return false
  // One hash for all: they share the password, and each costs what a sign-in costs.
  const hash = await hashPassword(demoPassword, app.config.argon2)
  return inTransaction(app, system, async (db) => {
    const now = app.clock()
    if (!(await setFactOnce(db, demoFact, new Date(now).toISOString()))) return false
    const [present = 0] = await loadCatalogue(db, now, demoAuthor, (sha256, bytes) => keepPackage(app, sha256, bytes))
    await loadCompanies(db, app, { companies: demoCompanies, hash, listId: present, now })
    return true
  })
}

/** As the system, with orders by the price list of that id. `hash` is of everybody's password. */
export async function loadCompanies(
  db: Handle,
  app: AppContext,
  { companies, hash, listId, now }: { companies: readonly DemoCompany[]; hash: string; listId: number; now: number },
): Promise<void> {
  for (const { orders, ...company } of companies) {
    const { companyId, adminId } = await loadCompany(db, company, hash, now)
    await loadOrders(db, app, { companyId, orders, listId, now })
    await loadBackups(db, app, { companyId, code: company.code, listId, now })
    await tellStory(db, companyId, { adminId, company, now })
  }
}

async function loadCompany(
  db: Handle,
  { users, services, ...company }: Omit<DemoCompany, 'orders'>,
  hash: string,
  now: number,
): Promise<{ companyId: number; adminId: number }> {
  const madeAt = now - Math.max(...users.map(({ madeDaysAgo }) => madeDaysAgo)) * dayMs
  const companyId = await insertCompany(db, { ...company, addr3: null, create_time: madeAt, update_time: madeAt })
  for (const { apps, ...service } of services) {
    const id = await insertService(db, {
      ...service,
      company_id: companyId,
      // They run (D40).
      system_status: 2,
      online: 1,
      create_time: madeAt,
      update_time: madeAt,
    })
    await recordApps(db, { id, companyId }, new Map(Object.entries(apps)))
  }
  const ids: number[] = []
  for (const user of users) ids.push(await loadUser(db, companyId, user, hash, now))
  return { companyId, adminId: ids[0] ?? 0 }
}

/** Who never activated the account has no password yet. */
async function loadUser(db: Handle, companyId: number, user: DemoUser, hash: string, now: number): Promise<number> {
  const { madeDaysAgo, changedDaysAgo, order, accessLevel, ...fields } = user
  return insertUser(db, {
    ...fields,
    company_id: companyId,
    orders: order,
    access_level: accessLevel,
    password_hash: user.status === userStatus.deactivated ? null : hash,
    avatar: null,
    demo: true,
    seal_key: newSealKey(),
    change: await takeChange(db, companyId),
    create_time: now - madeDaysAgo * dayMs,
    update_time: now - Math.min(changedDaysAgo, madeDaysAgo) * dayMs,
  })
}
