import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openControl } from '#server/drivers/hosting/control/control-client.ts'
import type { DataPiece, InstanceApp } from '#server/drivers/hosting/hosting-driver.ts'
import {
  buildUsersData,
  type ContractServer,
  type Misbehaviour,
  startContractServer,
  usersTable,
} from '#tests/support/hosting/contract-server.ts'
import { buildShopPieces, streamPieces, ungroupRows } from '#tests/support/hosting/data-pieces.ts'
import { findFreePort } from '#tests/support/server/free-port.ts'

let server: ContractServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portal-control-'))
})
afterAll(async () => await rm(folder, { recursive: true, force: true }))
beforeEach(async () => {
  server = await startContractServer()
})
afterEach(async () => await server.close())

/** Shortens only the time whose end is expected, so that a slow machine changes nothing. */
function openFor(message: string) {
  if (message.includes('no response within')) return openControl(server, { times: { responseMs: 200 } })
  return openControl(server, { times: message.includes('within') ? { silenceMs: 200 } : {} })
}

const readAll = async (control = openControl(server)) => await Array.fromAsync(control.readData())

/** Answers every request in the same way. */
const answer = (status: number, body: string, headers: Record<string, string> = {}): Misbehaviour => {
  return (request, response) => {
    request.resume()
    response.writeHead(status, headers).end(body)
    return true
  }
}

async function writePackage(bytes: Buffer): Promise<InstanceApp> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const path = join(folder, sha256)
  await writeFile(path, bytes)
  return { code: 'pay', name: 'Pay', version: '1.0', module: 'crm', flags: {}, package: { path, sha256 } }
}

const zip = (text: string) => Buffer.from(`PK${text}`)

describe('the client of the control endpoint', () => {
  it('reads the facts, the health and the data of an instance', async () => {
    const control = openControl(server)
    expect(await control.readInfo()).toEqual({ contract: 1, name: 'Test', version: '1', storage: 'folder' })
    expect(await control.isHealthy()).toBe(true)
    expect(await readAll()).toEqual(buildUsersData('first'))
    server.data = buildShopPieces(20_000)
    expect(ungroupRows(await readAll())).toEqual(ungroupRows(server.data))
  })

  it('sets the password, and refuses one that is too long before it is sent', async () => {
    await openControl(server).setAdminPassword('"second" ☃')
    expect(server.password).toBe('"second" ☃')
    await expect(openControl(server).setAdminPassword('x'.repeat(5_000))).rejects.toMatchObject({ fault: 'bad_data' })
    await expect(openControl(server).setAdminPassword('x')).rejects.toMatchObject({
      name: 'HostingError',
      message: expect.stringContaining('The password is too short.'),
    })
  })

  it('replaces the data in two steps, and can repeat the second one', async () => {
    const control = openControl(server)
    const id = await control.createDraft(streamPieces(buildShopPieces(5_000)))
    expect(await readAll()).toEqual(buildUsersData('first'))
    await control.activateDraft(id)
    await control.activateDraft(id)
    expect(ungroupRows(await readAll())).toEqual(ungroupRows(buildShopPieces(5_000)))
    await control.removeDraft(id)
    await control.removeDraft(id)
    await expect(control.activateDraft(id)).rejects.toMatchObject({ fault: 'bad_data' })
    await expect(control.activateDraft('../../data')).rejects.toMatchObject({ fault: 'bad_data' })
    await control.eraseData()
    expect(await readAll()).toEqual([{ kind: 'end', statements: [] }])
  })

  it.each<[string, DataPiece[]]>([
    ['a row that is twice in the data', [...buildUsersData('a').slice(0, 2), ...buildUsersData('b').slice(1)]],
    ['a row with another number of values', [usersTable, { kind: 'rows', rows: [['only one']] }]],
    ['no end', buildUsersData('a').slice(0, 2)],
    ['pieces after the end', [...buildUsersData('a'), usersTable]],
  ])('refuses data as bad_data: %s', async (_, pieces) => {
    await expect(openControl(server).createDraft(streamPieces(pieces))).rejects.toMatchObject({
      name: 'HostingError',
      fault: 'bad_data',
    })
    expect(server.drafts.size).toBe(0)
  })

  it('rethrows an error of the pieces unchanged, and no draft remains', async () => {
    const failure = new Error('the archive is damaged')
    async function* failingPieces(): AsyncGenerator<DataPiece> {
      yield* buildShopPieces(5_000).slice(0, -1)
      throw failure
    }
    await expect(openControl(server).createDraft(failingPieces())).rejects.toBe(failure)
    expect(server.drafts.size).toBe(0)
  })

  it('stops sending when the instance refuses the data early', async () => {
    server.misbehave = answer(507, '{"error":"The disk is full."}')
    let pieceCount = 0
    async function* endlessPieces(): AsyncGenerator<DataPiece> {
      yield usersTable
      const rows = Array.from({ length: 1_000 }, (_, index) => [`user-${index}`, 'x'.repeat(100)])
      for (; pieceCount < 100_000; pieceCount++) yield { kind: 'rows', rows }
    }
    await expect(openControl(server).createDraft(endlessPieces())).rejects.toMatchObject({
      fault: 'no_room',
      message: expect.stringContaining('The disk is full.'),
    })
    expect(pieceCount).toBeLessThan(10_000)
  })

  it('sends only the packages that are missing, and removes the others', async () => {
    const [firstApp, secondApp] = [await writePackage(zip('1')), await writePackage(zip('2'.repeat(300_000)))]
    const plainApp = { ...firstApp, code: 'plain', package: null }
    const control = openControl(server)
    await control.loadPackages([plainApp])
    expect(server.calls).toEqual([])
    await control.loadPackages([firstApp, plainApp])
    await control.loadPackages([firstApp, secondApp, secondApp])
    const puts = server.calls.filter((call) => call.startsWith('PUT'))
    expect(puts).toEqual([firstApp, secondApp].map((app) => `PUT /control/v1/packages/${app.package?.sha256}`))
    expect(server.packages.get(secondApp.package?.sha256 ?? '')).toEqual(zip('2'.repeat(300_000)))
    await control.keepPackages([secondApp.package?.sha256 ?? ''])
    expect([...server.packages.keys()]).toEqual([secondApp.package?.sha256])
  })

  it.each<[string, (app: InstanceApp) => InstanceApp['package'], string]>([
    ['a file that does not exist', () => ({ path: '/nowhere', sha256: 'a'.repeat(64) }), 'does not exist'],
    ['another content', (app) => ({ path: app.package?.path ?? '', sha256: 'a'.repeat(64) }), 'differs'],
    ['an invalid SHA-256', (app) => ({ path: app.package?.path ?? '', sha256: '../x' }), 'is invalid'],
    ['a folder', () => ({ path: '/', sha256: 'a'.repeat(64) }), 'cannot be read'],
  ])('refuses a package before it is sent: %s', async (_, change, message) => {
    const app = await writePackage(zip('3'))
    await expect(openControl(server).loadPackages([{ ...app, package: change(app) }])).rejects.toMatchObject({
      fault: 'bad_package',
      message: expect.stringContaining(message),
    })
    expect(server.calls.filter((call) => call.startsWith('PUT'))).toEqual([])
  })

  it('reports a package that the instance refuses', async () => {
    await expect(openControl(server).loadPackages([await writePackage(Buffer.from('no zip'))])).rejects.toMatchObject({
      fault: 'bad_package',
      message: 'The file is not a package.',
    })
  })
})

