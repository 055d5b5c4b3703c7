/** Rows as an audit trail has them, made as they are asked for: 100,000 over a hundred days, in the order they happened. */
export const rowCount = 100_000
export const codes = ['company', 'user', 'order', 'service', 'backup', 'price'] as const
export const operations = ['create', 'update', 'delete', 'enable', 'disable', 'pay', 'print', 'login'] as const
export const days = 100
const firstDay = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

export const dayOf = (day: number) => new Date(firstDay + day * dayMs).toISOString().slice(0, 10)

export type AuditRow = ReturnType<typeof rowAt>

/** Spread without a pattern that any index could profit from. */
const mixed = (n: number, salt: number) => Math.imul(n + salt, 2_654_435_761) >>> 8

export function rowAt(n: number) {
  const time = new Date(firstDay + Math.floor((n / rowCount) * days * dayMs)).toISOString()
  return {
    id: n + 1,
    company_id: 7 + (mixed(n, 5) % 3),
    code: codes[mixed(n, 1) % codes.length] as string,
    operation: operations[mixed(n, 2) % operations.length] as string,
    exec_user_name: `User ${mixed(n, 3) % 400}`,
    end_time: `${time.slice(0, 10)} ${time.slice(11, 19)}`,
    status: mixed(n, 4) % 12 === 0 ? -1 : 0,
    info: { CompanyName: `Company ${mixed(n, 5) % 3}`, ServiceCode: `svc${mixed(n, 6) % 900}` },
    intent: null,
    row_version: 1,
  }
}

export function* pieces(count: number, size = 5_000): Generator<AuditRow[]> {
  for (let at = 0; at < count; at += size)
    yield Array.from({ length: Math.min(size, count - at) }, (_, n) => rowAt(at + n))
}
