/** The audit trail of a demo company: what brought its people, its contracts and its profile into the state that they are in. */
import { fieldChanges } from '#domain/audit-log/changes.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addToTrail } from '#server/db/audit/audit-trail.ts'
import type { Handle } from '#server/db/handle.ts'
import type { DemoCompany, DemoUser } from '#demo/sample-data/demo-data.ts'

const dayMs = 86_400_000

interface Event extends AuditEntry {
  at: number
  status?: -1
  /** Nobody: it was not done by anybody who had signed in. */
  byNobody?: true
}

interface Told {
  adminId: number
  company: Omit<DemoCompany, 'orders'>
  now: number
}

/** Oldest first, as they would have been written. */
export async function tellStory(db: Handle, companyId: number, { adminId, company, now }: Told): Promise<void> {
  const events = [
    ...company.users.flatMap((user) => ofUser(user, now)),
    ...(await ofOrders(db, companyId)),
    ...ofCompany(company, now),
  ]
  for (const { at, status = 0, byNobody, ...entry } of events.toSorted((a, b) => a.at - b.at)) {
    const head = { companyId, userId: byNobody ? null : adminId, now: at, intent: null, requestId: 'demo' }
    await addToTrail(db, { ...head, status }, [entry])
  }
}

function ofUser(user: DemoUser, now: number): Event[] {
  const code = 'user' as const
  const info = { UserName: user.name, UserEmail: user.email }
  const facts = fieldChanges(null, user, ['title', 'name', 'email', 'admin', 'order', 'alert'])
  const made: Event = { code, operation: 'create', info, changes: facts, at: now - user.madeDaysAgo * dayMs }
  const at = now - Math.min(user.changedDaysAgo, user.madeDaysAgo) * dayMs
  const changes = [{ field: 'status', before: userStatus.activated, after: user.status }]
  if (user.status === userStatus.disabled) return [made, { code, operation: 'disable', info, changes, at }]
  if (user.status === userStatus.deleted) return [made, { code, operation: 'delete', info, changes, at }]
  return [made]
}

async function ofOrders(db: Handle, companyId: number): Promise<Event[]> {
  const orders = await db
    .selectFrom('service_order')
    .select(['id', 'code', 'name', 'type', 'users', 'user_mode', 'period_start', 'period_end', 'amount', 'currency'])
    .select('create_time')
    .where('company_id', '=', companyId)
    .execute()
  const payments = await db.selectFrom('payment').selectAll().where('company_id', '=', companyId).execute()
  const placed = orders.map(
    ({ id, code, type, amount, currency, create_time: at, ...facts }): Event => ({
      code: 'order',
      operation: type === 'create' ? 'create' : 'update',
      info: { ServiceCode: code, OrderId: id, OrderType: type, Amount: `${currency} ${amount}` },
      changes: fieldChanges(null, { ...facts, amount }, [
        'name',
        'users',
        'user_mode',
        'period_start',
        'period_end',
        'amount',
      ]),
      at,
    }),
  )
  const paid = payments.map(
    ({ order_id: id, amount, currency, gateway, reference, paid_at: at }): Event => ({
      code: 'order',
      operation: 'pay',
      info: {
        ServiceCode: orders.find((order) => order.id === id)?.code ?? '',
        OrderId: id,
        Amount: `${currency} ${amount}`,
        Gateway: gateway,
        Reference: reference,
      },
      changes: [{ field: 'status', before: 'unpaid', after: 'effective' }],
      at,
    }),
  )
  return [...placed, ...paid]
}

function ofCompany({ name, tel, users }: Told['company'], now: number): Event[] {
  const [admin] = users
  const changes = [{ field: 'tel', before: null, after: tel }]
  const moved: Event = {
    code: 'company',
    operation: 'update',
    info: { CompanyName: name },
    changes,
    at: now - 21 * dayMs,
  }
  const guessed = { UserName: admin?.name ?? '', Network: '203.0.113.7', Count: 3 }
  const failed = {
    code: 'user' as const,
    operation: 'login',
    info: guessed,
    at: now - 2 * dayMs,
    byNobody: true as const,
  }
  return [moved, { ...failed, status: -1 }]
}
