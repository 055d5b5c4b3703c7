import { mkdtemp, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type CheckResult, checkInstance } from '#server/use-cases/hosting/instance-check/check-instance.ts'
import { formatResult } from '#server/use-cases/hosting/instance-check/format-result.ts'
import {
  buildUsersData,
  type ContractServer,
  type Misbehaviour,
  startContractServer,
} from '#tests/support/hosting/contract-server.ts'
import { buildShopPieces, ungroupRows } from '#tests/support/hosting/data-pieces.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'
import { packBareApp } from '#tests/support/uploads/packages.ts'

let server: ContractServer
let folder: string
let samplePackage: Buffer
let copyCount = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-instance-check-'))
  samplePackage = await packBareApp()
})
afterAll(async () => await rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(async () => await server.close())

const longMs = 60_000

async function check({ write: hasWrite = false, limitMs = longMs } = {}): Promise<CheckResult[]> {
  const write = hasWrite ? { copyPath: join(folder, `copy-${++copyCount}`), samplePackage } : null
  return await Array.fromAsync(checkInstance({ url: server.url, token: server.token, limitMs, write }))
}

const listProblems = (results: readonly CheckResult[]) =>
  results
    .filter(({ outcome }) => outcome !== 'ok')
    .map(({ outcome, requirement, problem, note }) => `${outcome}: ${requirement}: ${problem?.actual ?? note}`)

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

/** Takes care of one call. All other calls are answered as the contract says. */
const onCall =
  (call: string, handler: Handler): Misbehaviour =>
  (request, response) => {
    const isCall = `${request.method} ${request.url}` === call
    if (isCall) handler(request, response)
    return isCall
  }

const isAllowed = ({ headers }: IncomingMessage) => headers.authorization === `Bearer ${server.token}`

/** Answers a call that has the right token. */
const onAllowedCall = (call: string, handler: Handler): Misbehaviour => {
  const misbehave = onCall(call, handler)
  return (request, response) => isAllowed(request) && misbehave(request, response)
}

const answer =
  (status: number, body: string, contentType = 'application/json'): Handler =>
  (request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': contentType }).end(body)
  }

describe('the check of an image', () => {
  it('finds nothing to complain about in an instance that follows the contract, and changes nothing without --write', async () => {
    expect(listProblems(await check())).toEqual([])
    expect(server.data).toEqual(buildUsersData('first'))
    expect(server.calls.filter((call) => call.includes('admin-password')).length).toBeGreaterThan(0)
    expect([server.password, server.drafts.size, server.packages.size]).toEqual(['first', 0, 0])
  })

  it('puts back the data and the packages after all checks', async () => {
    server.packages.set('a'.repeat(64), Buffer.from('PK'))
    server.data = [...buildShopPieces(1_200).slice(0, -1), ...buildUsersData('first')]
    const rowsBefore = ungroupRows(server.data)
    const results = await check({ write: true })
    expect(listProblems(results)).toEqual([])
    expect(ungroupRows(server.data)).toEqual(rowsBefore)
    expect([server.password === 'first', server.drafts.size]).toEqual([false, 0])
    expect([...server.packages.keys()]).toEqual(['a'.repeat(64)])
    for (const line of results.map(formatResult).join('\n').split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('accepts an instance without any data', async () => {
    server.data = [{ kind: 'end', statements: [] }]
    expect(listProblems(await check({ write: true }))).toEqual([])
  })

  it.each<[string, () => Misbehaviour, string]>([
    [
      'is not healthy',
      () => onCall('GET /health', answer(503, 'x')),
      'wrong: GET /health answers 200 within 5 seconds',
    ],
    [
      'serves only its own host name',
      () => (request, response) =>
        request.headers.host === 'instance-check.example' && (answer(421, '{"error":"x"}')(request, response), true),
      'wrong: GET /health answers 200 for any host name',
    ],
    [
      'does not check the token',
      () => (request) => {
        request.headers.authorization = `Bearer ${server.token}`
        return false
      },
      'wrong: calls below /control/v1 without a token are refused with 401: status 200',
    ],
    [
      'checks only the beginning of the token',
      () => (request) => {
        const { authorization = '' } = request.headers
        if (authorization.startsWith(`Bearer ${server.token}`)) request.headers.authorization = `Bearer ${server.token}`
        return false
      },
      'wrong: calls below /control/v1 with a wrong token are refused with 401: status 200',
    ],
    [
      'accepts the token in the address',
      () => onCall(`GET /control/v1?token=${server.token}`, answer(200, '{}')),
      'wrong: the token is not accepted in the address: status 200',
    ],
    [
      'has no facts',
      () => onAllowedCall('GET /control/v1', answer(404, '{"error":"x"}')),
      'missing: GET /control/v1 names contract 1',
    ],
    [
      'has another contract',
      () => onAllowedCall('GET /control/v1', answer(200, '{"contract":2}')),
      'wrong: GET /control/v1 names contract 1 and the image: {"contract":2}',
    ],
    [
      'sends a page as data',
      () => onAllowedCall('GET /control/v1/data', answer(200, '<html>', 'text/html')),
      'wrong: GET /control/v1/data has all data, up to its last line: text/html',
    ],
    [
      'ends the data early',
      () => onAllowedCall('GET /control/v1/data', answer(200, '', 'application/x-ndjson')),
      'wrong: GET /control/v1/data has all data, up to its last line: the last line of the data is missing',
    ],
    [
      'writes spaces into the data',
      () => onAllowedCall('GET /control/v1/data', answer(200, '{"end": []}\n', 'application/x-ndjson')),
      'wrong: the lines of the data have exactly the documented form',
    ],
    [
      'has other data each time',
      () => {
        let count = 0
        return onAllowedCall('GET /control/v1/data', (request, response) =>
          answer(200, `{"end":["${count++}"]}\n`, 'application/x-ndjson')(request, response),
        )
      },
      'wrong: reading unchanged data again gives the same bytes',
    ],
    [
      'lists packages in another way',
      () => onAllowedCall('GET /control/v1/packages', answer(200, '{"packages":[]}')),
      'wrong: GET /control/v1/packages lists the loaded packages: {"packages":[]}',
    ],
    [
      'answers unknown paths',
      () => onAllowedCall('GET /control/v1/instance-check', answer(200, 'ok', 'text/plain')),
      'wrong: unknown paths below /control are answered with 404: status 200: ok',
    ],
    [
      'accepts other methods',
      () => onAllowedCall('PATCH /control/v1/data', answer(204, '')),
      'wrong: other methods are refused with 404 or 405: status 204',
    ],
    [
      'reveals its token in an error',
      () =>
        onAllowedCall('GET /control/v0', (request, response) =>
          answer(404, `{"error":"no page for ${server.token}"}`)(request, response),
        ),
      'wrong: errors are JSON with one sentence, without the token or a stack trace: a text that contains CONTROL_TOKEN',
    ],
    [
      'reveals a stack trace in an error',
      () => onAllowedCall('GET /control/v0', answer(404, '{"error":"Error: x\\n    at y (z.js:1:2)"}')),
      'wrong: errors are JSON with one sentence, without the token or a stack trace: a text with a stack trace',
    ],
    [
      'answers errors with pages',
      () => onAllowedCall('GET /control/v0', answer(404, '<html>', 'text/html')),
      'wrong: errors are JSON with one sentence, without the token or a stack trace: text/html: <html>',
    ],
  ])('finds an image that %s', async (_, getMisbehaviour, expectedProblem) => {
    server.misbehave = getMisbehaviour()
    expect(listProblems(await check())).toContainEqual(expect.stringContaining(expectedProblem))
  })

  it.each<[string, () => Misbehaviour, string]>([
    [
      'accepts every password',
      () => onAllowedCall('PUT /control/v1/admin-password', answer(204, '')),
      'wrong: passwords that are not acceptable are refused with 400: status 204',
    ],
    [
      'stores inconsistent data',
      () => onAllowedCall('POST /control/v1/drafts', answer(201, '{"draft":"a"}')),
      'wrong: inconsistent data is refused with 422 and changes nothing: status 201',
    ],
    [
      'has no drafts',
      () => onAllowedCall('POST /control/v1/drafts', answer(404, '{"error":"x"}')),
      'missing: inconsistent data is refused with 422 and changes nothing: status 404',
    ],
    [
      'uses a draft before it is activated',
      () => (request) => {
        if (request.url?.endsWith('/drafts'))
          request.on('end', () => setImmediate(() => (server.data = [...server.drafts.values()][0] ?? server.data)))
        return false
      },
      'wrong: a draft does not change the data before it is activated',
    ],
    [
      'does not activate drafts',
      () => (request, response) =>
        Boolean(request.url?.endsWith('/activate') && isAllowed(request) && (answer(204, '')(request, response), true)),
      'wrong: an activated draft replaces all data, also if it is repeated',
    ],
    [
      'does not check packages',
      () => (request, response) => {
        const isPut = request.method === 'PUT' && Boolean(request.url?.includes('/packages/')) && isAllowed(request)
        if (isPut) answer(204, '')(request, response)
        return isPut
      },
      'wrong: packages are loaded, checked and removed: status 204',
    ],
  ])('finds with --write an image that %s', async (_, getMisbehaviour, expectedProblem) => {
    server.misbehave = getMisbehaviour()
    expect(listProblems(await check({ write: true }))).toContainEqual(expect.stringContaining(expectedProblem))
  })

  it('ends each check after its limit if the instance does not answer, and if its data never ends', async () => {
    server.misbehave = onAllowedCall('GET /control/v1/data', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.write('{"table":"t","columns":[],"statement":""}\n')
      const timer = setInterval(() => response.write('[]\n'), 10)
      response.on('close', () => clearInterval(timer))
    })
    const problems = listProblems(await check({ limitMs: 2000 }))
    expect(problems).toContain('wrong: GET /control/v1/data has all data, up to its last line: none within 2 s')
    expect(problems).toContain(
      'skipped: the lines of the data have exactly the documented form: the data could not be read',
    )
    server.misbehave = () => true
    expect(listProblems(await check({ limitMs: 200 }))).toEqual([
      'wrong: GET /health answers 200 within 5 seconds, without a token: none within 0.2 s',
    ])
  })

  it('stops after the first check if nothing listens at the address', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`
    const options = { url, token: 'a-token-of-a-test', limitMs: longMs, write: null }
    const results = await Array.fromAsync(checkInstance(options))
    expect(listProblems(results)).toEqual([expect.stringContaining('ECONNREFUSED')])
    expect(results).toHaveLength(1)
  })

  it('replaces nothing if the data cannot be copied first', async () => {
    server.misbehave = onAllowedCall('GET /control/v1/data', answer(500, '{"error":"It is broken."}'))
    const problems = listProblems(await check({ write: true }))
    expect(problems.filter((problem) => problem.startsWith('skipped')).length).toBeGreaterThanOrEqual(7)
    expect([server.password, server.data]).toEqual(['first', buildUsersData('first')])
  })
})
