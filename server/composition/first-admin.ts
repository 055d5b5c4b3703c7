/**
 * Creates the link with which the provider's first admin sets a password. All nodes together have one link: the first start prints it, and
 * the starts that follow while a node runs only name that node. If no other node runs, a start makes a new link, because the operator may
 * have lost the last one. Only a hash of the link is stored.
 */
import { sql } from 'kysely'
import { randomBytes } from 'node:crypto'
import { environments, PROVIDER } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { ClusterMember } from '#server/composition/join-cluster.ts'
import { takeChangeNumber } from '#server/db/change-numbers.ts'
import { findCompanyByCode, insertCompany } from '#server/db/accounts/companies.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findKeyExpiry, hashOneTimeKey, insertKey, spendAllKeys } from '#server/db/accounts/one-time-keys.ts'
import { readFact, setFact } from '#server/db/installation-facts.ts'
import { readClusterFact } from '#server/db/cluster/nodes.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import { hasActiveAdmin, insertUser, findUserByEmail } from '#server/db/accounts/users.ts'
import type { AppContext } from '#server/context/context.ts'
import { createSealKey } from '#server/use-cases/sessions/seal-key.ts'

const linkLifetimeMs = 72 * 3_600_000
const linkFactName = 'first admin link'

/** What the database stores about the last link. */
interface LinkFact {
  /** Hash of the link's key. */
  hash: string
  runId: string | null
  hostName: string
  time: number
}

export type FirstAdminLink =
  | { kind: 'new'; link: string }
  /** The link that another node printed is still valid. Times are epoch ms. */
  | { kind: 'printed'; hostName: string; time: number; until: number }

/** Returns null if the provider has an active admin. */
export const createFirstAdminLink = (
  app: AppContext,
  { runId, hostName }: Pick<ClusterMember, 'runId' | 'hostName'>,
): Promise<FirstAdminLink | null> =>
  writeAsSystem(app, async (db) => {
    const now = app.clock()
    const providerId = await findProviderWithoutAdmin(db, now)
    if (providerId === null) return null
    const printedLink = await findPrintedLink(db, runId, now)
    if (printedLink) return printedLink
    return { kind: 'new', link: await replaceLink(app, db, { providerId, runId, hostName, now }) }
  })

/** Makes a new link and the former one invalid, at the request of an operator. Returns null if the provider has an active admin. */
export const replaceFirstAdminLink = (app: AppContext, hostName: string): Promise<string | null> =>
  writeAsSystem(app, async (db) => {
    const now = app.clock()
    const providerId = await findProviderWithoutAdmin(db, now)
    if (providerId === null) return null
    const cluster = await readClusterFact(db)
    return replaceLink(app, db, { providerId, runId: cluster?.runId ?? null, hostName, now })
  })

/** Takes the lock of all starts. Returns the id of the provider's company, or null if it has an active admin. */
async function findProviderWithoutAdmin(db: DatabaseHandle, now: number): Promise<number | null> {
  // Several servers may start at the same time. The lock lets the second one find the rows of the first.
  await sql`select pg_advisory_xact_lock(7801, -1)`.execute(db)
  const providerId = await findOrCreateProvider(db, now)
  return (await hasActiveAdmin(db, providerId)) ? null : providerId
}

/** Returns the link that was printed since the first of the running nodes started, if it is still valid. */
async function findPrintedLink(db: DatabaseHandle, currentRunId: string, now: number): Promise<FirstAdminLink | null> {
  const text = await readFact(db, linkFactName)
  if (text === null) return null
  const { hash, runId, hostName, time } = JSON.parse(text) as LinkFact
  const until = runId === currentRunId ? await findKeyExpiry(db, hash, now) : null
  return until === null ? null : { kind: 'printed', hostName, time, until }
}

interface NewLink {
  providerId: number
  runId: string | null
  hostName: string
  now: number
}

async function replaceLink(
  { config }: AppContext,
  db: DatabaseHandle,
  { providerId, runId, hostName, now }: NewLink,
): Promise<string> {
  const user = await findUserByEmail(db, providerId, config.providerEmail)
  const userId = user?.id ?? (await addAdmin(db, providerId, config.providerEmail, now))
  const key = randomBytes(32).toString('base64url')
  await spendAllKeys(db, userId, now)
  await insertKey(db, { key, userId, companyId: providerId, purpose: 'activate', until: now + linkLifetimeMs })
  const fact: LinkFact = { hash: hashOneTimeKey(key), runId, hostName, time: now }
  await setFact(db, linkFactName, JSON.stringify(fact))
  return `${config.publicUrl}/saas/sys/activate?otk=${key}`
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
