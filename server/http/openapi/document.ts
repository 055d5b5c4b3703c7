/** Builds an OpenAPI 3.1 document only from the contract, so that it matches what the server checks. */
import type { AccessRule } from '#domain/access.ts'
import type { Endpoint, ObjectSchema, ValueSchema } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { endpointsByNoun } from '#contract/index.ts'
import { problemStatus } from '#contract/problem.ts'
import { type JsonSchema, toJsonSchema } from '#server/http/openapi/schema.ts'

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: JsonSchema
}

type OpenApiContent = Record<string, { schema: JsonSchema }>
export interface OpenApiOperation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters: (OpenApiParameter | { $ref: string })[]
  requestBody?: { required: boolean; content: OpenApiContent }
  responses: Record<string, { $ref: string } | { description: string; content?: OpenApiContent; headers?: unknown }>
  security: Record<string, string[]>[]
  'x-who': AccessRule
  'x-offline': Endpoint['offline']
  [extension: string]: unknown
}

export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    parameters: Record<string, OpenApiParameter>
    responses: Record<string, { description: string; content: OpenApiContent }>
    securitySchemes: Record<string, unknown>
  }
}

const description = `An error is \`{errorCode, errorMessage, data}\`. A list is \`{count, data}\`, or with \`since\` \`{changed, gone, upto}\`:
the changed rows, the ids of deleted rows, and the number for the next request.

Amounts are strings with two decimals, dates are YYYY-MM-DD, and timestamps are yyyy-MM-dd HH:mm:ss in the business time zone. A missing
value is null; its field is never omitted.

A PUT takes the id of its row in the path or as \`id\` in the body. A request for a row of another company returns 404.

Send Idempotency-Key with every write. A request with the same key returns the stored response and has no second effect. \`~{intent}\`
in place of an id refers to the row created by the write with that intent, which is the key of its first attempt.

Calls that this server does not support return 501 NOT_SUPPORT.`

export function buildDocument(
  endpoints: readonly Endpoint[],
  info: Pick<OpenApiDocument['info'], 'title' | 'version'>,
): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = { ...sharedSchemas }
  const paths: OpenApiDocument['paths'] = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: buildOperation(endpoint, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { ...info, description },
    servers: [{ url: '/' }],
    tags: Object.keys(endpointsByNoun).map((name) => ({ name })),
    paths,
    components: {
      schemas,
      parameters: headerParameters,
      responses: buildProblemResponses(),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'Access token returned by POST /api/m18s/token' },
        client: {
          type: 'http',
          scheme: 'basic',
          description: 'Identifies the client as saas-web:public. The credential is public and protects nothing.',
        },
      },
    },
  }
}

const sharedSchemas: Record<string, JsonSchema> = {
  Id: {
    description: 'Id of a row, or ~{intent} of the write that creates it',
    anyOf: [
      { type: 'integer', minimum: 1, maximum: 2_147_483_647 },
      { type: 'string', pattern: '^~[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' },
    ],
  },
  Problem: {
    type: 'object',
    properties: {
      errorCode: { type: 'string', description: 'Stable code for programs. The text of errorMessage can change.' },
      errorMessage: { type: 'string', description: 'Text in the language of Accept-Language: en or zh' },
      data: {
        description:
          'Details that depend on errorCode, such as invalid fields, the current row, or the user who holds the lock',
      },
    },
    required: ['errorCode', 'errorMessage', 'data'],
  },
  TokenProblem: {
    type: 'object',
    properties: {
      error: { type: 'string' },
      error_description: { type: 'string' },
      errorCode: { type: 'string' },
      errorMessage: { type: 'string' },
      data: {},
    },
    required: ['error', 'error_description', 'errorCode'],
  },
  Started: {
    type: 'object',
    properties: {
      location: { type: 'string' },
      progressKey: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      deadline: { type: 'integer', description: 'Time in epoch ms after which the request has timed out' },
    },
    required: ['location', 'progressKey', 'deadline'],
  },
}

