/** How the trail records a write that failed before it could say so itself: as what, and what it was about (D86, decision 71). */
import type { AuditMenu } from '#domain/audit-log/leaf.ts'
import { type Caller, isProvider, isProviderAdmin, may } from '#domain/access.ts'
import type { Endpoint, Kind, ParsedInputOf } from '#contract/endpoint.ts'
import { createModule, validateModules } from '#contract/modules.ts'
import { calculate, createOrder } from '#contract/orders.ts'
import { createPriceList, rehearsePriceList, updatePriceList, uploadPriceList } from '#contract/prices.ts'
import { createUser } from '#contract/users.ts'
import { catalogueKinds, readTargetNames, type TargetNames } from '#server/db/audit/target-names.ts'
import type { Handle } from '#server/db/handle.ts'
import { findIntents, type Owner } from '#server/db/idempotency.ts'
import { companyOf, type Owned } from '#server/db/orders/service-codes.ts'
import { fenceTo } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { targetsIn } from '#server/commands/references.ts'

/** Found in the name of the call. */
const operations = [
  'create',
  'update',
  'delete',
  'disable',
  'enable',
  'activate',
  'print',
  'export',
  'import',
  'upload',
  'reset',
  'reboot',
  'config',
  'remove',
  'pay',
] as const

const byMethod: Record<string, string> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

/** Calls whose name or method says another thing than what they would have been recorded as. */
const byName: Record<string, string> = {
  sendActivationMail: 'update',
  changeContract: 'update',
  undoChange: 'update',
  setAlertDate: 'update',
  keepTrail: 'export',
  refundPaymentTask: 'refund',
  applyPaymentTask: 'pay',
  reinstatePriceList: 'restore',
  restoreBackup: 'restore',
  backUp: 'backup',
}

/** The first that the path of the call begins with. */
const byPath: readonly (readonly [string, AuditMenu])[] = [
  ['/api/m18s/company/', 'company'],
  ['/api/m18s/', 'user'],
  ['/api/users/', 'user'],
  ['/api/sorder', 'order'],
  ['/api/contract', 'order'],
  ['/api/calculate', 'order'],
  ['/api/payment', 'order'],
  ['/api/print', 'order'],
  ['/api/aws/', 'service'],
  ['/api/pdb/', 'backup'],
  ['/api/pricelist', 'price'],
  ['/api/template/price/', 'price'],
  ['/api/module', 'module'],
  ['/api/app', 'app'],
]

/** Calls that only try something out: nothing is recorded where they succeed, so nothing is where they are refused. */
const trials: ReadonlySet<string> = new Set(
  [calculate, validateModules, rehearsePriceList, uploadPriceList].map(({ name }) => name),
)

/** Rows that an input names beside the one that it is about. */
const besides: Record<string, readonly Kind[]> = {
  [createOrder.name]: ['order'],
  [createPriceList.name]: ['module'],
  [updatePriceList.name]: ['module'],
}

type Body = Record<string, unknown> | null | undefined

/** What does not exist yet is named by what was typed. */
const namesOfNew: Record<string, (body: Record<string, unknown>) => Record<string, unknown>> = {
  [createUser.name]: ({ name, email }) => ({ UserName: name, UserEmail: email }),
  [createPriceList.name]: ({ effective_date, desc }) => ({ PriceEffDate: effective_date, PriceDesc: desc }),
  [createModule.name]: ({ code }) => ({ ModuleCode: code }),
  [createOrder.name]: ({ code }) => (code === undefined ? {} : { ServiceCode: code }),
}

interface FailedWrite {
  endpoint: Endpoint
  input: ParsedInputOf<Endpoint>
  caller: Caller
  owner: Owner
}

/**
 * The entry that it would have made, had it been done: whoever looks for what was tried finds it beside what was done. Null: it was
 * a trial. Names rows as they are after the rollback, and only those that the caller may know of.
 */
export async function describeFailure(db: Handle, write: FailedWrite): Promise<AuditEntry | null> {
  const { endpoint } = write
  if (trials.has(endpoint.name)) return null
  const body = write.input.body as Body
  const targets = await readTargets(db, write)
  const isHidden = body?.['hidden'] === true || targets.some((target) => target.isHidden)
  const isWithdrawal = endpoint.method === 'DELETE' && targets.some((target) => target.isConfirmed)
  const menu = menuOf(endpoint)
  return {
    code: isHidden && menu === 'module' ? 'automodule' : menu,
    operation: isWithdrawal ? 'withdraw' : isConfirmation(endpoint, body) ? 'confirm' : operationOf(endpoint),
    info: Object.assign({}, ...targets.map(({ info }) => info), namesOfNew[endpoint.name]?.(body ?? {})),
  }
}

const menuOf = ({ path }: Endpoint) => byPath.find(([beginning]) => path.startsWith(beginning))?.[1] ?? 'system'

const isConfirmation = ({ name }: Endpoint, body: Body) => name === updatePriceList.name && body?.['confirmed'] === true

function operationOf({ name, method }: Endpoint): string {
  const words = name.toLowerCase()
  return byName[name] ?? operations.find((word) => words.includes(word)) ?? byMethod[method] ?? 'update'
}

/** The first of each kind. */
async function readTargets(db: Handle, write: FailedWrite): Promise<TargetNames[]> {
  const { endpoint, input, owner } = write
  const ids = new Map<Kind, unknown>()
  for (const { kind, id } of targetsIn(endpoint, input))
    if (!ids.has(kind) && !besides[endpoint.name]?.includes(kind)) ids.set(kind, id)
  const targets: TargetNames[] = []
  for (const [kind, named] of ids) {
    const id = typeof named === 'string' ? await rowLeftBy(db, owner, named.slice(1), kind) : named
    const names = typeof id === 'number' ? await readTarget(db, write, kind, id) : null
    if (names) targets.push(names)
  }
  return targets
}

async function rowLeftBy(db: Handle, owner: Owner, intent: string, kind: Kind): Promise<number | null> {
  const row = (await findIntents(db, owner, [intent])).get(intent)
  return row?.row_kind === kind ? row.row_id : null
}

/** Staff may also act on rows of other companies. */
const ownedKinds: ReadonlySet<Kind> = new Set(['order', 'contract', 'service'] satisfies (Kind & Owned)[])

async function readTarget(
  db: Handle,
  { endpoint, caller }: FailedWrite,
  kind: Kind,
  id: number,
): Promise<TargetNames | null> {
  if (catalogueKinds.has(kind) && !(isProviderAdmin(caller) && may(endpoint.who, caller))) return null
  const own = await readTargetNames(db, kind, id, caller.companyId)
  if (own || !ownedKinds.has(kind) || !isProvider(caller) || !may(endpoint.who, caller)) return own
  const companyId = await companyOf(db, kind as Owned, id)
  if (companyId === null) return null
  await fenceTo(db, companyId)
  const names = await readTargetNames(db, kind, id, companyId)
  // What follows is the caller's own: the idempotency store and the trail.
  await fenceTo(db, caller.companyId)
  return names
}
