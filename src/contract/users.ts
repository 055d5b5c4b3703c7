import * as z from 'zod/mini'
import { type AccessLevel, environments } from '#domain/access.ts'
import { getLockedFields, type UserFields, statusAfterUserAction, userStatus } from '#domain/accounts/users.ts'
import { userRowNames } from '#domain/row-names.ts'
import { defineEndpoint, type ListSpec, type RowRef, type QueueSpec, type VersionedRow } from '#contract/endpoint.ts'
import { changesOutput, pageQuery, pageOutput, ref, getSortNames, text, timestamp } from '#contract/values.ts'

export const title = z.union([z.literal(0), z.literal(1), z.literal(2)])
export const accessLevel = z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3), z.literal(100)])
export const language = z.enum(['en', 'zh'])

export const userRow = z.object({
  id: z.int(),
  name: text(100),
  email: text(254),
  title,
  admin: z.boolean(),
  order: z.boolean(),
  alert: z.boolean(),
  status: z.union([z.literal(-2), z.literal(-1), z.literal(0), z.literal(1)]),
  avatar: z.nullable(z.string()),
  language,
  access_level: accessLevel,
  company_id: z.int(),
  company_name: z.string(),
  company_code: z.string(),
  create_time: timestamp,
  /** Time of the latest activation mail. Rows that a device stored in earlier versions do not have it. */
  invite_time: z.optional(timestamp),
  update_time: timestamp,
  row_version: z.int(),
})
export type UserRow = Omit<z.output<typeof userRow>, 'id'> & VersionedRow

export const userListSpec = {
  table: 'users',
  row: userRow,
  sorts: {
    id: 'number',
    name: 'text',
    email: 'text',
    title: 'number',
    status: 'number',
    admin: 'flag',
    order: 'flag',
    alert: 'flag',
    create_time: 'time',
    update_time: 'time',
  },
  sort: ['name', 'asc'],
  filters: {
    statusType: { kind: 'equal', column: 'status' },
    includedDel: { kind: 'shows', column: 'status', value: userStatus.deleted },
    searchText: { kind: 'contains', columns: ['name', 'email'] },
  },
  scope: { column: 'company_id', param: 'companyId' },
} satisfies ListSpec

/** portal 2: filters by status type and includes deleted users (D91). The search box is an addition of the portal. */
export const listUsers = defineEndpoint({
  name: 'listUsers',
  method: 'GET',
  path: '/api/m18s/company/:companyId/users',
  summary: "Lists the users of the caller's company or, for a provider admin, of any company",
  access: 'admin',
  matrix: 'Z-10',
  params: z.object({ companyId: ref('company') }),
  query: pageQuery(getSortNames(userListSpec), {
    statusType: z.optional(z.union([z.literal(-2), z.literal(-1), z.literal(0), z.literal(1)])),
    includedDel: z.optional(z.boolean()),
    searchText: z.optional(text(100)),
  }),
  output: z.union([pageOutput(userRow), changesOutput(userRow)]),
  offline: 'list',
  list: userListSpec,
})

const newUser = z.object({
  title,
  name: text(100),
  email: text(254),
  admin: z._default(z.boolean(), false),
  order: z._default(z.boolean(), false),
  alert: z._default(z.boolean(), false),
  access_level: z._default(accessLevel, 0),
})

const createOverlay =
  (fields: Partial<UserRow>) =>
  (row: VersionedRow | null): VersionedRow | null =>
    row && { ...row, ...fields }

/**
 * Returns true if the input grants admin rights or an access level above production. The delete level allows everything that an admin may
 * do, and more (D46).
 */
const isGrantingAdmin = ({ body }: { body: { admin?: boolean | undefined; access_level?: AccessLevel | undefined } }) =>
  body.admin === true || (body.access_level ?? environments.production) !== environments.production

const byId = z.object({ id: ref('user') })
const createStatusQueue = (status: UserRow['status']): QueueSpec<{ params: { id: RowRef } }> => ({
  kind: 'user',
  table: 'users',
  target: (input) => input.params.id,
  overlay: (row) => createOverlay({ status })(row),
  versioned: true,
})

