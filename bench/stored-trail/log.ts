/** Creates a log of 100,000 entries over half a year, as a server would send it: leaves, tiles and a signed checkpoint. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { toCanonicalJson } from '#domain/audit-log/canonical.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { createVerifierKey } from '#domain/audit-log/note.ts'
import type { LogTile } from '#domain/audit-log/tiles.ts'
import { appendLeaves, type TreeEdge, emptyEdge } from '#domain/audit-log/tree-edge.ts'

export const entryCount = 100_000
export const zone = 'Asia/Hong_Kong'
export const companyId = 7
const firstTime = Date.UTC(2026, 0, 1)
const halfYearMs = 181 * 86_400_000
const codes = ['company', 'user', 'order', 'service', 'backup', 'system'] as const
const operations = ['create', 'update', 'delete', 'enable', 'disable', 'pay', 'print', 'login'] as const
const names = ['Li Wei', 'Ada Lovelace', '陈美玲', 'Elodie Durand', 'José Álvarez', 'Chan Tai Man']

/** Returns numbers without a pattern that an index could benefit from. */
const scramble = (n: number, salt: number) => Math.imul(n + salt, 2_654_435_761) >>> 8
const pick = <T>(values: readonly T[], n: number, salt: number) => values[scramble(n, salt) % values.length] as T

function createLeaf(n: number): string {
  return toCanonicalJson({
    v: 1,
    id: 1_000 + n,
    company: companyId,
    actor_company: null,
    actor_hash: null,
    time: firstTime + Math.floor((n / entryCount) * halfYearMs),
    salt: `${scramble(n, 9).toString(16)}${scramble(n, 10).toString(16)}`.padStart(32, '0'),
    code: pick(codes, n, 1),
    operation: pick(operations, n, 2),
    user_id: 1 + (scramble(n, 3) % 400),
    user_name: pick(names, n, 3),
    status: scramble(n, 4) % 12 === 0 ? -1 : 0,
    info: {
      CompanyName: `Company ${scramble(n, 5) % 300}`,
      ServiceCode: `svc${scramble(n, 6) % 9_000}`,
      UserName: pick(names, n, 7),
    },
    changes: [
      { field: 'email', before: `user${n}@old.example`, after: `user${n}@new.example` },
      { field: 'title', before: 0, after: 1 },
    ],
    intent: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    request_id: `00000000-0000-4000-9000-${n.toString(16).padStart(12, '0')}`,
  })
}

const headers = { 'x-request-id': 'bench', 'x-subject': `${companyId}:1`, 'x-as-of': String(firstTime + halfYearMs) }

/** Creates the log. Returns a handler that responds to the calls of the audit trail. */
export function serveLog(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const leaves = Array.from({ length: entryCount }, (_, n) => createLeaf(n))
  const tiles = new Map<string, LogTile>()
  let edge: TreeEdge = emptyEdge
  let root = new Uint8Array()
  for (let start = 0; start < entryCount; start += 1_000) {
    const result = appendLeaves(edge, leaves.slice(start, start + 1_000).map(hashLeaf))
    edge = result.edge
    root = new Uint8Array(result.root)
    for (const tile of result.changedTiles) tiles.set(`${tile.level}/${tile.index}`, tile)
  }
  const signer = { name: 'bench/7', seed: new Uint8Array(32).fill(5) }
  const note = signCheckpoint({ origin: signer.name, size: entryCount, root, epoch: 0 }, signer)
  const key = createVerifierKey(signer.name, signer.seed)
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://bench')
    const [, level, index] = /\/tile\/(\d+)\/(\d+)$/.exec(url.pathname) ?? []
    const sendJson = (body: unknown) =>
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!url.pathname.startsWith('/api/systrail')) return false
    if (level !== undefined) sendJson({ hashes: toBase64(tiles.get(`${level}/${index}`)?.hashes ?? new Uint8Array()) })
    else if (url.pathname.endsWith('/checkpoint')) sendJson({ note, key, pending: 0 })
    else streamLeaves(response, leaves, Number(url.searchParams.get('from')), Number(url.searchParams.get('to')), note)
    return true
  }
}

function streamLeaves(
  response: ServerResponse,
  leaves: readonly string[],
  from: number,
  to: number,
  note: string,
): void {
  const toLine = (value: unknown) => `${JSON.stringify(value)}\n`
  const body = [
    toLine({ zone, from, to }),
    ...leaves.slice(from, to).map((leaf, index) => toLine({ index: from + index, leaf })),
    toLine({ count: to - from, note }),
  ]
  response.writeHead(200, { ...headers, 'content-type': 'application/x-ndjson' }).end(body.join(''))
}
