/** Checks that change nothing, also in an image that does not follow the contract. */
import { contractPaths, contractVersion } from '#server/drivers/hosting/control/contract.ts'
import { isPackageHash } from '#server/drivers/hosting/control/load-packages.ts'
import {
  type CheckClient,
  type CheckRequest,
  parseJsonText,
  quoteText,
  RequirementError,
} from '#server/use-cases/hosting/instance-check/check-client.ts'
import { type DataSummary, readCheckedData } from '#server/use-cases/hosting/instance-check/checked-data.ts'

export interface InstanceCheck {
  requirement: string
  /** Returns a fact for the report, or null. Throws RequirementError. */
  run: (client: CheckClient) => Promise<string | null>
}

const healthMs = 5_000

const readHealth = (client: CheckClient, headers: Record<string, string> = {}) =>
  client.expectStatus(
    { method: 'GET', path: contractPaths.health, headers, authorization: null, responseMs: healthMs },
    200,
    'answer GET /health with the status 200 when the instance can serve, without a token',
  )

/**
 * Requests that must be refused without the token. Their bodies are not valid, so that they change nothing in an image that does not check
 * the token.
 */
const protectedRequests: readonly CheckRequest[] = [
  { method: 'GET', path: contractPaths.root },
  { method: 'GET', path: contractPaths.data },
  { method: 'GET', path: contractPaths.packages },
  { method: 'PUT', path: contractPaths.password, body: Buffer.from('no JSON') },
  { method: 'POST', path: contractPaths.drafts, body: Buffer.from('no data\n') },
  { method: 'POST', path: `${contractPaths.drafts}/instance-check/activate` },
  { method: 'DELETE', path: `${contractPaths.drafts}/instance-check` },
  { method: 'PUT', path: `${contractPaths.packages}/${'0'.repeat(64)}`, body: Buffer.from('no package') },
  { method: 'POST', path: contractPaths.keepPackages, body: Buffer.from('no JSON') },
]

const tokenAdvice = 'compare the header authorization with "Bearer " and CONTROL_TOKEN before anything else'

async function requireRefusals(client: CheckClient, authorizations: readonly (string | null)[]): Promise<null> {
  for (const request of protectedRequests)
    for (const authorization of authorizations)
      await client.expectStatus({ ...request, authorization }, 401, tokenAdvice)
  return null
}

/** Returns values that differ from the token in one character, in length, in the scheme, or that are empty. */
function listWrongAuthorizations(token: string): string[] {
  const otherLast = token.endsWith('0') ? '1' : '0'
  return [
    `Bearer ${token.slice(0, -1)}${otherLast}`,
    `Bearer ${token}${otherLast}`,
    `Bearer ${token.slice(0, -1)}`,
    'Bearer ',
    `Basic ${token}`,
  ]
}

async function checkInfo(client: CheckClient): Promise<string> {
  const request = { method: 'GET', path: contractPaths.root }
  const response = await client.expectStatus(request, 200, 'answer with the facts about the image')
  const info = (parseJsonText(response.text) ?? {}) as Record<string, unknown>
  const { contract, name, version, storage } = info
  const isNamed = [name, version].every((text) => typeof text === 'string' && text !== '' && text.length <= 200)
  if (contract === contractVersion && isNamed && (storage === 'folder' || storage === 'database'))
    return `${String(name)} ${String(version)}, data in a ${storage}`
  throw new RequirementError('wrong', {
    expected: '{"contract":1,"name":"...","version":"...","storage":"folder" or "database"}',
    actual: quoteText(response.text),
    advice: 'answer with these four fields as JSON',
  })
}

async function checkPackageList(client: CheckClient): Promise<string> {
  const hashes = await readPackageHashes(client)
  return `packages: ${hashes.length}`
}

export async function readPackageHashes(client: CheckClient): Promise<string[]> {
  const request = { method: 'GET', path: contractPaths.packages }
  const response = await client.expectStatus(request, 200, 'answer with the SHA-256 of each loaded package')
  const hashes = parseJsonText(response.text)
  if (Array.isArray(hashes) && hashes.every(isPackageHash)) return hashes
  throw new RequirementError('wrong', {
    expected: 'a JSON array of SHA-256 in lower-case hex',
    actual: quoteText(response.text),
    advice: 'list the loaded packages, or [] if there is none',
  })
}

async function checkDigest({ digest, formattedDigest }: DataSummary): Promise<null> {
  if (digest === formattedDigest) return null
  throw new RequirementError('wrong', {
    expected: 'the bytes that the portal itself would write for this data',
    actual: 'other bytes for the same data',
    advice: 'write no spaces, the fields in the documented order, and each value in the documented form',
  })
}

