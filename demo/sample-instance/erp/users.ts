import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashPassword, isPassword } from '#demo/sample-instance/erp/passwords.ts'
import { createHashQueue } from '#demo/sample-instance/erp/hash-queue.ts'
import {
  hashAccount,
  forgiveAttempt,
  releaseAttempt,
  reserveAttempt,
  type SignInAttempt,
} from '#demo/sample-instance/erp/sign-in-attempts.ts'
import type { SampleStore } from '#demo/sample-instance/storage/store.ts'

const minuteMs = 60_000
export const sessionTimes = { idleMs: 8 * 60 * minuteMs, maxMs: 24 * 60 * minuteMs }

export interface SampleUser {
  id: number
  name: string
  is_admin: number
}
export interface SampleSession {
  user: SampleUser
  csrf: string
}

/** Sets the password and ends all sessions of the user. Throws if there is no such user. */
export async function writePassword(store: SampleStore, name: string, password: string): Promise<void> {
  const hash = await hashPassword(password)
  await store.runInTransaction(async (queries) => {
    const sameName = queries.dialect.isSameText('name')
    const changeCount = await queries.run(`update users set password = ? where ${sameName}`, hash, name)
    if (changeCount !== 1) throw new Error(`user ${name} does not exist`)
    await queries.run(`delete from sessions where user_id = (select id from users where ${sameName})`, name)
    await queries.run('delete from sign_in_attempts where account = ?', hashAccount(name))
  })
}

export type SampleSignInResult =
  | { kind: 'in'; cookie: string; user: SampleUser }
  | { kind: 'refused' }
  /** `waitMs` is the time until the next attempt is allowed. */
  | { kind: 'limited'; waitMs: number }

/** Suggested wait in ms if too many sign-ins are queued. */
const busyMs = 5000
const hashQueue = createHashQueue()

/** Signs in. The attempt is counted before the password is checked, so that parallel requests get as many attempts as sequential ones. */
export async function signIn(
  store: SampleStore,
  { password, ...attempt }: SignInAttempt & { password: string },
  now: number,
): Promise<SampleSignInResult> {
  const countedAttempt = await reserveAttempt(store, attempt, now)
  if (typeof countedAttempt === 'number') return { kind: 'limited', waitMs: countedAttempt }
  const sameName = store.dialect.isSameText('name')
  const row = await store.get(`select id, name, is_admin, password from users where ${sameName}`, attempt.name)
  const storedHash = typeof row?.password === 'string' ? row.password : null
  const passwordCheck = hashQueue.run(countedAttempt.isKnown, () => isPassword(password, storedHash))
  if (passwordCheck === null) {
    await releaseAttempt(store, countedAttempt)
    return { kind: 'limited', waitMs: busyMs }
  }
  if (!(await passwordCheck) || !row) return { kind: 'refused' }
  const user = { id: Number(row.id), name: String(row.name), is_admin: Number(row.is_admin) }
  const cookie = randomBytes(32).toString('base64url')
  const csrf = randomBytes(24).toString('base64url')
  await store.runInTransaction(async (queries) => {
    await forgiveAttempt(queries, countedAttempt, attempt, now)
    await queries.run('delete from sessions where created < ?', now - sessionTimes.maxMs)
    const statement = 'insert into sessions (id, user_id, csrf, created, seen) values (?, ?, ?, ?, ?)'
    await queries.run(statement, hashCookie(cookie), user.id, csrf, now, now)
  })
  return { kind: 'in', cookie, user }
}

const hashCookie = (cookie: string) => createHash('sha256').update(cookie).digest('base64url')

/** Returns null if the session does not exist or has expired. */
export async function findSession(store: SampleStore, cookie: string, now: number): Promise<SampleSession | null> {
  const row = await store.get(
    `select users.id, users.name, users.is_admin, sessions.csrf, sessions.seen from sessions
       join users on users.id = sessions.user_id
       where sessions.id = ? and sessions.seen > ? and sessions.created > ?`,
    hashCookie(cookie),
    now - sessionTimes.idleMs,
    now - sessionTimes.maxMs,
  )
  if (!row) return null
  if (now - Number(row.seen) > minuteMs)
    await store.run('update sessions set seen = ? where id = ?', now, hashCookie(cookie))
  const { id, name, is_admin, csrf } = row as unknown as SampleUser & { csrf: string }
  return { user: { id, name, is_admin }, csrf }
}

export async function signOut(store: SampleStore, cookie: string): Promise<void> {
  await store.run('delete from sessions where id = ?', hashCookie(cookie))
}

export function isSameToken(token: string, expectedToken: string): boolean {
  const [a, b] = [token, expectedToken].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

export async function listUsers(store: SampleStore): Promise<(SampleUser & { canSignIn: boolean })[]> {
  const order = store.dialect.orderByText('name')
  const rows = await store.all(
    `select id, name, is_admin, password is not null as can_sign_in from users order by ${order} limit 500`,
  )
  return rows.map(({ can_sign_in, ...user }) => ({
    ...(user as unknown as SampleUser),
    canSignIn: Boolean(can_sign_in),
  }))
}

/** Returns false if the name is already used. */
export async function addUser(store: SampleStore, name: string, password: string, now: number): Promise<boolean> {
  const hash = await hashPassword(password)
  const statement = 'insert into users (name, password, is_admin, created) values (?, ?, 0, ?) on conflict do nothing'
  return (await store.run(statement, name, hash, now)) === 1
}

export async function removeUser(store: SampleStore, id: number): Promise<void> {
  await store.run('delete from users where id = ? and is_admin = 0', id)
}