describe('an instance that misbehaves', () => {
  it.each<[string, Misbehaviour, string, string]>([
    ['refuses the token', answer(401, '{"error":"no"}'), 'unreachable', 'does not follow the instance contract'],
    ['has no control endpoint', answer(404, 'Not found'), 'unreachable', 'does not follow the instance contract'],
    ['redirects', answer(302, '', { location: 'http://127.0.0.1:1/' }), 'unreachable', 'status 302'],
    ['answers with a page', answer(200, '<html></html>', { 'content-type': 'text/html' }), 'unreachable', 'JSON'],
    ['answers with other JSON', answer(200, '[]'), 'unreachable', 'must have contract 1'],
    ['has a later contract', answer(200, '{"contract":2}'), 'unreachable', 'has version 2 of the contract'],
    ['fails', answer(500, '{"error":"It is broken.\\n at x"}'), 'unreachable', 'It is broken. at x'],
    ['is starting', answer(503, 'x'), 'throttled', '503'],
    ['has too much to do', answer(429, '{"error":5}'), 'throttled', '429'],
    ['does not answer', () => true, 'unreachable', 'no response within'],
    ['cuts the connection', (request) => Boolean(request.socket.destroy()), 'unreachable', 'does not answer'],
    [
      'never ends a short response',
      (_, response) => Boolean(response.write('{"contract"')),
      'unreachable',
      'did not end within',
    ],
    ['sends a large response', answer(200, `"${'x'.repeat(2_000_000)}"`), 'unreachable', 'more than 1000000 bytes'],
  ])('%s', async (_, misbehave, fault, message) => {
    server.misbehave = misbehave
    await expect(openFor(message).readInfo()).rejects.toMatchObject({
      name: 'HostingError',
      fault,
      message: expect.stringContaining(message),
    })
  })

  it('is not healthy when it does not answer or answers with another status', async () => {
    server.misbehave = answer(503, '')
    expect(await openControl(server).isHealthy()).toBe(false)
    server.misbehave = (request) => Boolean(request.socket.destroy())
    expect(await openControl(server).isHealthy()).toBe(false)
  })

  it.each<[string, Misbehaviour, string, string]>([
    ['a page', answer(200, '<html>', { 'content-type': 'text/html' }), 'unreachable', '"text/html"'],
    ['no last line', answer(200, '', { 'content-type': 'application/x-ndjson' }), 'bad_data', 'incomplete'],
    [
      'lines that are no data',
      answer(200, 'x\n', { 'content-type': 'application/x-ndjson' }),
      'bad_data',
      'not a JSON',
    ],
    [
      'a cut body',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write(`{"table":"t","columns":[],"statement":""}\n`, () => response.destroy())
        return true
      },
      'unreachable',
      'does not answer',
    ],
    [
      'a pause without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' })
        return response.write(`{"table":"t","columns":[],"statement":""}\n`) || true
      },
      'unreachable',
      'no data within',
    ],
  ])('sends %s instead of its data', async (_, misbehave, fault, message) => {
    server.misbehave = misbehave
    await expect(readAll(openFor(message))).rejects.toMatchObject({ fault, message: expect.stringContaining(message) })
  })

  it('that does not read the data is given up, and only a little of the data was prepared', async () => {
    server.misbehave = (request) => Boolean(request.pause())
    let pieceCount = 0
    async function* manyPieces(): AsyncGenerator<DataPiece> {
      yield usersTable
      const rows = Array.from({ length: 1_000 }, (_, index) => [`user-${index}`, 'x'.repeat(1_000)])
      for (; pieceCount < 1_000; pieceCount++) yield { kind: 'rows', rows }
    }
    const control = openControl(server, { times: { silenceMs: 200 } })
    await expect(control.createDraft(manyPieces())).rejects.toMatchObject({ fault: 'unreachable' })
    expect(pieceCount).toBeLessThan(100)
  })

  it.each([
    ['{"draft":"../x"}', 'the id of a draft must have'],
    ['{}', 'the id of a draft must have'],
    ['no', 'is not JSON'],
  ])('answers a draft with %s', async (body, message) => {
    server.misbehave = answer(201, body)
    await expect(openControl(server).createDraft(streamPieces(buildUsersData('a')))).rejects.toMatchObject({
      fault: 'unreachable',
      message: expect.stringContaining(message),
    })
  })

  it('that repeats the token in its errors does not bring it into a message', async () => {
    server.misbehave = answer(500, JSON.stringify({ error: `Wrong header: Bearer ${server.token}` }))
    const error: unknown = await openControl(server)
      .readInfo()
      .catch((reason: unknown) => reason)
    expect((error as Error).message).toContain('Wrong header: Bearer ...')
  })

  it('answers a list of packages with other values', async () => {
    server.misbehave = answer(200, '["../../etc/passwd"]')
    await expect(openControl(server).loadPackages([await writePackage(zip('4'))])).rejects.toMatchObject({
      fault: 'unreachable',
      message: expect.stringContaining('list of packages'),
    })
  })
})

