/** Builds writes as the routes pass them on, with endpoints of the contract and the user use cases. */
import { randomUUID } from 'node:crypto'
import type { Endpoint, ParsedInputOf } from '#contract/endpoint.ts'
import { createUser, deleteUser, updateCompanyUser } from '#contract/users.ts'
import type { Caller } from '#domain/access.ts'
import type { StoredResponse, WriteRequest } from '#server/commands/write-command.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import * as users from '#server/use-cases/accounts/users.ts'
import { executeWrite } from '#server/commands/execute.ts'
import { system } from '#tests/support/server/people.ts'

type WriteOverrides = Partial<Omit<WriteRequest, 'endpoint' | 'input'>>

export function buildWriteRequest<E extends Endpoint>(
  endpoint: E,
  caller: Caller | null,
  input: ParsedInputOf<E>,
  overrides: WriteOverrides = {},
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
    predecessorIntent: null,
    hasWaited: false,
    body,
    caller,
    sessionId: null,
    requestId: 'request-1',
    language: 'en',
    checkPermission: () => undefined,
    requirePassword: () => undefined,
    ...overrides,
    input,
  } satisfies WriteRequest<E>
}

export interface NewUserInput {
  name: string
  email: string
}

export const executeCreateUser = (
  app: AppContext,
  caller: Caller,
  user: NewUserInput,
  overrides: WriteOverrides = {},
): Promise<StoredResponse> => {
  const body = { title: 0 as const, admin: false, order: false, alert: false, access_level: 0 as const, ...user }
  return executeWrite(
    app,
    buildWriteRequest(createUser, caller, { params: {}, query: {}, body }, overrides),
    users.create,
  )
}

type UserReference = number | `~${string}`

export const executeRenameUser = (
  app: AppContext,
  caller: Caller,
  id: UserReference,
  name: string,
  overrides: WriteOverrides = {},
): Promise<StoredResponse> => {
  const input = { params: { id }, query: {}, body: { name } }
  return executeWrite(app, buildWriteRequest(updateCompanyUser, caller, input, overrides), users.update)
}

export const executeDeleteUser = (
  app: AppContext,
  caller: Caller,
  id: UserReference,
  overrides: WriteOverrides = {},
): Promise<StoredResponse> =>
  executeWrite(
    app,
    buildWriteRequest(deleteUser, caller, { params: { id }, query: {}, body: undefined }, overrides),
    users.remove,
  )

export const parseBody = ({ body }: StoredResponse) => JSON.parse(body ?? 'null') as Record<string, never>

export const getOutcome = ({ headers }: StoredResponse) => headers['idempotency-outcome']?.replace(/;.*/, '')

/** Reads the state of the database: users other than the admin, and the audit trail. */
export const readState = (app: AppContext) =>
  runInTransaction(app, system, async (db) => ({
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