export const createUser = defineEndpoint({
  name: 'createUser',
  method: 'POST',
  path: '/api/m18s/user',
  summary: "Creates a user in the caller's company and sends the activation mail",
  access: 'admin',
  matrix: 'Z-10',
  body: newUser,
  output: userRow,
  offline: 'queue',
  queue: {
    kind: 'user',
    table: 'users',
    target: () => null,
    overlay: (_row, { body }, { intent, companyId }) =>
      ({
        admin: false,
        order: false,
        alert: false,
        access_level: 0,
        ...body,
        id: `~${intent}`,
        status: userStatus.deactivated,
        avatar: null,
        language: 'en',
        company_id: companyId,
        company_name: '',
        company_code: '',
        create_time: '',
        invite_time: '',
        update_time: '',
        row_version: 0,
      }) as UserRow,
    versioned: false,
    names: userRowNames,
    mustNotQueue: ({ body }) => (body.access_level ?? 0) !== 0,
  },
  stepUp: isGrantingAdmin,
})

/** Admin flag and access level change the rights of others immediately, so these changes are never queued. */
const isChangingAccess = (body: Partial<UserFields>) => body.admin !== undefined || body.access_level !== undefined

export const updateCompanyUser = defineEndpoint({
  name: 'updateCompanyUser',
  method: 'PUT',
  path: '/api/m18s/company-user/:id',
  summary: "Changes a user of the caller's company; changes of locked fields are refused (VALIDATION_ERROR)",
  access: 'admin',
  matrix: 'Z-10',
  params: byId,
  body: z.partial(
    z.object({
      title,
      name: text(100),
      admin: z.boolean(),
      order: z.boolean(),
      alert: z.boolean(),
      access_level: accessLevel,
    }),
  ),
  output: userRow,
  offline: 'queue',
  queue: {
    kind: 'user',
    table: 'users',
    target: ({ params }) => params.id,
    overlay: (row, { body }) => createOverlay(body as Partial<UserRow>)(row),
    versioned: true,
    // The user may have been activated meanwhile, and then has their name to themselves.
    getLockedFields: (row) => getLockedFields(row as UserRow, { isSelf: false }),
    mustNotQueue: ({ body }) => isChangingAccess(body as Partial<UserFields>),
  },
  stepUp: isGrantingAdmin,
})

export const deleteUser = defineEndpoint({
  name: 'deleteUser',
  method: 'DELETE',
  path: '/api/m18s/user/:id',
  summary: 'Marks a user as deleted and ends all sessions of that user',
  access: 'admin',
  matrix: 'Z-10',
  params: byId,
  output: null,
  offline: 'queue',
  queue: { ...createStatusQueue(statusAfterUserAction.remove), names: userRowNames },
  stepUp: () => true,
})

export const sendActivationMail = defineEndpoint({
  name: 'sendActivationMail',
  method: 'POST',
  path: '/api/users/activatemail/:id',
  summary: 'Sends the activation mail to a user again',
  access: 'admin',
  matrix: 'Z-10',
  params: byId,
  output: userRow,
  offline: 'queue',
  queue: createStatusQueue(statusAfterUserAction.activatemail),
})

export const disableUser = defineEndpoint({
  name: 'disableUser',
  method: 'POST',
  path: '/api/users/disable/:id',
  summary: 'Disables a user and ends all sessions of that user',
  access: 'admin',
  matrix: 'Z-10',
  params: byId,
  output: userRow,
  offline: 'queue',
  queue: createStatusQueue(statusAfterUserAction.disable),
})

export const enableUser = defineEndpoint({
  name: 'enableUser',
  method: 'POST',
  path: '/api/users/enable/:id',
  summary: 'Enables a disabled user',
  access: 'admin',
  matrix: 'Z-10',
  params: byId,
  output: userRow,
  offline: 'queue',
  queue: createStatusQueue(statusAfterUserAction.enable),
})
