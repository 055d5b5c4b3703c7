/**
 * Three companies whose ids run into each other, each with its people in every state, every text stamped with its
 * company's canary: what one company is shown of another would be seen at once (N-01).
 */
import type { AccessLevel } from '#domain/access.ts'
import { type UserStatus, userStatus } from '#domain/accounts/users.ts'
import { takeChange } from '#server/db/change-numbers.ts'
import { insertCompany } from '#server/db/accounts/companies.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { insertUser } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { hashPassword } from '#server/use-cases/accounts/password-hash.ts'
import { newSealKey } from '#server/use-cases/sessions/seal-key.ts'
import { putBack, type Snapshot, takeSnapshot } from '#tests/support/server/snapshot.ts'
import { workerWide } from '#tests/support/runner/worker-wide.ts'

export const password = 'Quiet-harbour-27'

export type CompanyName = 'alpha' | 'beta' | 'm18'
export const companyNames: readonly CompanyName[] = ['alpha', 'beta', 'm18']
export const canaries: Record<CompanyName, string> = { alpha: 'ALPHA-7f3a91', beta: 'BETA-55c0de', m18: 'MULTI-19e4b2' }

export interface World {
  companies: Record<CompanyName, number>
  /** Ids by `role@company`. */
  users: Record<string, number>
}

interface Person {
  role: string
  admin?: boolean
  order?: boolean
  accessLevel?: AccessLevel
  status?: UserStatus
}

const everywhere: Person[] = [
  { role: 'admin', admin: true },
  { role: 'user' },
  { role: 'order', order: true },
  { role: 'second', admin: true, order: true },
  { role: 'invited', status: userStatus.deactivated },
  { role: 'waiting', status: userStatus.deactivated },
  { role: 'disabled', status: userStatus.disabled },
  { role: 'deleted', status: userStatus.deleted },
]

const people: Record<CompanyName, Person[]> = {
  alpha: everywhere,
  beta: everywhere,
  m18: [...everywhere, { role: 'delete', admin: true, accessLevel: 100 }],
}

/** The matrix's letters, as somebody of this world; A is nobody. */
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

/** As it was made first in this worker, at that time. */
const first = workerWide<{ world: World; snapshot: Snapshot; time: number }>('world')

/** Into an empty database. */
export async function loadWorld(app: AppContext): Promise<World> {
  const now = app.clock()
  if (first.it) {
    await putBack(app.database, at(first.it.snapshot, first.it.time, now))
    return structuredClone(first.it.world)
  }
  const world = await makeWorld(app)
  first.it = { world: structuredClone(world), snapshot: await takeSnapshot(app.database), time: now }
  return world
}

/** The same rows, made at another time. */
const at = ({ tables, ...others }: Snapshot, then: number, now: number): Snapshot => ({
  ...others,
  tables: tables.map(({ rows, ...table }) => ({
    ...table,
    rows: rows.map((row) => ({
      ...row,
      ...(row['create_time'] === then ? { create_time: now } : {}),
      ...(row['update_time'] === then ? { update_time: now } : {}),
    })),
  })),
})

async function makeWorld(app: AppContext): Promise<World> {
  const hash = await hashPassword(password, app.config.argon2)
  const world: World = { companies: { alpha: 0, beta: 0, m18: 0 }, users: {} }
  await inTransaction(app, { role: 'portal_system' }, async (db) => {
    for (const name of companyNames) world.companies[name] = await addCompany(db, name, app.clock())
    // One of each company in turn, so that neighbouring ids are foreign ones.
    for (let at = 0; at < 12; at++)
      for (const name of companyNames) {
        const person = people[name][at]
        if (!person) continue
        const id = await addUser(db, app, { company: name, companyId: world.companies[name], person, hash })
        world.users[`${person.role}@${name}`] = id
      }
  })
  return world
}

const addCompany = (db: Handle, name: CompanyName, now: number) =>
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
    // No newcomers, who may send only few mails.
    create_time: now - 30 * 86_400_000,
    update_time: now,
  })

interface NewPerson {
  company: CompanyName
  companyId: number
  person: Person
  hash: string
}

/** How somebody of the world is stored now. */
export const readUser = (app: AppContext, { users }: World, who: string) =>
  inTransaction(app, { role: 'portal_system' }, (db) =>
    db
      .selectFrom('portal_user')
      .selectAll()
      .where('id', '=', users[who] ?? 0)
      .executeTakeFirstOrThrow(),
  )

async function addUser(db: Handle, app: AppContext, { company, companyId, person, hash }: NewPerson): Promise<number> {
  return insertUser(db, {
    company_id: companyId,
    title: 0,
    name: `${canaries[company]} ${person.role}`,
    email: `${person.role}@${company}.example`,
    // Who was only invited has not chosen one yet; `waiting` has.
    password_hash: person.role === 'invited' ? null : hash,
    admin: person.admin ?? false,
    orders: person.order ?? false,
    alert: false,
    status: person.status ?? userStatus.activated,
    // Of the provider too: a password is enough, as in the demo world.
    demo: true,
    avatar: null,
    language: 'en',
    access_level: person.accessLevel ?? 0,
    seal_key: newSealKey(),
    change: await takeChange(db, companyId),
    create_time: app.clock(),
    update_time: app.clock(),
  })
}
