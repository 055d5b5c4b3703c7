/**
 * Three companies whose ids run into each other, each with its people in every state, every text stamped with its
 * company's canary: what one company is shown of another would be seen at once (N-01).
 */
import type { AccessLevel } from '#domain/access.ts'
import { type UserStatus, userStatus } from '#domain/users.ts'
import { takeChange } from '#server/db/changes.ts'
import { insertCompany } from '#server/db/companies.ts'
import { inScope } from '#server/db/scope.ts'
import { insertUser } from '#server/db/users.ts'
import type { Handle, House } from '#server/house.ts'
import { hashPassword } from '#server/services/hashing.ts'
import { newSealKey } from '#server/services/seal-key.ts'

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

export async function loadWorld(house: House): Promise<World> {
  const hash = await hashPassword(password, house.config.argon2)
  const world: World = { companies: { alpha: 0, beta: 0, m18: 0 }, users: {} }
  await inScope(house, { role: 'portal_system' }, async (db) => {
    for (const name of companyNames) world.companies[name] = await addCompany(db, name, house.clock())
    // One of each company in turn, so that neighbouring ids are foreign ones.
    for (let at = 0; at < 12; at++)
      for (const name of companyNames) {
        const person = people[name][at]
        if (!person) continue
        const id = await addUser(db, house, { company: name, companyId: world.companies[name], person, hash })
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
    create_time: now,
    update_time: now,
  })

interface NewPerson {
  company: CompanyName
  companyId: number
  person: Person
  hash: string
}

async function addUser(db: Handle, house: House, { company, companyId, person, hash }: NewPerson): Promise<number> {
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
    create_time: house.clock(),
    update_time: house.clock(),
  })
}