const headerParameters: OpenApiDocument['components']['parameters'] = {
  Key: {
    name: headers.key,
    in: 'header',
    description: 'UUID that identifies this request. The response repeats it.',
    schema: { type: 'string', format: 'uuid' },
  },
  Intent: {
    name: headers.intent,
    in: 'header',
    description: 'Idempotency-Key of the first attempt, if this request is a further attempt at the same write',
    schema: { type: 'string', format: 'uuid' },
  },
  ForUser: {
    name: headers.forUser,
    in: 'header',
    description:
      '{company id}:{user id} of the user who made the write. An access token of another user is refused with WRONG_SESSION.',
    schema: { type: 'string', pattern: '^\\d+:\\d+$' },
  },
  Version: {
    name: 'if-match',
    in: 'header',
    description:
      '"{row_version}" that was read, or "~{intent}" for the version after that write. 412 if the row has another version.',
    schema: { type: 'string' },
  },
}

function buildProblemResponses(): OpenApiDocument['components']['responses'] {
  const codes = new Map<number, string[]>()
  for (const [code, status] of Object.entries(problemStatus)) codes.set(status, [...(codes.get(status) ?? []), code])
  return Object.fromEntries(
    [...codes].map(([status, names]) => [
      `Problem${status}`,
      { description: names.join(', '), content: toJsonContent({ $ref: '#/components/schemas/Problem' }) },
    ]),
  )
}

const toJsonContent = (schema: JsonSchema): OpenApiContent => ({ 'application/json': { schema } })

const nounByCall = new Map(
  Object.entries(endpointsByNoun).flatMap(([noun, rows]) => rows.map((row) => [row.name, noun] as const)),
)
const isWrite = (endpoint: Endpoint) => endpoint.method !== 'GET'
/** Returns true for calls whose responses are stored in the idempotency store. */
const isKeyed = (endpoint: Endpoint) => isWrite(endpoint) && !endpoint.secret && endpoint.name !== 'sendBatch'

function buildOperation(endpoint: Endpoint, schemas: Record<string, JsonSchema>): OpenApiOperation {
  const body = buildRequestBody(endpoint, schemas)
  return {
    operationId: endpoint.name,
    summary: endpoint.summary,
    ...(endpoint.description === undefined ? {} : { description: endpoint.description }),
    tags: [nounByCall.get(endpoint.name) ?? 'other'],
    parameters: buildParameters(endpoint, schemas),
    ...(body ? { requestBody: body } : {}),
    responses: buildResponses(endpoint, schemas),
    security: endpoint.name === 'grantToken' ? [{ client: [] }] : endpoint.access === 'anybody' ? [] : [{ bearer: [] }],
    'x-who': endpoint.access,
    'x-offline': endpoint.offline,
    ...buildTraits(endpoint),
  }
}

/** Describes what the client does with the call, without the endpoint's functions, which a document cannot contain. */
function buildTraits({ list, queue, job, secret }: Endpoint) {
  return {
    ...(list && {
      'x-fills': {
        table: list.table,
        sorts: list.sorts,
        sort: list.sort,
        filters: list.filters,
        scope: list.scope,
      },
    }),
    ...(queue && { 'x-queues': { kind: queue.kind, table: queue.table, versioned: queue.versioned } }),
    ...(job && { 'x-relays': job }),
    ...(secret && { 'x-secret': true }),
  }
}

function buildParameters(endpoint: Endpoint, schemas: Record<string, JsonSchema>): OpenApiOperation['parameters'] {
  const listParameters = (location: 'path' | 'query', schema: ValueSchema | undefined): OpenApiParameter[] => {
    const { properties = {}, required = [] } = schema ? toJsonSchema(schema, 'input', schemas) : {}
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      schema: property,
    }))
  }
  const toParameterRef = (name: string) => ({ $ref: `#/components/parameters/${name}` })
  return [
    ...listParameters('path', endpoint.params),
    ...listParameters('query', endpoint.query),
    ...(isKeyed(endpoint) ? [toParameterRef('Key'), toParameterRef('Intent')] : []),
    ...(isKeyed(endpoint) && endpoint.access !== 'anybody' ? [toParameterRef('ForUser')] : []),
    ...(endpoint.queue?.versioned ? [toParameterRef('Version')] : []),
  ]
}

