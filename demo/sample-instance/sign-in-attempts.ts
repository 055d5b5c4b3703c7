/**
 * Limits password attempts. The counters are in the database, so that all tasks share them. They count attempts
 * - by address and account,
 * - by address,
 * - by account, for addresses from which its user has not signed in before,
 * - by account, for clients with its device cookie. Such clients have only this counter, so that nobody else can lock the owner out.
 */
import { createHash } from 'node:crypto'
import { getAddressGroup } from '#server/shares/client-address.ts'
import { runInTransaction, type SampleStore } from '#demo/sample-instance/store.ts'

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
/** Number of attempts without a wait, by kind of counter. Each later attempt has to wait, each time longer. */
const freeAttempts = { device: 5, pair: 5, address: 30, account: 10 }
const windowMs = 15 * minuteMs
const firstWaitMs = 30_000
const maxWaitMs = 15 * minuteMs
const knownDays = 400
/** Maximum number of remembered devices, and of remembered addresses, per user. */
const maxKnownRows = 20
/** Maximum number of counters. If there are more, the oldest counters of addresses are deleted. */
const maxAttempts = 10_000
/** Number of counters that all unknown account names share, so that invented names do not create more rows. */
const unknownAccounts = 1024

export interface SignInAttempt {
  name: string
  address: string
  /** Value of the device cookie; empty if it is missing. */
  device: string
}

export interface CountedAttempt {
  userId: number | null
  /** True if the user has signed in before on this device or from this address. */
  isKnown: boolean
  subjects: readonly { subject: string; isOwn: boolean }[]
}

interface Subject {
  kind: keyof typeof freeAttempts
  subject: string
  account: string
}

const hashText = (...parts: (string | number)[]) => createHash('sha256').update(parts.join(' ')).digest('base64url')

/** Returns a hash of the account name. The name itself is not stored, because people sometimes type their password there. */
export const hashAccount = (name: string): string => hashText('account', name.toLowerCase())

function getSubjects(store: SampleStore, { name, address, device }: SignInAttempt, now: number) {
  const userRow = store.prepare('select id from users where name = ?').get(name)
  const userId = userRow ? Number(userRow.id) : null
  const group = getAddressGroup(address)
  const account = hashAccount(name)
  const earliestSeen = now - knownDays * dayMs
  const isKnownDevice =
    device !== '' &&
    store
      .prepare('select 1 from known_devices where id = ? and user_id = ? and seen > ?')
      .get(hashText(device), userId, earliestSeen) !== undefined
  const isKnownAddress =
    store
      .prepare('select 1 from known_addresses where user_id = ? and address = ? and seen > ?')
      .get(userId, group, earliestSeen) !== undefined
  const buildSubject = (kind: Subject['kind'], key: string, ownerAccount = account): Subject => ({
    kind,
    subject: `${kind} ${key}`,
    account: ownerAccount,
  })
  const bucket = createHash('sha256').update(account).digest().readUInt16BE() % unknownAccounts
  const accountSubject = buildSubject('account', userId === null ? `unknown ${bucket}` : account)
  const subjects = isKnownDevice
    ? [buildSubject('device', account)]
    : [
        buildSubject('pair', hashText(group, account)),
        buildSubject('address', hashText(group), ''),
        ...(isKnownAddress ? [] : [accountSubject]),
      ]
  return { userId, isKnown: isKnownDevice || isKnownAddress, subjects }
}

interface AttemptRow {
  failures: number
  since: number
  not_before: number
}

/** Counts the attempt, before the password is checked. If the client has to wait, returns the time in ms and does not count. */
export function reserveAttempt(store: SampleStore, attempt: SignInAttempt, now: number): CountedAttempt | number {
  return runInTransaction(store, () => {
    removeOldAttempts(store, now)
    const { userId, isKnown, subjects } = getSubjects(store, attempt, now)
    const readStatement = store.prepare('select failures, since, not_before from sign_in_attempts where subject = ?')
    const rows = subjects.map(({ subject }) => readStatement.get(subject) as unknown as AttemptRow | undefined)
    const waitMs = Math.max(0, ...rows.map((row) => (row ? row.not_before - now : 0)))
    if (waitMs > 0) return waitMs
    const writeStatement = store.prepare(
      'insert or replace into sign_in_attempts (subject, account, failures, since, not_before) values (?, ?, ?, ?, ?)',
    )
    for (const [index, { kind, subject, account }] of subjects.entries()) {
      const failures = (rows[index]?.failures ?? 0) + 1
      writeStatement.run(
        subject,
        account,
        failures,
        rows[index]?.since ?? now,
        getNotBefore(failures - freeAttempts[kind], now),
      )
    }
    return {
      userId,
      isKnown,
      subjects: subjects.map(({ kind, subject }) => ({ subject, isOwn: kind === 'device' || kind === 'pair' })),
    }
  })
}

const getNotBefore = (excess: number, now: number): number =>
  excess < 0 ? 0 : now + Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(excess, 10))

/** Deletes counters whose first attempt and last wait are more than 15 minutes ago. */
function removeOldAttempts(store: SampleStore, now: number): void {
  store.prepare('delete from sign_in_attempts where since < ? and not_before < ?').run(now - windowMs, now - windowMs)
  const { count } = store.prepare('select count(*) as count from sign_in_attempts').get() ?? {}
  if (Number(count) < maxAttempts) return
  // Counters by account are kept: their number is limited by the number of users and of shared counters.
  store
    .prepare(
      `delete from sign_in_attempts where subject in (
         select subject from sign_in_attempts where subject like 'pair %' or subject like 'address %'
         order by since limit ?)`,
    )
    .run(Number(count) - maxAttempts + 100)
}

/** Undoes the count of an attempt whose password was not checked, because too many hashes were waiting. */
export function releaseAttempt(store: SampleStore, { subjects }: CountedAttempt): void {
  runInTransaction(store, () => {
    for (const { subject } of subjects) decrementAttempts(store, subject)
  })
}

/** Undoes one attempt. It was allowed, so there was no wait before it, and `not_before` can be reset. */
function decrementAttempts(store: SampleStore, subject: string): void {
  store
    .prepare('update sign_in_attempts set failures = max(failures - 1, 0), not_before = 0 where subject = ?')
    .run(subject)
}

/** Called if the password was right. Remembers device and address of the user. Must run in the transaction of the sign-in. */
export function forgiveAttempt(
  store: SampleStore,
  { userId, subjects }: CountedAttempt,
  { address, device }: SignInAttempt,
  now: number,
): void {
  const deleteStatement = store.prepare('delete from sign_in_attempts where subject = ?')
  for (const { subject, isOwn } of subjects) {
    if (isOwn) deleteStatement.run(subject)
    else decrementAttempts(store, subject)
  }
  store
    .prepare('insert or replace into known_devices (id, user_id, seen) values (?, ?, ?)')
    .run(hashText(device), userId, now)
  store
    .prepare('insert or replace into known_addresses (user_id, address, seen) values (?, ?, ?)')
    .run(userId, getAddressGroup(address), now)
  for (const table of ['known_devices', 'known_addresses'])
    store
      .prepare(
        `delete from ${table} where user_id = ? and rowid not in (
           select rowid from ${table} where user_id = ? order by seen desc limit ?)`,
      )
      .run(userId, userId, maxKnownRows)
}
