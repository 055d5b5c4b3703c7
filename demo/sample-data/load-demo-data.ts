import { userStatus } from '#domain/accounts/users.ts'
import { replaceServiceApps } from '#server/db/catalogue/apps.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { insertCompany } from '#server/db/accounts/companies.ts'
import { readFact, setFactOnce } from '#server/db/installation-facts.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertService } from '#server/db/hosting/services.ts'
import { insertUser } from '#server/db/accounts/users.ts'
import { writeAuditStory } from '#demo/sample-data/audit-story.ts'
import { loadBackups, loadOwedBackup } from '#demo/sample-data/backups.ts'
import { loadCatalogue } from '#demo/sample-data/catalogue.ts'
import { loadOrders } from '#demo/sample-data/orders.ts'
import { demoCompanies, type DemoCompany, demoPassword, type DemoUser } from '#demo/sample-data/demo-data.ts'
import { demoFactName } from '#server/composition/demo.ts'
import type { AppContext } from '#server/context/context.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { storePackage } from '#server/use-cases/uploads/stored-packages.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'

const system = { role: 'portal_system' } as const
const demoAuthor = 'Stella Chan'
const dayMs = 86_400_000

/** Returns true if this call has loaded the data. If several servers start at the same time, only one of them loads it. */
export async function loadDemoData(app: AppContext): Promise<boolean> {
  if (await runInTransaction(app, system, (db) => readFact(db, demoFactName))) return false
  // All users have the same password. It is hashed once, because each hash takes as long as a sign-in.
  const hash = await hashPassword(demoPassword, app.config.argon2)
  return runInTransaction(app, system, async (db) => {
    const now = app.clock()
    if (!(await setFactOnce(db, demoFactName, new Date(now).toISOString()))) return false
    const [currentListId = 0] = await loadCatalogue(db, now, demoAuthor, (sha256, bytes) =>
      storePackage(app, sha256, bytes),
    )
    await loadCompanies(db, app, { companies: demoCompanies, hash, listId: currentListId, now })
    await loadOwedBackup(db, app, { listId: currentListId, now })
    return true
  })
}

/** Runs as the system role. Orders use the price list `listId`; `hash` is the password hash of all users. */
export async function loadCompanies(
  db: DatabaseHandle,
  app: AppContext,
  { companies, hash, listId, now }: { companies: readonly DemoCompany[]; hash: string; listId: number; now: number },
): Promise<void> {
  for (const { orders, ...company } of companies) {
    const { companyId, adminId } = await loadCompany(db, company, hash, now)
    await loadOrders(db, app, { companyId, orders, listId, now })
    await loadBackups(db, app, { companyId, code: company.code, listId, now })
    await writeAuditStory(db, companyId, { adminId, company, now })
  }
}

async function loadCompany(
  db: DatabaseHandle,
  { users, services, ...company }: Omit<DemoCompany, 'orders'>,
  hash: string,
  now: number,
): Promise<{ companyId: number; adminId: number }> {
  const createdAt = now - Math.max(...users.map(({ createdDaysAgo }) => createdDaysAgo)) * dayMs
  const companyId = await insertCompany(db, { ...company, addr3: null, create_time: createdAt, update_time: createdAt })
  for (const { apps, ...service } of services) {
    const id = await insertService(db, {
      ...service,
      company_id: companyId,
      // Status 2 and `online` 1 mean a running service (D40).
      system_status: 2,
      online: 1,
      create_time: createdAt,
      update_time: createdAt,
    })
    await replaceServiceApps(db, { id, companyId }, new Map(Object.entries(apps)))
  }
  const ids: number[] = []
  for (const user of users) ids.push(await loadUser(db, companyId, user, hash, now))
  return { companyId, adminId: ids[0] ?? 0 }
}

async function loadUser(
  db: DatabaseHandle,
  companyId: number,
  user: DemoUser,
  hash: string,
  now: number,
): Promise<number> {
  const { createdDaysAgo, changedDaysAgo, order, accessLevel, ...fields } = user
  return insertUser(db, {
    ...fields,
    company_id: companyId,
    orders: order,
    access_level: accessLevel,
    password_hash: user.status === userStatus.deactivated ? null : hash,
    avatar: null,
    demo: true,
    seal_key: createSealKey(),
    change: await takeChangeNumber(db, companyId),
    create_time: now - createdDaysAgo * dayMs,
    update_time: now - Math.min(changedDaysAgo, createdDaysAgo) * dayMs,
  })
}
