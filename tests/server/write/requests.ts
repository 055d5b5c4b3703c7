/** Writes as the routes hand them over: the contract's own endpoints, with a service small enough to be seen through. */
import { randomUUID } from 'node:crypto'
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import { createUser, deleteUser, updateCompanyUser } from '#contract/users.ts'
import type { Caller } from '#domain/access.ts'
import type { StoredResponse, WriteRequest } from '#server/commands/command.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import * as users from '#server/use-cases/accounts/users.ts'
import { executeWrite } from '#server/commands/execute.ts'
import { system } from '#tests/support/server/people.ts'

type More = Partial<Omit<WriteRequest, 'endpoint' | 'input'>>

export function requestOf<E extends Endpoint>(
  endpoint: E,
  caller: Caller | null,
  input: ParsedInputOf<E>,
  more: More = {},
) {
  const { params = {}, body } = input as { params?: Record<string, unknown>; body?: unknown }
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => String(params[name]))
  return {
    endpoint,
    path,
    key: randomUUID(),
    intent: null,
    forUser: null,
    ifMatch: null,
    after: null,
    body,
    caller,
    sessionId: null,
    requestId: 'request-1',
    language: 'en',
    permit: () => undefined,
    requirePassword: () => undefined,
    ...more,
    input,
  } satisfies WriteRequest<E>
}

export interface NewUser {
  name: string
  email: string
}

export const create = (app: AppContext, caller: Caller, user: NewUser, more: More = {}): Promise<StoredResponse> => {
  const body = { title: 0 as const, admin: false, order: false, alert: false, access_level: 0 as const, ...user }
  return executeWrite(app, requestOf(createUser, caller, { params: {}, query: {}, body }, more), users.create)
}

type Ref = number | `~${string}`

export const rename = (
  app: AppContext,
  caller: Caller,
  id: Ref,
  name: string,
  more: More = {},
): Promise<StoredResponse> => {
  const input = { params: { id }, query: {}, body: { name } }
  return executeWrite(app, requestOf(updateCompanyUser, caller, input, more), users.update)
}

export const remove = (app: AppContext, caller: Caller, id: Ref, more: More = {}): Promise<StoredResponse> =>
  executeWrite(app, requestOf(deleteUser, caller, { params: { id }, query: {}, body: undefined }, more), users.remove)

export const bodyOf = ({ body }: StoredResponse) => JSON.parse(body ?? 'null') as Record<string, never>

export const outcomeOf = ({ headers }: StoredResponse) => headers['idempotency-outcome']?.replace(/;.*/, '')

/** What is in the database: users beside the admin, and the trail. */
export const stateOf = (app: AppContext) =>
  inTransaction(app, system, async (db) => ({
    users: await db
      .selectFrom('portal_user')
      .select(['id', 'name', 'status', 'row_version', 'change'])
      .where('email', 'not like', 'admin@%')
      .orderBy('id')
      .execute(),
    trail: await db
      .selectFrom('audit_entry')
      .select(['operation', 'status', 'intent', 'exec_user_name', 'request_id', 'info'])
      .orderBy('id')
      .execute(),
  }))