it('data that an instance accepts before it has received all of it is not used', async () => {
  const removedPaths: string[] = []
  server.misbehave = (request, response) => {
    if (request.method === 'DELETE') removedPaths.push(request.url ?? '')
    response.writeHead(request.method === 'DELETE' ? 204 : 201).end(request.method === 'DELETE' ? '' : '{"draft":"a"}')
    return true
  }
  async function* endlessPieces(): AsyncGenerator<DataPiece> {
    yield usersTable
    const text = 'x'.repeat(100_000)
    for (;;) yield { kind: 'rows', rows: [['ada', text]] }
  }
  await expect(openControl(server).createDraft(endlessPieces())).rejects.toMatchObject({
    fault: 'unreachable',
    message: expect.stringContaining('before it had received all'),
  })
  expect(removedPaths).toEqual(['/control/v1/drafts/a'])
})

describe('an address without an instance', () => {
  it('is unreachable if nothing listens there', async () => {
    const control = openControl({ url: `http://127.0.0.1:${await findFreePort()}`, token: 'token' })
    await expect(control.readInfo()).rejects.toMatchObject({ fault: 'unreachable' })
    await expect(readAll(control)).rejects.toMatchObject({ fault: 'unreachable' })
    await expect(control.createDraft(streamPieces(buildUsersData('a')))).rejects.toMatchObject({ fault: 'unreachable' })
  })

  it('is unreachable if something else than HTTP answers', async () => {
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n')).listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const control = openControl({ url: `http://127.0.0.1:${port}`, token: 'to\nken' })
    await expect(control.readInfo()).rejects.toMatchObject({ fault: 'unreachable' })
    await expect(openControl({ url: `http://127.0.0.1:${port}`, token: 'token' }).readInfo()).rejects.toMatchObject({
      fault: 'unreachable',
    })
    other.close()
  })
})
