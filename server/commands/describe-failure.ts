/** Builds the audit entry of a write that failed before it could describe itself (D86, decision 71). */
import type { AuditMenu } from '#domain/audit-log/leaf.ts'
import { type Caller, isProvider, isProviderAdmin, isAllowed } from '#domain/access.ts'
import type { Endpoint, RowKind, ParsedInputOf } from '#contract/endpoint.ts'
import { createModule, validateModules } from '#contract/modules.ts'
import { calculate, createOrder } from '#contract/orders.ts'
import { createPriceList, rehearsePriceList, updatePriceList, uploadPriceList } from '#contract/prices.ts'
import { createUser } from '#contract/users.ts'
import { catalogueKinds, readTargetNames, type TargetNames } from '#server/db/audit/target-names.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { findIntentRows, type WriteOwner } from '#server/db/idempotency-store.ts'
import { findOwnerCompanyId, type OwnedKind } from '#server/db/orders/service-codes.ts'
import { setTenant } from '#server/db/tenant.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { findTargets } from '#server/commands/references.ts'

const operationWords = [
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

const operationByMethod: Record<string, string> = { POST: 'create', PUT: 'update', DELETE: 'delete' }

/** Operations of calls for which the name or the method would give a wrong operation. */
const operationByName: Record<string, string> = {
  sendActivationMail: 'update',
  changeContract: 'update',
  undoChange: 'update',
  setAlertDate: 'update',
  keepTrail: 'export',
  refundPaymentTask: 'refund',
  refundInvoice: 'refund',
  settleRefundTask: 'refund',
  applyPaymentTask: 'pay',
  importStatement: 'import',
  creditBankTransfer: 'confirm',
  closeBankTransfer: 'update',
  correctBankTransfer: 'withdraw',
  reinstatePriceList: 'restore',
  restoreBackup: 'restore',
  backUp: 'backup',
}

const menuByPath: readonly (readonly [string, AuditMenu])[] = [
  ['/api/m18s/company/', 'company'],
  ['/api/customer/', 'company'],
  ['/api/m18s/', 'user'],
  ['/api/users/', 'user'],
  ['/api/sorder', 'order'],
  ['/api/contract', 'order'],
  ['/api/calculate', 'order'],
  ['/api/payment', 'order'],
  ['/api/proforma', 'order'],
  ['/api/bank-transfers', 'order'],
  ['/api/invoice', 'order'],
  ['/api/print', 'order'],
  ['/api/aws/', 'service'],
  ['/api/pdb/', 'backup'],
  ['/api/pricelist', 'price'],
  ['/api/template/price/', 'price'],
  ['/api/module', 'module'],
  ['/api/app', 'app'],
]

/** Calls that only calculate or check something. Their success is not recorded, so their refusal is not recorded either. */
const trialCallNames: ReadonlySet<string> = new Set(
  [calculate, validateModules, rehearsePriceList, uploadPriceList].map(({ name }) => name),
)

/** Kinds of rows that an input names in addition to the affected row. */
const secondaryKinds: Record<string, readonly RowKind[]> = {
  [createOrder.name]: ['order'],
  [createPriceList.name]: ['module'],
  [updatePriceList.name]: ['module'],
}

type RequestBody = Record<string, unknown> | null | undefined

/** Names of rows that do not exist yet, taken from the user's input. */
const readNewRowNames: Record<string, (body: Record<string, unknown>) => Record<string, unknown>> = {
  [createUser.name]: ({ name, email }) => ({ UserName: name, UserEmail: email }),
  [createPriceList.name]: ({ effective_date, desc }) => ({ PriceEffDate: effective_date, PriceDesc: desc }),
  [createModule.name]: ({ code }) => ({ ModuleCode: code }),
  [createOrder.name]: ({ code }) => (code === undefined ? {} : { ServiceCode: code }),
}

interface FailedWrite {
  endpoint: Endpoint
  input: ParsedInputOf<Endpoint>
  caller: Caller
  owner: WriteOwner
}

/**
 * Returns the entry that the write would have added, without names that the caller may not know. Null for calls that only calculate or
 * check something.
 */
export async function describeFailure(db: DatabaseHandle, write: FailedWrite): Promise<AuditEntry | null> {
  const { endpoint } = write
  if (trialCallNames.has(endpoint.name)) return null
  const body = write.input.body as RequestBody
  const targets = await readTargets(db, write)
  const isHidden = body?.['hidden'] === true || targets.some((target) => target.isHidden)
  const isWithdrawal = endpoint.method === 'DELETE' && targets.some((target) => target.isConfirmed)
  const menu = getMenu(endpoint)
  return {
    code: isHidden && menu === 'module' ? 'automodule' : menu,
    operation: isWithdrawal ? 'withdraw' : isConfirmation(endpoint, body) ? 'confirm' : getOperation(endpoint),
    info: Object.assign({}, ...targets.map(({ info }) => info), readNewRowNames[endpoint.name]?.(body ?? {})),
  }
}

const getMenu = ({ path }: Endpoint) => menuByPath.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'system'

const isConfirmation = ({ name }: Endpoint, body: RequestBody) =>
  name === updatePriceList.name && body?.['confirmed'] === true

function getOperation({ name, method }: Endpoint): string {
  const words = name.toLowerCase()
  return (
    operationByName[name] ??
    operationWords.find((word) => words.includes(word)) ??
    operationByMethod[method] ??
    'update'
  )
}

async function readTargets(db: DatabaseHandle, write: FailedWrite): Promise<TargetNames[]> {
  const { endpoint, input, owner } = write
  const ids = new Map<RowKind, unknown>()
  for (const { kind, id } of findTargets(endpoint, input))
    if (!ids.has(kind) && !secondaryKinds[endpoint.name]?.includes(kind)) ids.set(kind, id)
  const targets: TargetNames[] = []
  for (const [kind, reference] of ids) {
    const id = typeof reference === 'string' ? await findResultRowId(db, owner, reference.slice(1), kind) : reference
    const names = typeof id === 'number' ? await readTarget(db, write, kind, id) : null
    if (names) targets.push(names)
  }
  return targets
}

async function findResultRowId(
  db: DatabaseHandle,
  owner: WriteOwner,
  intent: string,
  kind: RowKind,
): Promise<number | null> {
  const row = (await findIntentRows(db, owner, [intent])).get(intent)
  return row?.row_kind === kind ? row.row_id : null
}

/** Kinds of rows whose names the provider's staff may also read for other companies. */
const ownedKinds: ReadonlySet<RowKind> = new Set(['order', 'contract', 'service'] satisfies (RowKind & OwnedKind)[])

async function readTarget(
  db: DatabaseHandle,
  { endpoint, caller }: FailedWrite,
  kind: RowKind,
  id: number,
): Promise<TargetNames | null> {
  if (catalogueKinds.has(kind) && !(isProviderAdmin(caller) && isAllowed(endpoint.access, caller))) return null
  const ownNames = await readTargetNames(db, kind, id, caller.companyId)
  if (ownNames || !ownedKinds.has(kind) || !isProvider(caller) || !isAllowed(endpoint.access, caller)) return ownNames
  const companyId = await findOwnerCompanyId(db, kind as OwnedKind, id)
  if (companyId === null) return null
  await setTenant(db, companyId)
  const names = await readTargetNames(db, kind, id, companyId)
  // Set back, because the idempotency store and the trail belong to the caller's company.
  await setTenant(db, caller.companyId)
  return names
}