async function checkUnknownPaths(client: CheckClient): Promise<null> {
  const paths = ['/control/v1/instance-check', '/control/v0', '/control/instance-check', '/control/v1/data/x']
  for (const path of paths)
    await client.expectStatus({ method: 'GET', path }, 404, 'answer unknown paths below /control with 404')
  return null
}

async function checkMethods(client: CheckClient): Promise<null> {
  const requests: CheckRequest[] = [
    { method: 'POST', path: contractPaths.root },
    { method: 'PATCH', path: contractPaths.data },
    { method: 'GET', path: contractPaths.password },
    { method: 'GET', path: contractPaths.drafts },
    { method: 'PATCH', path: contractPaths.packages },
  ]
  for (const request of requests)
    await client.expectStatus(request, [404, 405], 'accept only the documented method for each path')
  return null
}

/** Runs last, because it checks the errors of all other checks. */
export const errorCheck: InstanceCheck = {
  requirement: 'errors are JSON with one sentence, without the token or a stack trace',
  async run({ errorResponses, token }) {
    for (const { call, text, contentType } of errorResponses) {
      const { error } = (parseJsonText(text) ?? {}) as { error?: unknown }
      const isSentence = typeof error === 'string' && error.trim() !== '' && error.length <= 1_000
      const problem = text.includes(token)
        ? 'a text that contains CONTROL_TOKEN'
        : /(?:\n|\\n)[ \t]{1,8}at |Traceback|\.[jt]s:\d/.test(text)
          ? 'a text with a stack trace'
          : isSentence && contentType.startsWith('application/json')
            ? null
            : `${contentType || 'no content type'}: ${quoteText(text)}`
      if (problem === null) continue
      throw new RequirementError('wrong', {
        expected: `{"error":"one sentence"} as application/json for ${call}`,
        actual: problem,
        advice: 'catch all errors of the control endpoint and answer with one sentence',
      })
    }
    return `errors: ${errorResponses.length}`
  },
}

export const healthCheck: InstanceCheck = {
  requirement: 'GET /health answers 200 within 5 seconds, without a token',
  async run(client) {
    await readHealth(client)
    return null
  },
}

/** The result of the first reading is shared by the checks of the data. */
export function createReadChecks(token: string): InstanceCheck[] {
  let summary: DataSummary | null = null
  const requireSummary = () => {
    if (summary !== null) return summary
    throw new SkippedCheck('the data could not be read')
  }
  return [
    {
      requirement: 'GET /health answers 200 for any host name',
      async run(client) {
        await readHealth(client, { host: 'instance-check.example' })
        return null
      },
    },
    {
      requirement: 'calls below /control/v1 without a token are refused with 401',
      run: (client) => requireRefusals(client, [null]),
    },
    {
      requirement: 'calls below /control/v1 with a wrong token are refused with 401',
      run: (client) => requireRefusals(client, listWrongAuthorizations(token)),
    },
    {
      requirement: 'the token is not accepted in the address',
      async run(client) {
        const path = `${contractPaths.root}?token=${encodeURIComponent(token)}`
        await client.expectStatus({ method: 'GET', path, authorization: null }, 401, tokenAdvice)
        return null
      },
    },
    { requirement: 'GET /control/v1 names contract 1 and the image', run: checkInfo },
    {
      requirement: 'GET /control/v1/data has all data, up to its last line',
      async run(client) {
        summary = await readCheckedData(client)
        return `tables: ${summary.tableCount}, rows: ${summary.rowCount}, bytes: ${summary.byteCount}`
      },
    },
    {
      requirement: 'the lines of the data have exactly the documented form',
      run: async () => await checkDigest(requireSummary()),
    },
    {
      requirement: 'reading unchanged data again gives the same bytes',
      async run(client) {
        const { digest } = requireSummary()
        const nextSummary = await readCheckedData(client)
        if (nextSummary.digest === digest) return null
        throw new RequirementError('wrong', {
          expected: `the SHA-256 ${digest.slice(0, 16)}... again`,
          actual: `${nextSummary.digest.slice(0, 16)}...`,
          advice: 'order tables and rows by their keys; if somebody uses the instance, check one that nobody uses',
        })
      },
    },
    { requirement: 'GET /control/v1/packages lists the loaded packages', run: checkPackageList },
    { requirement: 'unknown paths below /control are answered with 404', run: checkUnknownPaths },
    { requirement: 'other methods are refused with 404 or 405', run: checkMethods },
  ]
}

/** A check that needs the result of one that failed. */
export class SkippedCheck extends Error {}
