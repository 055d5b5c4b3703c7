/**
 * Limits password attempts. The counters are in the database, so that all tasks share them. They count attempts
 * - by address and account,
 * - by address,
 * - by account, for addresses from which its user has not signed in before,
 * - by account, for clients with its device cookie. Such clients have only this counter, so that nobody else can lock the owner out.
 */
import { createHash } from 'node:crypto'
import { getAddressGroup } from '#server/shares/client-address.ts'
import type { SampleStore, StoreQueries } from '#demo/sample-instance/storage/store.ts'

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

async function getSubjects(queries: StoreQueries, { name, address, device }: SignInAttempt, now: number) {
  const userRow = await queries.get(`select id from users where ${queries.dialect.isSameText('name')}`, name)
  const userId = userRow ? Number(userRow.id) : null
  const group = getAddressGroup(address)
  const account = hashAccount(name)
  const earliestSeen = now - knownDays * dayMs
  const isKnownDevice =
    device !== '' &&
    (await queries.get(
      'select 1 from known_devices where id = ? and user_id = ? and seen > ?',
      hashText(device),
      userId,
      earliestSeen,
    )) !== undefined
  const isKnownAddress =
    (await queries.get(
      'select 1 from known_addresses where user_id = ? and address = ? and seen > ?',
      userId,
      group,
      earliestSeen,
    )) !== undefined
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
export function reserveAttempt(
  store: SampleStore,
  attempt: SignInAttempt,
  now: number,
): Promise<CountedAttempt | number> {
  return store.runInTransaction(async (queries) => {
    await removeOldAttempts(queries, now)
    const { userId, isKnown, subjects } = await getSubjects(queries, attempt, now)
    const rows: (AttemptRow | undefined)[] = []
    for (const { subject } of subjects) rows.push((await queries.get(readStatement, subject)) as AttemptRow | undefined)
    const waitMs = Math.max(0, ...rows.map((row) => (row ? row.not_before - now : 0)))
    if (waitMs > 0) return waitMs
    for (const [index, { kind, subject, account }] of subjects.entries()) {
      const failures = (rows[index]?.failures ?? 0) + 1
      const since = rows[index]?.since ?? now
      const notBefore = getNotBefore(failures - freeAttempts[kind], now)
      await queries.run(writeStatement, subject, account, failures, since, notBefore)
    }
    return {
      userId,
      isKnown,
      subjects: subjects.map(({ kind, subject }) => ({ subject, isOwn: kind === 'device' || kind === 'pair' })),
    }
  })
}

const readStatement = 'select failures, since, not_before from sign_in_attempts where subject = ?'
const writeStatement = `insert into sign_in_attempts (subject, account, failures, since, not_before) values (?, ?, ?, ?, ?)
  on conflict (subject) do update set account = excluded.account, failures = excluded.failures, since = excluded.since,
    not_before = excluded.not_before`

const getNotBefore = (excess: number, now: number): number =>
  excess < 0 ? 0 : now + Math.min(maxWaitMs, firstWaitMs * 2 ** Math.min(excess, 10))

/** Deletes counters whose first attempt and last wait are more than 15 minutes ago. */
async function removeOldAttempts(queries: StoreQueries, now: number): Promise<void> {
  const earliest = now - windowMs
  await queries.run('delete from sign_in_attempts where since < ? and not_before < ?', earliest, earliest)
  const { count } = (await queries.get('select count(*) as count from sign_in_attempts')) ?? {}
  if (Number(count) < maxAttempts) return
  // Counters by account are kept: their number is limited by the number of users and of shared counters.
  await queries.run(
    `delete from sign_in_attempts where subject in (
       select subject from sign_in_attempts where subject like 'pair %' or subject like 'address %'
       order by since limit ?)`,
    Number(count) - maxAttempts + 100,
  )
}

/** Undoes the count of an attempt whose password was not checked, because too many hashes were waiting. */
export function releaseAttempt(store: SampleStore, { subjects }: CountedAttempt): Promise<void> {
  return store.runInTransaction(async (queries) => {
    for (const { subject } of subjects) await decrementAttempts(queries, subject)
  })
}

/** Undoes one attempt. It was allowed, so there was no wait before it, and `not_before` can be reset. */
async function decrementAttempts(queries: StoreQueries, subject: string): Promise<void> {
  await queries.run(
    'update sign_in_attempts set failures = case when failures > 0 then failures - 1 else 0 end, not_before = 0 where subject = ?',
    subject,
  )
}

/** Called if the password was right. Remembers device and address of the user. Must run in the transaction of the sign-in. */
export async function forgiveAttempt(
  queries: StoreQueries,
  { userId, subjects }: CountedAttempt,
  { address, device }: SignInAttempt,
  now: number,
): Promise<void> {
  for (const { subject, isOwn } of subjects) {
    if (isOwn) await queries.run('delete from sign_in_attempts where subject = ?', subject)
    else await decrementAttempts(queries, subject)
  }
  await queries.run(
    `insert into known_devices (id, user_id, seen) values (?, ?, ?)
     on conflict (id, user_id) do update set seen = excluded.seen`,
    hashText(device),
    userId,
    now,
  )
  await queries.run(
    `insert into known_addresses (user_id, address, seen) values (?, ?, ?)
     on conflict (user_id, address) do update set seen = excluded.seen`,
    userId,
    getAddressGroup(address),
    now,
  )
  for (const [table, key] of knownTables)
    await queries.run(
      `delete from ${table} where user_id = ? and ${key} not in (
         select ${key} from ${table} where user_id = ? order by seen desc limit ?)`,
      userId,
      userId,
      maxKnownRows,
    )
}

const knownTables = [
  ['known_devices', 'id'],
  ['known_addresses', 'address'],
] as const
