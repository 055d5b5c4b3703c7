import { describe, expect, it } from 'vitest'
import { toBase64 } from '#domain/audit-log/base64.ts'
import { hashLeaf } from '#domain/audit-log/hash.ts'
import { readLeafStream } from '#domain/audit-log/leaf-stream.ts'
import { buildAuditLeaf, getErrorCode } from './test-log.ts'

const buildHead = (fields: object = {}) => ({ zone: 'Asia/Hong_Kong', from: 5, to: 8, ...fields })
const body = [
  { index: 5, leaf: buildAuditLeaf(50) },
  { index: 6, hash: toBase64(hashLeaf('hidden')) },
  { index: 7, leaf: buildAuditLeaf(51) },
]
const lastLine = { count: 3, note: null }
const formatLines = (...lines: unknown[]) =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
const readStream = (stream: string) => readLeafStream(stream, { companyId: 7, from: 5 })

describe('the stream of log leaves', () => {
  it('contains rows with their index and hash, and only hashes of entries that the reader may not see', () => {
    const piece = readStream(formatLines(buildHead(), ...body, lastLine))
    expect(piece).toMatchObject({ zone: 'Asia/Hong_Kong', from: 5, to: 8 })
    expect(piece.entries.map(({ index, row }) => [index, row?.id, row?.day, row?.log_index])).toEqual([
      [5, 50, '2026-05-01', 5],
      [6, undefined, undefined, undefined],
      [7, 51, '2026-05-01', 7],
    ])
    expect(piece.entries[0]?.hash).toEqual(hashLeaf(buildAuditLeaf(50)))
    expect(readStream(formatLines(buildHead({ to: 5 }), { count: 0, note: null })).entries).toEqual([])
  })

  const cases: [string, string, string][] = [
    ['empty', '', 'STREAM_CUT'],
    ['cut within a line', formatLines(buildHead(), ...body, lastLine).slice(0, -9), 'STREAM_CUT'],
    ['without its last line', formatLines(buildHead(), ...body), 'STREAM_CUT'],
    ['an HTML page, as of a hotel Wi-Fi', '<!doctype html>\n<p>\n', 'STREAM_BAD'],
    ['with a line that is not JSON', formatLines(buildHead(), ...body.with(1, 'x' as never), lastLine), 'STREAM_BAD'],
    ['with null instead of an entry', formatLines(buildHead(), ...body.with(1, null as never), lastLine), 'STREAM_BAD'],
    ['without its first line', formatLines(...body, lastLine), 'STREAM_BAD'],
    ['of another range', formatLines(buildHead({ from: 4, to: 7 }), ...body, lastLine), 'STREAM_BAD'],
    ['of a range that ends before it begins', formatLines(buildHead({ to: 1 }), lastLine), 'STREAM_BAD'],
    ['with a missing entry', formatLines(buildHead(), body[0], body[2], lastLine), 'STREAM_BAD'],
    ['in another order', formatLines(buildHead(), ...body.toReversed(), lastLine), 'STREAM_BAD'],
    ['with an entry twice', formatLines(buildHead(), body[0], body[0], body[2], lastLine), 'STREAM_BAD'],
    [
      'with more entries than its first line states',
      formatLines(buildHead({ to: 7 }), ...body, lastLine),
      'STREAM_BAD',
    ],
    ['with a wrong count in its last line', formatLines(buildHead(), ...body, { ...lastLine, count: 2 }), 'STREAM_BAD'],
    [
      'with a leaf that is not an audit entry',
      formatLines(buildHead(), ...body.with(1, { index: 6, leaf: '{"v":1}' }), lastLine),
      'STREAM_BAD',
    ],
    [
      'with an entry without a time',
      formatLines(buildHead(), ...body.with(1, { index: 6, leaf: buildAuditLeaf(1, { time: 9e15 }) }), lastLine),
      'STREAM_BAD',
    ],
    ['with an unknown time zone', formatLines(buildHead({ zone: 'Mars/Olympus' }), ...body, lastLine), 'STREAM_BAD'],
    [
      'with neither leaf nor hash',
      formatLines(buildHead(), ...body.with(1, { index: 6 } as never), lastLine),
      'BAD_HASH',
    ],
    [
      'with a hash of three bytes',
      formatLines(buildHead(), ...body.with(1, { index: 6, hash: 'AAAA' }), lastLine),
      'BAD_HASH',
    ],
    [
      "with another company's entry",
      formatLines(buildHead(), ...body.with(1, { index: 6, leaf: buildAuditLeaf(2, { company: 8 }) }), lastLine),
      'OTHER_LOG',
    ],
  ]
  it.each(cases)('is rejected if it is faulty: %s', (_description, stream, code) => {
    expect(getErrorCode(() => readStream(stream))).toBe(code)
  })
})
