/**
 * An order that changes which apps run in a service that is there already is asked about first (contracts 4, D44). The key
 * that the answer bears is a seal over what was asked, so that nothing has to be kept of a question nobody goes on with.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { appsOfService, newestApps } from '#server/db/catalogue/apps.ts'
import type { ModuleRecord } from '#server/db/catalogue/modules.ts'
import type { OrderRecord } from '#server/db/orders/orders.ts'
import { burnTicket } from '#server/db/accounts/tickets.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ActingCompany } from '#server/use-cases/orders/acting-company.ts'
import type { Terms } from '#server/use-cases/orders/order-terms.ts'

/** What the question is about. */
export type AppTerms = Pick<Terms, 'type' | 'choice' | 'period' | 'base' | 'visible' | 'joining' | 'former'>

export type AppChange =
  | { code: string; change: 'enter' | 'leave' }
  /** A newer one was published since the service was given its own. */
  | { code: string; change: 'version'; from: string; to: string }

const lifeMs = 10 * 60_000

const codesOf = (modules: readonly ModuleRecord[]) =>
  new Set(modules.flatMap(({ apps }) => apps.map(({ code }) => code)))

/** What the service had, and what it will have; by code. */
function comingsAndGoings(before: Set<string>, after: Set<string>): AppChange[] {
  const only = (one: Set<string>, other: Set<string>) => [...one].filter((code) => !other.has(code)).toSorted()
  return [
    ...only(after, before).map((code) => ({ code, change: 'enter' as const })),
    ...only(before, after).map((code) => ({ code, change: 'leave' as const })),
  ]
}

/** Of the apps that stay: those of which another version runs than modules run now. What was never recorded is unknown. */
function versionChanges(
  staying: readonly string[],
  running: ReadonlyMap<string, string>,
  published: readonly PublishedApp[],
): AppChange[] {
  const newest = new Map(published.map(({ code, version }) => [code, version]))
  return staying.toSorted().flatMap((code) => {
    const [from, to] = [running.get(code), newest.get(code)]
    const isSame = from === undefined || to === undefined || compareVersions(from, to) === 0
    return isSame ? [] : [{ code, change: 'version' as const, from, to }]
  })
}

async function appChanges(
  { context: { db }, companyId }: ActingCompany,
  { choice, visible, joining, former }: AppTerms,
  service: string,
): Promise<AppChange[]> {
  const next = [...visible.filter(({ code }) => choice.modules.includes(code)), ...joining]
  const [before, after] = [codesOf(former), codesOf(next)]
  const staying = [...after].filter((code) => before.has(code))
  const running = await appsOfService(db, { companyId, code: service })
  const versions = running.size === 0 ? [] : versionChanges(staying, running, await newestApps(db))
  return [...comingsAndGoings(before, after), ...versions]
}

/** Throws APP_CONFIRM with `{confirm_info, confirm_key}` until the order is sent again with that key. */
export async function requireAppsConfirmed(
  desk: ActingCompany,
  terms: AppTerms,
  { key, code, service }: { key: string | undefined } & Pick<OrderRecord, 'code' | 'service'>,
): Promise<void> {
  if (!service || service.system_status === 0) return
  const changes = await appChanges(desk, terms, code)
  if (changes.length === 0) return
  const { db, caller, now } = desk.context
  if (key !== undefined && isSealed(desk, terms, changes, key)) {
    const owner = { user_id: caller.userId, company_id: desk.companyId, session_id: null }
    const ticket = { kind: 'confirm', ...owner, subject: null } as const
    // Single use: of two orders that bear it one is made.
    if (await burnTicket(db, key, { ...ticket, until: now + lifeMs }, now)) return
  }
  throw new ProblemError('APP_CONFIRM', { confirm_info: changes, confirm_key: newKey(desk, terms, changes) })
}

// 9 digits of time, 16 that differ each time, 32 of the seal.
const timeDigits = 9
const plainDigits = timeDigits + 16

function newKey(desk: ActingCompany, terms: AppTerms, changes: readonly AppChange[]): string {
  const until = (desk.context.now + lifeMs).toString(36).padStart(timeDigits, '0')
  const plain = until + randomBytes(12).toString('base64url')
  return plain + sealOf(desk, terms, changes, plain)
}

function sealOf(
  { context, companyId }: ActingCompany,
  terms: AppTerms,
  changes: readonly AppChange[],
  plain: string,
): string {
  const { caller, app } = context
  const { type, choice, period, base } = terms
  const asked = [type, base?.id ?? 0, choice.user_mode, choice.users, choice.uat, choice.modules.toSorted(), period]
  const said = JSON.stringify([plain, caller.userId, companyId, asked, changes])
  return createHmac('sha256', app.config.tokenKey).update('apps').update(said).digest('base64url').slice(0, 32)
}

function isSealed(desk: ActingCompany, terms: AppTerms, changes: readonly AppChange[], key: string): boolean {
  const plain = key.slice(0, plainDigits)
  const [given, own] = [Buffer.from(key.slice(plainDigits)), Buffer.from(sealOf(desk, terms, changes, plain))]
  const isOurs = given.length === own.length && timingSafeEqual(given, own)
  return isOurs && parseInt(plain.slice(0, timeDigits), 36) > desk.context.now
}
