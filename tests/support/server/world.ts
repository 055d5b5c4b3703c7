/**
 * Creates the test data: three companies with interleaved ids. Each has users in every state, and every text contains its company's canary,
 * so a test notices if data is shown to another company (N-01).
 */
import type { AccessLevel } from '#domain/access.ts'
import { type UserStatus, userStatus } from '#domain/accounts/users.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { insertCompany } from '#server/db/accounts/companies.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { insertUser } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { restoreSnapshot, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import { workerWide } from '#tests/support/runner/worker-wide.ts'

export const password = 'Quiet-harbour-27'

export type TestCompanyName = 'alpha' | 'beta' | 'm18'
export const companyNames: readonly TestCompanyName[] = ['alpha', 'beta', 'm18']
export const canaries: Record<TestCompanyName, string> = {
  alpha: 'ALPHA-7f3a91',
  beta: 'BETA-55c0de',
  m18: 'MULTI-19e4b2',
}

export interface World {
  companies: Record<TestCompanyName, number>
  /** Ids of the users by `role@company`. */
  users: Record<string, number>
}

interface TestUser {
  role: string
  admin?: boolean
  order?: boolean
  accessLevel?: AccessLevel
  status?: UserStatus
}

const commonUsers: TestUser[] = [
  { role: 'admin', admin: true },
  { role: 'user' },
  { role: 'order', order: true },
  { role: 'second', admin: true, order: true },
  { role: 'invited', status: userStatus.deactivated },
  { role: 'waiting', status: userStatus.deactivated },
  { role: 'disabled', status: userStatus.disabled },
  { role: 'deleted', status: userStatus.deleted },
]

const usersByCompany: Record<TestCompanyName, TestUser[]> = {
  alpha: commonUsers,
  beta: commonUsers,
  m18: [...commonUsers, { role: 'delete', admin: true, accessLevel: 100 }],
}

/** The letters of the rights matrix as users of the test data. A is anonymous. */
export const roles = {
  A: null,
  U: 'user@alpha',
  O: 'order@alpha',
  C: 'admin@alpha',
  S: 'user@m18',
  P: 'admin@m18',
  D: 'delete@m18',
} as const
export type Role = keyof typeof roles

/** Test data of the first creation in this worker, with its time. */
const firstWorld = workerWide<{ world: World; snapshot: Snapshot; time: number }>('world')

/** Creates or restores the test data. The database must be empty. */
export async function loadWorld(app: AppContext): Promise<World> {
  const now = app.clock()
  if (firstWorld.value) {
    await restoreSnapshot(app.database, shiftTimes(firstWorld.value.snapshot, firstWorld.value.time, now))
    return structuredClone(firstWorld.value.world)
  }
  const world = await makeWorld(app)
  firstWorld.value = { world: structuredClone(world), snapshot: await takeSnapshot(app.database), time: now }
  return world
}

/** Returns the same rows as if created at another time. */
const shiftTimes = ({ tables, ...otherState }: Snapshot, createdAt: number, now: number): Snapshot => ({
  ...otherState,
  tables: tables.map(({ rows, ...table }) => ({
    ...table,
    rows: rows.map((row) => ({
      ...row,
      ...(row['create_time'] === createdAt ? { create_time: now } : {}),
      ...(row['update_time'] === createdAt ? { update_time: now } : {}),
    })),
  })),
})

async function makeWorld(app: AppContext): Promise<World> {
  const hash = await hashPassword(password, app.config.argon2)
  const world: World = { companies: { alpha: 0, beta: 0, m18: 0 }, users: {} }
  await runInTransaction(app, { role: 'portal_system' }, async (db) => {
    for (const name of companyNames) world.companies[name] = await addCompany(db, name, app.clock())
    // Users are created for the companies in turn, so that neighbouring ids belong to different companies.
    for (let index = 0; index < 12; index++)
      for (const name of companyNames) {
        const user = usersByCompany[name][index]
        if (!user) continue
        const id = await addUser(db, app, { company: name, companyId: world.companies[name], user, hash })
        world.users[`${user.role}@${name}`] = id
      }
  })
  return world
}

const addCompany = (db: DatabaseHandle, name: TestCompanyName, now: number) =>
  insertCompany(db, {
    code: name,
    name: `${canaries[name]} Ltd`,
    country: 'HK',
    province: null,
    city: canaries[name],
    addr1: `${canaries[name]} Road`,
    addr2: null,
    addr3: null,
    tel: '+852-12345678',
    email: `office@${name}.example`,
    website: null,
    // The company is old enough that the mail limit of new companies does not apply.
    create_time: now - 30 * 86_400_000,
    update_time: now,
  })

interface NewTestUser {
  company: TestCompanyName
  companyId: number
  user: TestUser
  hash: string
}

export const readUser = (app: AppContext, { users }: World, userName: string) =>
  runInTransaction(app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('portal_user')
      .selectAll()
      .where('id', '=', users[userName] ?? 0)
      .executeTakeFirstOrThrow(),
  )

async function addUser(
  db: DatabaseHandle,
  app: AppContext,
  { company, companyId, user, hash }: NewTestUser,
): Promise<number> {
  return insertUser(db, {
    company_id: companyId,
    title: 0,
    name: `${canaries[company]} ${user.role}`,
    email: `${user.role}@${company}.example`,
    // Invited users have no password yet; `waiting` has one.
    password_hash: user.role === 'invited' ? null : hash,
    admin: user.admin ?? false,
    orders: user.order ?? false,
    alert: false,
    status: user.status ?? userStatus.activated,
    // Demo users need no second factor, not even users of the provider.
    demo: true,
    avatar: null,
    language: 'en',
    access_level: user.accessLevel ?? 0,
    seal_key: createSealKey(),
    change: await takeChangeNumber(db, companyId),
    create_time: app.clock(),
    update_time: app.clock(),
  })
}
