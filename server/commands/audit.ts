/** What a write is called in the trail when it failed before it could say so itself (D86). */
import type { AuditMenu } from '#domain/audit-log/leaf.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { AuditEntry } from '#server/context.ts'

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

/** The menu that it would have been under, had it been done: whoever looks for what was tried finds it beside what was done. */
export function noteOf({ name, method, path }: Pick<Endpoint, 'name' | 'method' | 'path'>, body?: unknown): AuditEntry {
  const words = name.toLowerCase()
  const code = byPath.find(([beginning]) => path.startsWith(beginning))?.[1] ?? 'system'
  const isHidden = code === 'module' && (body as { hidden?: unknown } | null | undefined)?.hidden === true
  return {
    code: isHidden ? 'automodule' : code,
    operation: byName[name] ?? operations.find((word) => words.includes(word)) ?? byMethod[method] ?? 'update',
    info: {},
  }
}
