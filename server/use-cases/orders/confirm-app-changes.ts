/**
 * Requires a confirmation before an order changes the apps of an existing service (contracts 4, D44). The confirmation key is a seal over
 * the question, so unanswered questions need no storage.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { compareVersions, type PublishedApp } from '#domain/catalogue/apps.ts'
import { listAppsOfService, listLatestApps } from '#server/db/catalogue/apps.ts'
import type { ModuleRecord } from '#server/db/catalogue/modules.ts'
import type { OrderRecord } from '#server/db/orders/orders.ts'
import { insertUsedTicket } from '#server/db/accounts/tickets.ts'
import { ProblemError } from '#server/problems/problem-error.ts'
import type { ActingCompany } from '#server/use-cases/orders/acting-company.ts'
import type { OrderTerms } from '#server/use-cases/orders/order-terms.ts'

export type AppTerms = Pick<
  OrderTerms,
  'type' | 'choice' | 'period' | 'base' | 'visibleModules' | 'joiningModules' | 'formerModules'
>

export type AppChange =
  | { code: string; change: 'enter' | 'leave' }
  /** A newer version was published after the app was installed. */
  | { code: string; change: 'version'; from: string; to: string }

const lifeMs = 10 * 60_000

const getAppCodes = (modules: readonly ModuleRecord[]) =>
  new Set(modules.flatMap(({ apps }) => apps.map(({ code }) => code)))

function findAddedAndRemoved(codesBefore: Set<string>, codesAfter: Set<string>): AppChange[] {
  const getDifference = (codes: Set<string>, otherCodes: Set<string>) =>
    [...codes].filter((code) => !otherCodes.has(code)).toSorted()
  return [
    ...getDifference(codesAfter, codesBefore).map((code) => ({ code, change: 'enter' as const })),
    ...getDifference(codesBefore, codesAfter).map((code) => ({ code, change: 'leave' as const })),
  ]
}

/** Compares the apps that stay. Apps whose running version was never recorded are skipped. */
function findVersionChanges(
  stayingCodes: readonly string[],
  runningVersions: ReadonlyMap<string, string>,
  published: readonly PublishedApp[],
): AppChange[] {
  const latestVersions = new Map(published.map(({ code, version }) => [code, version]))
  return stayingCodes.toSorted().flatMap((code) => {
    const [from, to] = [runningVersions.get(code), latestVersions.get(code)]
    const isSame = from === undefined || to === undefined || compareVersions(from, to) === 0
    return isSame ? [] : [{ code, change: 'version' as const, from, to }]
  })
}

async function findAppChanges(
  { context: { db }, companyId }: ActingCompany,
  { choice, visibleModules, joiningModules, formerModules }: AppTerms,
  service: string,
): Promise<AppChange[]> {
  const nextModules = [...visibleModules.filter(({ code }) => choice.modules.includes(code)), ...joiningModules]
  const [codesBefore, codesAfter] = [getAppCodes(formerModules), getAppCodes(nextModules)]
  const stayingCodes = [...codesAfter].filter((code) => codesBefore.has(code))
  const runningVersions = await listAppsOfService(db, { companyId, code: service })
  const versions =
    runningVersions.size === 0 ? [] : findVersionChanges(stayingCodes, runningVersions, await listLatestApps(db))
  return [...findAddedAndRemoved(codesBefore, codesAfter), ...versions]
}

/** Throws APP_CONFIRM with `{confirm_info, confirm_key}` if the order would change the service's apps and has no valid `key` for that. */
export async function requireAppsConfirmed(
  actingCompany: ActingCompany,
  terms: AppTerms,
  { key, code, service }: { key: string | undefined } & Pick<OrderRecord, 'code' | 'service'>,
): Promise<void> {
  if (!service || service.system_status === 0) return
  const changes = await findAppChanges(actingCompany, terms, code)
  if (changes.length === 0) return
  const { db, caller, now } = actingCompany.context
  if (key !== undefined && isValidKey(actingCompany, terms, changes, key)) {
    const owner = { user_id: caller.userId, company_id: actingCompany.companyId, session_id: null }
    const ticket = { kind: 'confirm', ...owner, subject: null } as const
    // A key can be used once: of two orders with the same key only one is placed.
    if (await insertUsedTicket(db, key, { ...ticket, until: now + lifeMs }, now)) return
  }
  throw new ProblemError('APP_CONFIRM', {
    confirm_info: changes,
    confirm_key: createConfirmKey(actingCompany, terms, changes),
  })
}

// A key consists of the time of its expiry (9 characters), random text (16 characters) and the seal (32 characters).
const timeDigits = 9
const prefixDigits = timeDigits + 16

function createConfirmKey(actingCompany: ActingCompany, terms: AppTerms, changes: readonly AppChange[]): string {
  const expiresAt = (actingCompany.context.now + lifeMs).toString(36).padStart(timeDigits, '0')
  const keyPrefix = expiresAt + randomBytes(12).toString('base64url')
  return keyPrefix + computeSeal(actingCompany, terms, changes, keyPrefix)
}

function computeSeal(
  { context, companyId }: ActingCompany,
  terms: AppTerms,
  changes: readonly AppChange[],
  keyPrefix: string,
): string {
  const { caller, app } = context
  const { type, choice, period, base } = terms
  const sealedTerms = [
    type,
    base?.id ?? 0,
    choice.user_mode,
    choice.users,
    choice.uat,
    choice.modules.toSorted(),
    period,
  ]
  const sealedText = JSON.stringify([keyPrefix, caller.userId, companyId, sealedTerms, changes])
  return createHmac('sha256', app.config.tokenKey).update('apps').update(sealedText).digest('base64url').slice(0, 32)
}

function isValidKey(
  actingCompany: ActingCompany,
  terms: AppTerms,
  changes: readonly AppChange[],
  key: string,
): boolean {
  const keyPrefix = key.slice(0, prefixDigits)
  const [sentSeal, expectedSeal] = [
    Buffer.from(key.slice(prefixDigits)),
    Buffer.from(computeSeal(actingCompany, terms, changes, keyPrefix)),
  ]
  const hasValidSeal = sentSeal.length === expectedSeal.length && timingSafeEqual(sentSeal, expectedSeal)
  return hasValidSeal && parseInt(keyPrefix.slice(0, timeDigits), 36) > actingCompany.context.now
}