function buildRequestBody(endpoint: Endpoint, schemas: Record<string, JsonSchema>): OpenApiOperation['requestBody'] {
  if (!endpoint.body) return undefined
  const schema = toJsonSchema(endpoint.body, 'input', schemas)
  const required = true
  if (endpoint.encoding === 'multipart') {
    for (const name of Object.keys(schema.properties ?? {}))
      schema.properties = { ...schema.properties, [name]: { type: 'string', format: 'binary' } }
    return { required, content: { 'multipart/form-data': { schema } } }
  }
  // Calls with form encoding also accept JSON (D59).
  const form: OpenApiContent = endpoint.encoding === 'form' ? { 'application/x-www-form-urlencoded': { schema } } : {}
  return { required, content: { ...form, ...toJsonContent(schema) } }
}

function buildResponses(endpoint: Endpoint, schemas: Record<string, JsonSchema>): OpenApiOperation['responses'] {
  const isToken = endpoint.name === 'grantToken'
  const describeProblem = (status: number) =>
    isToken ? tokenProblem : { $ref: `#/components/responses/Problem${status}` }
  const problemResponses = Object.fromEntries(
    listProblemStatuses(endpoint).map((status) => [String(status), describeProblem(status)]),
  )
  return {
    ...buildSuccessResponses(endpoint, schemas),
    ...problemResponses,
    ...(endpoint.responseType === 'html' && { 404: missingDocument }),
    ...(relaysOutcome(endpoint) && { default: relayedOutcome }),
  }
}

const missingDocument = {
  description: 'The document does not exist, or its address has expired. A browser gets a page.',
  content: { ...toJsonContent({ $ref: '#/components/schemas/Problem' }), 'text/html': { schema: { type: 'string' } } },
}

/** Returns true for calls that return the status and body of another call. */
const relaysOutcome = ({ offline, name }: Endpoint) => offline === 'relay' || name === 'voidRequest'

const relayedOutcome = {
  description: 'Status and body of the request that the id names',
  content: toJsonContent({}),
}

/** Returns the statuses of the errors that this call may return, besides those of a server that has failed. */
function listProblemStatuses(endpoint: Endpoint): number[] {
  const { params, query, body, list, encoding } = endpoint
  return [
    400,
    ...listAccessStatuses(endpoint),
    ...((params ?? query ?? body) ? [404] : []),
    ...(list ? [410] : []),
    ...(hasPrecondition(endpoint) ? [412] : []),
    ...(encoding === 'multipart' ? [413, 415] : []),
    ...(isKeyed(endpoint) ? [422, 423, 424] : []),
    429,
    501,
    503,
  ]
}

function listAccessStatuses(endpoint: Endpoint): number[] {
  const { path, access, params, secret } = endpoint
  const isOpen = access === 'anybody'
  // These calls check a password, a token or a signature themselves.
  const hasCredential = path.startsWith('/api/') || (isWrite(endpoint) && secret === true)
  return [
    ...(isOpen && !hasCredential ? [] : [401]),
    ...(isOpen || access === 'user' ? [] : [403]),
    // A call about another user conflicts with the id of the caller, even if it only reads.
    ...(isWrite(endpoint) || (params && access === 'admin') ? [409] : []),
  ]
}

const hasPrecondition = ({ queue, query, body }: Endpoint) =>
  queue?.versioned === true || hasField(query, 'row_version') || hasField(body, 'row_version')

const hasField = (schema: ValueSchema | undefined, name: string) =>
  name in ((schema as ObjectSchema | undefined)?.shape ?? {})

const tokenProblem = {
  description: 'Error in the format of OAuth 2.0, with errorCode and errorMessage',
  content: toJsonContent({ $ref: '#/components/schemas/TokenProblem' }),
}

function buildSuccessResponses(endpoint: Endpoint, schemas: Record<string, JsonSchema>): OpenApiOperation['responses'] {
  const startedResponses = endpoint.job && {
    202: {
      description: 'Accepted. Poll the address in Location until it returns the final response.',
      headers: { Location: { schema: { type: 'string' } } },
      content: toJsonContent({ $ref: '#/components/schemas/Started' }),
    },
  }
  if (endpoint.output === null) return { ...startedResponses, 204: { description: 'Success, without a body' } }
  if (endpoint.responseType) {
    // A file has the type of its content, and a document that a browser opens is a page or a PDF.
    const content: OpenApiContent = { '*/*': { schema: {} } }
    return { 200: { description: 'Success, with the content as the body', content } }
  }
  return {
    ...startedResponses,
    200: { description: 'Success', content: toJsonContent(toJsonSchema(endpoint.output, 'output', schemas)) },
  }
}
