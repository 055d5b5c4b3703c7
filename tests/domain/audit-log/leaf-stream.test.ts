import { describe, expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { leafHash } from '#domain/audit-log/hash.ts'
import { readLeafStream } from '#domain/audit-log/leaf-stream.ts'
import { auditLeaf, codeOf } from './logs.ts'

const head = (over: object = {}) => ({ zone: 'Asia/Hong_Kong', from: 5, to: 8, ...over })
const body = [
  { index: 5, leaf: auditLeaf(50) },
  { index: 6, hash: toBase64(leafHash('hidden')) },
  { index: 7, leaf: auditLeaf(51) },
]
const end = { count: 3, note: null }
const text = (...lines: unknown[]) =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
const read = (stream: string) => readLeafStream(stream, { companyId: 7, from: 5 })

describe('the leaves of a range as they come', () => {
  it('are rows with their places and hashes, and hashes alone of what the reader may not see', () => {
    const piece = read(text(head(), ...body, end))
    expect(piece).toMatchObject({ zone: 'Asia/Hong_Kong', from: 5, to: 8 })
    expect(piece.entries.map(({ index, row }) => [index, row?.id, row?.day, row?.log_index])).toEqual([
      [5, 50, '2026-05-01', 5],
      [6, undefined, undefined, undefined],
      [7, 51, '2026-05-01', 7],
    ])
    expect(piece.entries[0]?.hash).toEqual(leafHash(auditLeaf(50)))
    expect(read(text(head({ to: 5 }), { count: 0, note: null })).entries).toEqual([])
  })

  const cases: [string, string, string][] = [
    ['nothing', '', 'STREAM_CUT'],
    ['cut within a line', text(head(), ...body, end).slice(0, -9), 'STREAM_CUT'],
    ['without its last line', text(head(), ...body), 'STREAM_CUT'],
    ['that is the page of a hotel', '<!doctype html>\n<p>\n', 'STREAM_BAD'],
    ['with a line that is no JSON', text(head(), ...body.with(1, 'x' as never), end), 'STREAM_BAD'],
    ['with null for an entry', text(head(), ...body.with(1, null as never), end), 'STREAM_BAD'],
    ['without its first line', text(...body, end), 'STREAM_BAD'],
    ['of another range', text(head({ from: 4, to: 7 }), ...body, end), 'STREAM_BAD'],
    ['of a range that ends before it begins', text(head({ to: 1 }), end), 'STREAM_BAD'],
    ['with a gap', text(head(), body[0], body[2], end), 'STREAM_BAD'],
    ['in another order', text(head(), ...body.toReversed(), end), 'STREAM_BAD'],
    ['with an entry twice', text(head(), body[0], body[0], body[2], end), 'STREAM_BAD'],
    ['with more entries than it said', text(head({ to: 7 }), ...body, end), 'STREAM_BAD'],
    ['with another count', text(head(), ...body, { ...end, count: 2 }), 'STREAM_BAD'],
    ['with a leaf that is no entry', text(head(), ...body.with(1, { index: 6, leaf: '{"v":1}' }), end), 'STREAM_BAD'],
    [
      'with an entry without a time',
      text(head(), ...body.with(1, { index: 6, leaf: auditLeaf(1, { time: 9e15 }) }), end),
      'STREAM_BAD',
    ],
    ['in a zone that is none', text(head({ zone: 'Mars/Olympus' }), ...body, end), 'STREAM_BAD'],
    ['with neither leaf nor hash', text(head(), ...body.with(1, { index: 6 } as never), end), 'BAD_HASH'],
    ['with a hash of three bytes', text(head(), ...body.with(1, { index: 6, hash: 'AAAA' }), end), 'BAD_HASH'],
    [
      "with another company's entry",
      text(head(), ...body.with(1, { index: 6, leaf: auditLeaf(2, { company: 8 }) }), end),
      'OTHER_LOG',
    ],
  ]
  it.each(cases)('are refused %s', (_what, stream, code) => {
    expect(codeOf(() => read(stream))).toBe(code)
  })
})
