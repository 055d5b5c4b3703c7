/** Generates rows like those of an audit trail: 100,000 over a hundred days, in the order of time. */
export const rowCount = 100_000
export const codes = ['company', 'user', 'order', 'service', 'backup', 'price'] as const
export const operations = ['create', 'update', 'delete', 'enable', 'disable', 'pay', 'print', 'login'] as const
export const dayCount = 100
const firstDay = Date.UTC(2026, 0, 1)
const dayMs = 86_400_000

export const formatDay = (day: number) => new Date(firstDay + day * dayMs).toISOString().slice(0, 10)

export type AuditRow = ReturnType<typeof createRow>

/** Returns numbers without a pattern that an index could benefit from. */
const scramble = (n: number, salt: number) => Math.imul(n + salt, 2_654_435_761) >>> 8

export function createRow(n: number) {
  const time = new Date(firstDay + Math.floor((n / rowCount) * dayCount * dayMs)).toISOString()
  return {
    id: n + 1,
    company_id: 7 + (scramble(n, 5) % 3),
    code: codes[scramble(n, 1) % codes.length] as string,
    operation: operations[scramble(n, 2) % operations.length] as string,
    exec_user_name: `User ${scramble(n, 3) % 400}`,
    end_time: `${time.slice(0, 10)} ${time.slice(11, 19)}`,
    status: scramble(n, 4) % 12 === 0 ? -1 : 0,
    info: { CompanyName: `Company ${scramble(n, 5) % 3}`, ServiceCode: `svc${scramble(n, 6) % 900}` },
    intent: null,
    row_version: 1,
  }
}

export function* createRowBatches(count: number, size = 5_000): Generator<AuditRow[]> {
  for (let start = 0; start < count; start += size)
    yield Array.from({ length: Math.min(size, count - start) }, (_, n) => createRow(start + n))
}
