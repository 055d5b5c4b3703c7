import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { hashPassword, isPassword } from '#demo/sample-instance/passwords.ts'
import { createHashQueue } from '#demo/sample-instance/hash-queue.ts'
import {
  hashAccount,
  forgiveAttempt,
  releaseAttempt,
  reserveAttempt,
  type SignInAttempt,
} from '#demo/sample-instance/sign-in-attempts.ts'
import { runInTransaction, type SampleStore } from '#demo/sample-instance/store.ts'

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
  runInTransaction(store, () => {
    const { changes } = store.prepare('update users set password = ? where name = ?').run(hash, name)
    if (Number(changes) !== 1) throw new Error(`user ${name} does not exist`)
    store.prepare('delete from sessions where user_id = (select id from users where name = ?)').run(name)
    store.prepare('delete from sign_in_attempts where account = ?').run(hashAccount(name))
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
  const countedAttempt = reserveAttempt(store, attempt, now)
  if (typeof countedAttempt === 'number') return { kind: 'limited', waitMs: countedAttempt }
  const row = store.prepare('select id, name, is_admin, password from users where name = ?').get(attempt.name)
  const storedHash = typeof row?.password === 'string' ? row.password : null
  const passwordCheck = hashQueue.run(countedAttempt.isKnown, () => isPassword(password, storedHash))
  if (passwordCheck === null) {
    releaseAttempt(store, countedAttempt)
    return { kind: 'limited', waitMs: busyMs }
  }
  if (!(await passwordCheck) || !row) return { kind: 'refused' }
  const user = { id: Number(row.id), name: String(row.name), is_admin: Number(row.is_admin) }
  const cookie = randomBytes(32).toString('base64url')
  runInTransaction(store, () => {
    forgiveAttempt(store, countedAttempt, attempt, now)
    store.prepare('delete from sessions where created < ?').run(now - sessionTimes.maxMs)
    store
      .prepare('insert into sessions (id, user_id, csrf, created, seen) values (?, ?, ?, ?, ?)')
      .run(hashCookie(cookie), user.id, randomBytes(24).toString('base64url'), now, now)
  })
  return { kind: 'in', cookie, user }
}

const hashCookie = (cookie: string) => createHash('sha256').update(cookie).digest('base64url')

/** Returns null if the session does not exist or has expired. */
export function findSession(store: SampleStore, cookie: string, now: number): SampleSession | null {
  const row = store
    .prepare(
      `select users.id, users.name, users.is_admin, sessions.csrf, sessions.seen from sessions
       join users on users.id = sessions.user_id
       where sessions.id = ? and sessions.seen > ? and sessions.created > ?`,
    )
    .get(hashCookie(cookie), now - sessionTimes.idleMs, now - sessionTimes.maxMs)
  if (!row) return null
  if (now - Number(row.seen) > minuteMs)
    store.prepare('update sessions set seen = ? where id = ?').run(now, hashCookie(cookie))
  const { id, name, is_admin, csrf } = row as unknown as SampleUser & { csrf: string }
  return { user: { id, name, is_admin }, csrf }
}

export function signOut(store: SampleStore, cookie: string): void {
  store.prepare('delete from sessions where id = ?').run(hashCookie(cookie))
}

export function isSameToken(token: string, expectedToken: string): boolean {
  const [a, b] = [token, expectedToken].map((text) => createHash('sha256').update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

export const listUsers = (store: SampleStore) =>
  store
    .prepare('select id, name, is_admin, password is not null as can_sign_in from users order by name limit 500')
    .all() as unknown as (SampleUser & { can_sign_in: number })[]

/** Returns false if the name is already used. */
export async function addUser(store: SampleStore, name: string, password: string, now: number): Promise<boolean> {
  const hash = await hashPassword(password)
  const { changes } = store
    .prepare('insert into users (name, password, is_admin, created) values (?, ?, 0, ?) on conflict do nothing')
    .run(name, hash, now)
  return Number(changes) === 1
}

export function removeUser(store: SampleStore, id: number): void {
  store.prepare('delete from users where id = ? and is_admin = 0').run(id)
}
