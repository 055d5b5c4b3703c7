/** A small instance that follows the instance contract (docs/instance.md), with data in memory, and that can be told to misbehave. */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { DatabaseSync } from 'node:sqlite'
import { formatData, LineError, parseData } from '#server/drivers/hosting/data-lines.ts'
import type { DataPiece, DataValue } from '#server/drivers/hosting/hosting-driver.ts'
import { streamPieces } from '#tests/support/hosting/data-pieces.ts'

export type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>

export interface ContractServer {
  url: string
  token: string
  /** Like `PUT /control/v1/admin-password`, in the order of their arrival. */
  calls: string[]
  data: DataPiece[]
  password: string
  drafts: Map<string, DataPiece[]>
  packages: Map<string, Buffer>
  /** Runs before the contract's own behaviour. Returns true if it took care of the request. */
  misbehave: Misbehaviour | null
  close(): Promise<void>
}

export const usersTable: DataPiece = {
  kind: 'table',
  name: 'users',
  columns: [
    { name: 'name', type: 'text', notNull: true, key: 1 },
    { name: 'password', type: 'text', notNull: false, key: 0 },
  ],
  statement: 'create table users (name text primary key not null, password text) strict',
}

export const buildUsersData = (password: string): DataPiece[] => [
  usersTable,
  {
    kind: 'rows',
    rows: [
      ['admin', password],
      ['ada', 'secret'],
    ],
  },
  { kind: 'end', statements: ['create index users_password on users (password)'] },
]

export async function startContractServer(): Promise<ContractServer> {
  const state: ContractServer = {
    url: '',
    token: `token-${randomUUID()}`,
    calls: [],
    data: buildUsersData('first'),
    password: 'first',
    drafts: new Map(),
    packages: new Map(),
    misbehave: null,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    state.calls.push(`${request.method} ${request.url}`)
    // A request that is cut needs no response.
    handleRequest(state, request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}

class RefusedRequest extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

async function handleRequest(state: ContractServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (await state.misbehave?.(request, response)) return
  try {
    const { pathname } = new URL(request.url ?? '/', 'http://instance')
    if (pathname === '/health') return void response.end('ok')
    if (!pathname.startsWith('/control')) throw new RefusedRequest(404, 'There is no such page.')
    requireToken(state, request)
    await handleControl(state, `${request.method} ${pathname.replace('/control/v1', '')}`, { request, response })
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error
    // The client gets the response only if its body was read.
    request.resume()
    sendJson(response, error.status, { error: error.message })
  }
}

function requireToken({ token }: ContractServer, request: IncomingMessage): void {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`)))
    throw new RefusedRequest(401, 'The token is missing or wrong.')
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

interface Exchange {
  request: IncomingMessage
  response: ServerResponse
}

async function handleControl(state: ContractServer, call: string, { request, response }: Exchange): Promise<void> {
  const sendEmpty = () => void response.writeHead(204).end()
  const [, draftId = '', isActivation] = /^(?:DELETE|POST) \/drafts\/([\w-]+)(\/activate)?$/.exec(call) ?? []
  const [, sha256] = /^PUT \/packages\/([0-9a-f]{64})$/.exec(call) ?? []
  if (call === 'GET ') return sendJson(response, 200, { contract: 1, name: 'Test', version: '1', storage: 'folder' })
  if (call === 'GET /data') return await sendData(state, response)
  if (call === 'POST /drafts') return sendJson(response, 201, { draft: await createDraft(state, request) })
  if (call === 'GET /packages') return sendJson(response, 200, [...state.packages.keys()])
  if (call === 'PUT /admin-password') setPassword(state, await readBody(request, 4_096))
  else if (call === 'DELETE /data') eraseAll(state)
  else if (call.startsWith('DELETE /drafts/') && !isActivation) state.drafts.delete(draftId)
  else if (isActivation && call.startsWith('POST')) activateDraft(state, draftId)
  else if (call === 'POST /packages/keep') removeOtherPackages(state, await readBody(request, 1_000_000))
  else if (sha256 !== undefined) addPackage(state, sha256, await readBody(request, 100 * 2 ** 20))
  else throw new RefusedRequest(404, 'There is no such call.')
  sendEmpty()
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
  }
  if (length > maxBytes) throw new RefusedRequest(413, 'The body is too large.')
  return Buffer.concat(chunks)
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new RefusedRequest(400, 'The body is not JSON.')
  }
}

function setPassword(state: ContractServer, body: Buffer): void {
  const { password } = (parseJson(body) ?? {}) as { password?: unknown }
  if (typeof password !== 'string' || password.length < 5) throw new RefusedRequest(400, 'The password is too short.')
  state.password = password
  state.data = state.data.map((piece) =>
    piece.kind === 'rows'
      ? { ...piece, rows: piece.rows.map((row) => (row[0] === 'admin' ? ['admin', password] : row)) }
      : piece,
  )
}

function eraseAll(state: ContractServer): void {
  state.data = [{ kind: 'end', statements: [] }]
  state.drafts.clear()
  state.packages.clear()
}

function activateDraft(state: ContractServer, id: string): void {
  const pieces = state.drafts.get(id)
  if (pieces === undefined) throw new RefusedRequest(404, 'There is no such draft.')
  state.data = pieces
}

function removeOtherPackages(state: ContractServer, body: Buffer): void {
  const hashes = parseJson(body)
  if (!Array.isArray(hashes)) throw new RefusedRequest(400, 'The body is not a list.')
  for (const hash of state.packages.keys()) if (!hashes.includes(hash)) state.packages.delete(hash)
}

function addPackage(state: ContractServer, sha256: string, bytes: Buffer): void {
  const isSame = createHash('sha256').update(bytes).digest('hex') === sha256
  if (!isSame) throw new RefusedRequest(422, 'The digest of the package differs.')
  if (bytes.readUInt16LE(0) !== 0x4b50) throw new RefusedRequest(422, 'The file is not a package.')
  state.packages.set(sha256, bytes)
}

async function sendData({ data }: ContractServer, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  await pipeline(Readable.from(formatData(streamPieces(data)), { objectMode: false }), response)
}

async function createDraft(state: ContractServer, request: IncomingMessage): Promise<string> {
  const pieces: DataPiece[] = []
  try {
    // A loop over the request itself would destroy the connection when it ends early, and the client would get no response.
    for await (const piece of parseData(request.iterator({ destroyOnReturn: false }))) pieces.push(piece)
    requireConsistentData(pieces)
  } catch (error) {
    if (request.destroyed && !request.complete) throw error
    throw new RefusedRequest(422, error instanceof LineError ? error.message : `The data: ${(error as Error).message}.`)
  }
  const id = randomUUID()
  state.drafts.set(id, pieces)
  return id
}

/** Builds a database of the pieces in memory. */
function requireConsistentData(pieces: readonly DataPiece[]): void {
  const database = new DatabaseSync(':memory:')
  try {
    let insert = database.prepare('select 1')
    for (const piece of pieces) {
      if (piece.kind === 'rows') for (const row of piece.rows) insert.run(...(row as DataValue[]))
      if (piece.kind === 'end') for (const statement of piece.statements) database.exec(statement)
      if (piece.kind !== 'table') continue
      database.exec(piece.statement)
      insert = database.prepare(`insert into "${piece.name}" values (${piece.columns.map(() => '?').join(', ')})`)
    }
  } finally {
    database.close()
  }
}
