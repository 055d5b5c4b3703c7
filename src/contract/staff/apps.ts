import * as z from 'zod/mini'
import { mappFaults, mappLimits } from '#domain/catalogue/mapp.ts'
import { defineEndpoint, type ListSpec } from '#contract/endpoint.ts'
import {
  changesOutput,
  pageQuery,
  pageOutput,
  plainDate,
  randomId,
  getSortNames,
  text,
  timestamp,
} from '#contract/values.ts'

/** A setting that a module can pass to the app. */
const appFlag = z.object({
  key: z.string(),
  name: z.string(),
  type: z.enum(['boolean', 'int']),
  default: z.union([z.boolean(), z.int()]),
})

const appRow = z.object({
  id: z.int(),
  code: z.string(),
  name: z.string(),
  version: z.string(),
  icon: z.nullable(z.string()),
  markdown: z.nullable(z.string()),
  flag: z.array(appFlag),
  /** Apps that this app needs, with their minimum versions. */
  requires: z.array(z.object({ code: z.string(), version: z.string() })),
  /** SHA-256 of the package. Null if the app was published before packages existed. */
  sha256: z.nullable(z.string()),
  create_time: timestamp,
  update_time: timestamp,
  row_version: z.int(),
})

export type AppRow = z.output<typeof appRow>

export const appListSpec = {
  table: 'apps',
  row: appRow,
  sorts: { id: 'number', code: 'text', name: 'text', version: 'text', create_time: 'time', update_time: 'time' },
  sort: ['code', 'asc'],
  filters: { searchText: { kind: 'contains', columns: ['code', 'name'] } },
  scope: null,
} satisfies ListSpec

const searchFields = { searchText: z.optional(text(100)) }

export const listApps = defineEndpoint({
  name: 'listApps',
  method: 'GET',
  path: '/api/app',
  summary: 'Lists the latest version of each app',
  access: 'providerAdmin',
  matrix: 'Z-30',
  query: pageQuery(getSortNames(appListSpec), searchFields),
  output: z.union([pageOutput(appRow), changesOutput(appRow)]),
  offline: 'list',
  list: appListSpec,
})

const historyRow = z.object({
  id: z.int(),
  code: z.string(),
  name: z.string(),
  version: z.string(),
  create_time: timestamp,
  icon: z.nullable(z.string()),
  markdown: z.nullable(z.string()),
  row_version: z.int(),
})

const appHistoryListSpec = {
  table: 'app_history',
  row: historyRow,
  sorts: { id: 'number', code: 'text', name: 'text', version: 'text', create_time: 'time' },
  sort: ['create_time', 'desc'],
  filters: { searchText: { kind: 'contains', columns: ['code', 'name'] } },
  scope: null,
} satisfies ListSpec

export const listAppHistory = defineEndpoint({
  name: 'listAppHistory',
  method: 'GET',
  path: '/api/apphistory',
  summary: 'Lists all published versions of apps with their change logs',
  access: 'providerAdmin',
  matrix: 'Z-29',
  query: pageQuery(getSortNames(appHistoryListSpec), searchFields),
  output: z.union([pageOutput(historyRow), changesOutput(historyRow)]),
  offline: 'list',
  list: appHistoryListSpec,
})

const md5 = z.string().check(z.regex(/^[0-9a-f]{32}$/))

const uploadedFile = z.object({
  name: z.string(),
  md5,
  module: z.string(),
  module_name: z.string(),
  release_date: z.nullable(plainDate),
  version: z.string(),
  min_version_required: z.nullable(z.string()),
  /** Null if there is no app with this code. */
  current_version: z.nullable(z.string()),
  /** 0 add, 1 upgrade, 2 already exists, 3 version conflict (D79). */
  status: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  why: z.nullable(z.enum(['lower', 'min_version', 'other_bytes'])),
  /** Code of the app, not of the module. */
  code: z.string(),
  app_name: z.string(),
  provider: z.string(),
  sha256: z.string(),
  size: z.int(),
  flag: z.array(appFlag),
  requires: z.array(z.object({ code: z.string(), version: z.string() })),
  icon: z.nullable(z.string()),
  markdown: z.nullable(z.string()),
})

const fault = z.object({ code: z.enum(mappFaults), named: z.optional(z.string()) })

export const uploadApp = defineEndpoint({
  name: 'uploadApp',
  method: 'POST',
  path: '/api/app/upload',
  summary: 'Uploads a .mapp package and returns its details without publishing it',
  access: 'providerAdmin',
  matrix: 'Z-31',
  body: z.object({ file: z.unknown() }),
  encoding: 'multipart',
  fileBytes: mappLimits.packed,
  output: z.array(uploadedFile),
  offline: 'online',
})

/** Packages are uploaded in pieces (tus 1.0) under `/api/app/upload/tus/`. These requests bypass the service worker. */
export const listUploads = defineEndpoint({
  name: 'listUploads',
  method: 'GET',
  path: '/api/app/upload',
  summary: "Lists the caller's unpublished uploads, complete or not; each is stored for one day",
  access: 'providerAdmin',
  matrix: 'Z-31',
  output: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      /** Size of the file and received part of it, in bytes. */
      size: z.int(),
      received: z.int(),
      state: z.enum(['receiving', 'read', 'refused']),
      fault: z.nullable(fault),
      file: z.nullable(uploadedFile),
    }),
  ),
  offline: 'online',
})

export const publishApps = defineEndpoint({
  name: 'publishApps',
  method: 'POST',
  path: '/api/app',
  summary: 'Publishes uploaded packages that are new apps or upgrades, one version of each',
  access: 'providerAdmin',
  matrix: 'Z-31',
  body: z.object({
    modules: z.array(md5).check(z.minLength(1), z.maxLength(200)),
    progressKey: z.optional(randomId),
  }),
  output: z.array(uploadedFile),
  offline: 'online',
  job: 'publish-apps',
})

export const getResource = defineEndpoint({
  name: 'getResource',
  method: 'GET',
  path: '/public/resource/:id',
  summary: 'Returns an icon or a change log by its random id; the content never changes',
  access: 'anybody',
  matrix: 'Z-29',
  params: z.object({ id: randomId }),
  output: z.unknown(),
  offline: 'read',
  responseType: 'bytes',
})
