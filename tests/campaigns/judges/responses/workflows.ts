/**
 * Builds an Arazzo description that sends every call of the contract, as several people and with several values. Order, ids, keys and
 * sign-in come from the table of the contract and from rows that the portal returned, so a new call needs no change here.
 */
import { randomUUID } from 'node:crypto'
import type { Endpoint, ObjectSchema, ValueSchema } from '#contract/endpoint.ts'
import { headers } from '#contract/headers.ts'
import { getRequest } from '#contract/requests.ts'
import { getRefKind } from '#contract/values.ts'
import { buildFields, type BuildOptions, buildValue } from '#tests/campaigns/judges/responses/build-value.ts'
import type { KnownValues } from '#tests/campaigns/judges/responses/known-values.ts'

export interface Caller {
  name: string
  knownValues: KnownValues
  /** Returns a header `authorization` of a new session, or null for a visitor. */
  authorize(): Promise<string | null>
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  value: unknown
}

interface Step {
  stepId: string
  operationId: string
  parameters: Parameter[]
  requestBody?: { contentType: string; payload: unknown }
}

export interface Workflow {
  workflowId: string
  steps: Step[]
}

/** Requests per call and caller: with two different values of each field, then with all fields of the body that may be missing. */
const variants = [
  { variant: 0, hasOptionalFields: false },
  { variant: 1, hasOptionalFields: false },
  { variant: 0, hasOptionalFields: true },
] as const

/** Reads come before writes, then calls with passwords and keys, then deletions. */
const getRank = ({ method, secret }: Endpoint) =>
  method === 'GET' ? 0 : (method === 'DELETE' ? 3 : 1) + (secret ? 1 : 0)

/** Deletions run against the order of the contract, whose first nouns are accounts and sessions: they end the sessions of other calls. */
function sortEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  const isDeletion = ({ method }: Endpoint) => method === 'DELETE'
  const sorted = [
    ...endpoints.filter((endpoint) => !isDeletion(endpoint)),
    ...endpoints.filter(isDeletion).toReversed(),
  ]
  return sorted.toSorted((a, b) => getRank(a) - getRank(b))
}

/** Returns the parameters of path and query. An id that is not known is replaced by one that no row has. */
export function buildParameters({ path, params, query }: Endpoint, options: BuildOptions): Parameter[] {
  const pathParameters = Object.entries((params?.shape ?? {}) as Record<string, ValueSchema>).map(
    ([name, schema]): Parameter => {
      const preferred = getRefKind(schema) ? [] : options.knownValues.listPathValues(path, name)
      return { name, in: 'path', value: buildValue(schema, name, options, preferred) ?? 2_000_000_000 }
    },
  )
  const queryFields = query ? buildFields(query, { ...options, hasOptionalFields: false }) : {}
  return [
    ...pathParameters,
    ...Object.entries(queryFields).map(([name, value]): Parameter => ({ name, in: 'query', value })),
  ]
}

function buildBody({ body, encoding }: Endpoint, options: BuildOptions, files: readonly string[]): Step['requestBody'] {
  if (!body) return undefined
  if (encoding !== 'multipart') {
    const contentType = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json'
    const payload = buildValue(body, '', options) ?? {}
    // `respect` sends no body instead of an empty object.
    const isEmpty = Object.keys(payload).length === 0
    return { contentType, payload: isEmpty ? buildValue(body, '', { ...options, hasOptionalFields: true }) : payload }
  }
  const names = Object.keys((body as ObjectSchema).shape)
  const file = `$file('${files[options.variant % files.length]}')`
  return { contentType: 'multipart/form-data', payload: Object.fromEntries(names.map((name) => [name, file])) }
}

/** Names of the two documents that describe the calls. A run fails unless `respect` finds the fault of the second one. */
export const documentNames = { portal: 'portal', wrong: 'wrong' } as const
export const toOperationId = ({ name }: Pick<Endpoint, 'name'>, documentName: string = documentNames.portal): string =>
  `$sourceDescriptions.${documentName}.${name}`

/** Follows a write by a request for its outcome. */
const readOutcome = (key: string, authorization: Parameter): Step => ({
  stepId: 'outcome',
  operationId: toOperationId(getRequest),
  parameters: [{ name: 'id', in: 'path', value: `~${key}` }, authorization],
})

function buildSteps(
  endpoint: Endpoint,
  options: BuildOptions,
  authorization: string | null,
  files: readonly string[],
): Step[] {
  const header: Parameter = { name: 'authorization', in: 'header', value: authorization }
  const key = endpoint.method !== 'GET' && !endpoint.secret ? randomUUID() : null
  const requestBody = buildBody(endpoint, options, files)
  const step: Step = {
    stepId: 'call',
    operationId: toOperationId(endpoint),
    parameters: [
      ...buildParameters(endpoint, options),
      ...(authorization === null ? [] : [header]),
      ...(key === null ? [] : [{ name: headers.key, in: 'header', value: key } as const]),
    ],
    ...(requestBody && { requestBody }),
  }
  return key === null || authorization === null ? [step] : [step, readOutcome(key, header)]
}

/** Returns one workflow for each different request. `files` are uploaded by the calls that take a file, one after the other. */
export async function buildWorkflows(
  endpoints: readonly Endpoint[],
  { name, knownValues, authorize }: Caller,
  files: readonly string[],
): Promise<Workflow[]> {
  const sharedAuthorization = await authorize()
  const workflows: Workflow[] = []
  for (const endpoint of sortEndpoints(endpoints)) {
    // A call that ends sessions must not end that of the other calls.
    const authorization = endpoint.secret && endpoint.method !== 'GET' ? await authorize() : sharedAuthorization
    const requests = new Set<string>()
    for (const [index, variant] of variants.entries()) {
      const options = { ...variant, knownValues, isDeletion: endpoint.method === 'DELETE' }
      const request = JSON.stringify([buildParameters(endpoint, options), buildBody(endpoint, options, files)])
      if (requests.has(request)) continue
      requests.add(request)
      const steps = buildSteps(endpoint, options, authorization, files)
      workflows.push({ workflowId: `${name}-${endpoint.name}-${index}`, steps })
    }
  }
  return workflows
}
