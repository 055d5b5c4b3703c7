import * as z from 'zod/mini'
import { toPendingModule } from '#domain/catalogue/modules.ts'
import { moduleRowNames } from '#domain/row-names.ts'
import { defineEndpoint, type ListSpec, type VersionedRow } from '#contract/endpoint.ts'
import {
  changesOutput,
  clientType,
  line,
  pageQuery,
  pageOutput,
  ref,
  getSortNames,
  text,
  timestamp,
  wordCode,
} from '#contract/values.ts'

const codes = z.array(wordCode).check(z.maxLength(500))

const fields = z.object({
  code: wordCode,
  name: line(100, 1),
  type: clientType,
  hidden: z.boolean(),
  dependencies: codes,
  /** For a hidden module: the visible modules that add it, either all of them or any of them (D77). */
  conditions: codes,
  any_condition: z.boolean(),
  apps: z
    .array(z.object({ code: wordCode, flag: z.record(text(60), z.union([z.boolean(), z.int()])) }))
    .check(z.maxLength(500)),
})

const moduleRow = z.object({
  id: z.int(),
  ...fields.shape,
  // The name is not validated, because rows that were stored before the rule for names must stay readable.
  name: z.string(),
  version: z.string(),
  create_time: timestamp,
  row_version: z.int(),
})
export type ModuleRow = Omit<z.output<typeof moduleRow>, 'id'> & VersionedRow

export const moduleListSpec = {
  table: 'modules',
  row: moduleRow,
  sorts: { id: 'number', code: 'text', name: 'text', version: 'text', create_time: 'time' },
  sort: ['code', 'asc'],
  filters: {
    hidden: { kind: 'equal', column: 'hidden' },
    type: { kind: 'equal', column: 'type' },
    searchText: { kind: 'contains', columns: ['code', 'name'] },
  },
  scope: null,
} satisfies ListSpec

export const listModules = defineEndpoint({
  name: 'listModules',
  method: 'GET',
  path: '/api/module',
  summary: 'Lists modules, filtered by client type and by whether they are hidden',
  access: 'orderOrProviderAdmin',
  matrix: 'Z-30',
  query: pageQuery(getSortNames(moduleListSpec), {
    hidden: z.optional(z.boolean()),
    type: z.optional(clientType),
    searchText: z.optional(text(100)),
  }),
  output: z.union([pageOutput(moduleRow), changesOutput(moduleRow)]),
  offline: 'list',
  list: moduleListSpec,
})

const typeQuery = z.object({ type: z._default(clientType, 'saas') })

export const listModuleChoices = defineEndpoint({
  name: 'listModuleChoices',
  method: 'GET',
  path: '/api/module/info',
  summary: 'Returns the modules of a client type with their dependencies',
  access: 'orderOrProviderAdmin',
  matrix: 'Z-30',
  query: typeQuery,
  output: z.array(
    z.object({
      id: z.int(),
      code: z.string(),
      name: z.string(),
      hidden: z.boolean(),
      dependencies: z.array(z.string()),
      conditions: z.array(z.string()),
      any_condition: z.boolean(),
    }),
  ),
  offline: 'read',
})

const table = 'modules'
const byId = z.object({ id: ref('module') })

export const createModule = defineEndpoint({
  name: 'createModule',
  method: 'POST',
  path: '/api/module',
  summary: 'Creates a module; the server generates the code of a hidden module if none is sent',
  access: 'providerAdmin',
  matrix: 'Z-30',
  body: z.extend(z.partial(z.omit(fields, { name: true })), { name: fields.shape.name }),
  output: moduleRow,
  offline: 'queue',
  queue: {
    kind: 'module',
    table,
    target: () => null,
    overlay: (_row, { body }, write) => toPendingModule(body, write),
    versioned: false,
    names: moduleRowNames,
  },
})

export const getModule = defineEndpoint({
  name: 'getModule',
  method: 'GET',
  path: '/api/module/:id',
  summary: 'Returns a module with its apps',
  access: 'providerAdmin',
  matrix: 'Z-30',
  params: byId,
  output: moduleRow,
  offline: 'read',
})

export const updateModule = defineEndpoint({
  name: 'updateModule',
  method: 'PUT',
  path: '/api/module/:id',
  summary: 'Changes a module',
  access: 'providerAdmin',
  matrix: 'Z-30',
  params: byId,
  body: z.partial(fields),
  output: moduleRow,
  offline: 'queue',
  queue: {
    kind: 'module',
    table,
    target: ({ params }) => params.id,
    overlay: (row, { body }) => row && ({ ...row, ...body } as ModuleRow),
    versioned: true,
    names: moduleRowNames,
  },
})

export const deleteModule = defineEndpoint({
  name: 'deleteModule',
  method: 'DELETE',
  path: '/api/module/:id',
  summary: 'Deletes a module, unless another module or a price list uses it (STATE_CONFLICT)',
  access: 'providerAdmin',
  matrix: 'Z-30',
  params: byId,
  output: null,
  offline: 'queue',
  queue: {
    kind: 'module',
    table,
    target: ({ params }) => params.id,
    overlay: () => null,
    versioned: true,
    names: moduleRowNames,
  },
})

const dependents = z.array(z.object({ id: z.int(), code: z.string(), name: z.string() }))

export const getModuleRelations = defineEndpoint({
  name: 'getModuleRelations',
  method: 'GET',
  path: '/api/module/relation',
  summary: 'Lists the modules that depend on a module, hidden and visible ones separately',
  access: 'providerAdmin',
  matrix: 'Z-30',
  query: z.object({ code: wordCode, type: z._default(clientType, 'saas') }),
  output: z.object({ hidden: dependents, visible: dependents }),
  offline: 'online',
})

export const listJoinedContracts = defineEndpoint({
  name: 'listJoinedContracts',
  method: 'GET',
  path: '/api/module/contracts',
  summary:
    'Lists the effective contracts that a hidden module with these conditions joins at their next change or extension',
  access: 'providerAdmin',
  matrix: 'Z-30',
  query: z.object({
    type: z._default(clientType, 'saas'),
    conditions: z.string().check(z.regex(/^\w{1,60}(,\w{1,60}){0,499}$/)),
    any: z._default(z.boolean(), false),
  }),
  output: z.object({
    count: z.int(),
    /** At most 50 contracts, ordered by company and service. */
    data: z.array(
      z.object({ company_code: z.string(), company_name: z.string(), service_code: z.string(), code: z.string() }),
    ),
  }),
  offline: 'online',
})

export const validateModules = defineEndpoint({
  name: 'validateModules',
  method: 'POST',
  path: '/api/module/validate',
  summary: 'Returns the missing apps, dependency loops and incompatible app versions of a set of modules',
  access: 'providerAdmin',
  matrix: 'Z-30',
  query: typeQuery,
  body: z.array(wordCode).check(z.minLength(1), z.maxLength(500)),
  output: z.object({
    apps_missing: z.array(z.string()),
    apps_loop: z.array(z.array(z.string())),
    /** `err_data` lists the versions that each app requires of other apps (contracts 8). */
    apps_incompatible: z.array(
      z.object({ app_code: z.string(), err_data: z.array(z.object({ code: z.string(), version: z.string() })) }),
    ),
  }),
  offline: 'online',
})
