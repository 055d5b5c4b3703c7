/** A log of 100,000 entries over half a year, as a server would hand it to a device: leaves, tiles, a signed checkpoint. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { canonical } from '#domain/audit-log/canonical.ts'
import { signCheckpoint } from '#domain/audit-log/checkpoint.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { verifierKeyOf } from '#domain/audit-log/note.ts'
import type { Tile } from '#domain/audit-log/tiles.ts'
import { appendLeaves, type Edge, emptyEdge } from '#domain/audit-log/tree.ts'

export const entryCount = 100_000
export const zone = 'Asia/Hong_Kong'
export const companyId = 7
const firstTime = Date.UTC(2026, 0, 1)
const halfYearMs = 181 * 86_400_000
const codes = ['company', 'user', 'order', 'service', 'backup', 'system'] as const
const operations = ['create', 'update', 'delete', 'enable', 'disable', 'pay', 'print', 'login'] as const
const names = ['Li Wei', 'Ada Lovelace', '陈美玲', 'Elodie Durand', 'José Álvarez', 'Chan Tai Man']

/** Spread without a pattern that any index could profit from. */
const mixed = (n: number, salt: number) => Math.imul(n + salt, 2_654_435_761) >>> 8
const one = <T>(from: readonly T[], n: number, salt: number) => from[mixed(n, salt) % from.length] as T

function leafAt(n: number): string {
  return canonical({
    v: 1,
    id: 1_000 + n,
    company: companyId,
    actor_company: null,
    actor_hash: null,
    time: firstTime + Math.floor((n / entryCount) * halfYearMs),
    salt: `${mixed(n, 9).toString(16)}${mixed(n, 10).toString(16)}`.padStart(32, '0'),
    code: one(codes, n, 1),
    operation: one(operations, n, 2),
    user_id: 1 + (mixed(n, 3) % 400),
    user_name: one(names, n, 3),
    status: mixed(n, 4) % 12 === 0 ? -1 : 0,
    info: {
      CompanyName: `Company ${mixed(n, 5) % 300}`,
      ServiceCode: `svc${mixed(n, 6) % 9_000}`,
      UserName: one(names, n, 7),
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

/** What the calls of the audit trail answer. */
export function serveLog(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const leaves = Array.from({ length: entryCount }, (_, n) => leafAt(n))
  const tiles = new Map<string, Tile>()
  let edge: Edge = emptyEdge
  let root = new Uint8Array()
  for (let at = 0; at < entryCount; at += 1_000) {
    const grown = appendLeaves(edge, leaves.slice(at, at + 1_000).map(leafHash))
    edge = grown.edge
    root = new Uint8Array(grown.root)
    for (const tile of grown.changed) tiles.set(`${tile.level}/${tile.index}`, tile)
  }
  const signer = { name: 'bench/7', seed: new Uint8Array(32).fill(5) }
  const note = signCheckpoint({ origin: signer.name, size: entryCount, root, epoch: 0 }, signer)
  const key = verifierKeyOf(signer.name, signer.seed)
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://bench')
    const [, level, index] = /\/tile\/(\d+)\/(\d+)$/.exec(url.pathname) ?? []
    const json = (body: unknown) =>
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (!url.pathname.startsWith('/api/systrail')) return false
    if (level !== undefined) json({ hashes: toBase64(tiles.get(`${level}/${index}`)?.hashes ?? new Uint8Array()) })
    else if (url.pathname.endsWith('/checkpoint')) json({ note, key, pending: 0 })
    else stream(response, leaves, Number(url.searchParams.get('from')), Number(url.searchParams.get('to')), note)
    return true
  }
}

function stream(response: ServerResponse, leaves: readonly string[], from: number, to: number, note: string): void {
  const line = (value: unknown) => `${JSON.stringify(value)}\n`
  const body = [
    line({ zone, from, to }),
    ...leaves.slice(from, to).map((leaf, at) => line({ index: from + at, leaf })),
    line({ count: to - from, note }),
  ]
  response.writeHead(200, { ...headers, 'content-type': 'application/x-ndjson' }).end(body.join(''))
}
