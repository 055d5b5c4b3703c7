/** Writes an audit trail that explains the present state of a demo company: its users, orders, payments and profile. */
import { findFieldChanges } from '#domain/audit-log/changes.ts'
import { userStatus } from '#domain/accounts/users.ts'
import type { AuditEntry } from '#server/db/audit/audit-entry.ts'
import { addAuditEntries } from '#server/db/audit/audit-trail.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import type { DemoCompany, DemoUser } from '#demo/sample-data/demo-data.ts'

const dayMs = 86_400_000

interface StoryEvent extends AuditEntry {
  at: number
  status?: -1
  isAnonymous?: true
}

interface StoryContext {
  adminId: number
  company: Omit<DemoCompany, 'orders'>
  now: number
}

export async function writeAuditStory(
  db: DatabaseHandle,
  companyId: number,
  { adminId, company, now }: StoryContext,
): Promise<void> {
  const events = [
    ...company.users.flatMap((user) => buildUserEvents(user, now)),
    ...(await buildOrderEvents(db, companyId)),
    ...buildCompanyEvents(company, now),
  ]
  for (const { at: time, status = 0, isAnonymous, ...entry } of events.toSorted((a, b) => a.at - b.at)) {
    const entryHeader = { companyId, userId: isAnonymous ? null : adminId, now: time, intent: null, requestId: 'demo' }
    await addAuditEntries(db, { ...entryHeader, status }, [entry])
  }
}

function buildUserEvents(user: DemoUser, now: number): StoryEvent[] {
  const code = 'user' as const
  const info = { UserName: user.name, UserEmail: user.email }
  const facts = findFieldChanges(null, user, ['title', 'name', 'email', 'admin', 'order', 'alert'])
  const createdEvent: StoryEvent = {
    code,
    operation: 'create',
    info,
    changes: facts,
    at: now - user.createdDaysAgo * dayMs,
  }
  const changedAt = now - Math.min(user.changedDaysAgo, user.createdDaysAgo) * dayMs
  const changes = [{ field: 'status', before: userStatus.activated, after: user.status }]
  if (user.status === userStatus.disabled)
    return [createdEvent, { code, operation: 'disable', info, changes, at: changedAt }]
  if (user.status === userStatus.deleted)
    return [createdEvent, { code, operation: 'delete', info, changes, at: changedAt }]
  return [createdEvent]
}

async function buildOrderEvents(db: DatabaseHandle, companyId: number): Promise<StoryEvent[]> {
  const orders = await db
    .selectFrom('service_order')
    .select(['id', 'code', 'name', 'type', 'users', 'user_mode', 'period_start', 'period_end', 'amount', 'currency'])
    .select('create_time')
    .where('company_id', '=', companyId)
    .execute()
  const payments = await db.selectFrom('payment').selectAll().where('company_id', '=', companyId).execute()
  const orderEvents = orders.map(
    ({ id, code, type, amount, currency, create_time: orderedAt, ...facts }): StoryEvent => ({
      code: 'order',
      operation: type === 'create' ? 'create' : 'update',
      info: { ServiceCode: code, OrderId: id, OrderType: type, Amount: `${currency} ${amount}` },
      changes: findFieldChanges(null, { ...facts, amount }, [
        'name',
        'users',
        'user_mode',
        'period_start',
        'period_end',
        'amount',
      ]),
      at: orderedAt,
    }),
  )
  const paymentEvents = payments.map(
    ({ order_id: id, amount, currency, gateway, reference, paid_at: paidAt }): StoryEvent => ({
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
      at: paidAt,
    }),
  )
  return [...orderEvents, ...paymentEvents]
}

function buildCompanyEvents({ name, tel, users }: StoryContext['company'], now: number): StoryEvent[] {
  const [admin] = users
  const changes = [{ field: 'tel', before: null, after: tel }]
  const profileEvent: StoryEvent = {
    code: 'company',
    operation: 'update',
    info: { CompanyName: name },
    changes,
    at: now - 21 * dayMs,
  }
  const loginInfo = { UserName: admin?.name ?? '', Network: '203.0.113.7', Count: 3 }
  const failedLogin = {
    code: 'user' as const,
    operation: 'login',
    info: loginInfo,
    at: now - 2 * dayMs,
    isAnonymous: true as const,
  }
  return [profileEvent, { ...failedLogin, status: -1 }]
}
