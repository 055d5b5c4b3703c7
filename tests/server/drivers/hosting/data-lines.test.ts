import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatData, LineError, parseData } from '#server/drivers/hosting/data-lines.ts'
import type { DataPiece } from '#server/drivers/hosting/hosting-driver.ts'
import { buildShopPieces, dataPieces, streamPieces, ungroupRows } from '#tests/support/hosting/data-pieces.ts'

async function* streamBytes(text: string | Buffer, chunkSize = 1_000): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += chunkSize) yield bytes.subarray(start, start + chunkSize)
}

const format = async (pieces: readonly DataPiece[]) =>
  Buffer.concat(await Array.fromAsync(formatData(streamPieces(pieces))))
const parse = async (text: string | Buffer, chunkSize?: number) =>
  await Array.fromAsync(parseData(streamBytes(text, chunkSize)))

const column = '{"name":"a","type":"any","notNull":false,"key":0}'
const anyTable = `{"table":"t","columns":[${column}],"statement":""}\n`
const integerTable = anyTable.replace('any', 'integer')
const end = '{"end":[]}\n'

describe('the lines of the data', () => {
  it('return the same pieces, wherever the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(dataPieces, fc.integer({ min: 1, max: 50 }), async (pieces, chunkSize) => {
        const bytes = await format(pieces)
        const parsedPieces = await parse(bytes, chunkSize)
        expect(ungroupRows(parsedPieces)).toEqual(ungroupRows(pieces))
        expect(await format(parsedPieces)).toEqual(bytes)
      }),
      { numRuns: 60 },
    )
  })

  it('are grouped into pieces of at most 1,000 rows', async () => {
    const pieces = await parse(await format(buildShopPieces(2_500)))
    expect(pieces.flatMap((piece) => (piece.kind === 'rows' ? [piece.rows.length] : []))).toEqual([1_000, 1_000, 500])
  })

  it.each<[string, string | Buffer, string]>([
    ['without the last line', anyTable, 'the last line of the data is missing'],
    ['nothing at all', '', 'the last line of the data is missing'],
    ['cut within a line', `${anyTable}[1`, 'ends within a line'],
    ['cut before the last line end', `${anyTable}{"end":[]}`, 'ends within a line'],
    ['more after the last line', `${end}[1]\n`, 'continues after its last line'],
    ['an empty line after the last line', `${end}\n`, 'continues after its last line'],
    ['bytes that are not UTF-8', Buffer.from(`${anyTable}["\u00ff"]\n${end}`, 'latin1'), 'not UTF-8'],
    ['a page of HTML', '<html>\n</html>\n', 'not a JSON object or array'],
    ['a row before its table', `[1]\n${end}`, 'a row comes before its table'],
    ['another number of values', `${anyTable}[1,2]\n${end}`, 'does not have the columns'],
    ['a value of an unknown type', `${anyTable}[true]\n${end}`, 'unknown type'],
    ['a name of an object method as number', `${anyTable}[{"real":"toString"}]\n${end}`, 'unknown type'],
    ['an integer beyond 64 bits', `${anyTable}[{"int":"9223372036854775808"}]\n${end}`, 'unknown type'],
    ['an integer that JSON rounds', `${integerTable}[9007199254740993]\n${end}`, 'beyond 2^53'],
    ['a fraction in an integer column', `${integerTable}[1.5]\n${end}`, 'not an integer'],
    ['too many columns', anyTable.replace(column, Array<string>(2_001).fill(column).join(',')), 'neither a row'],
    ['very many values', `${anyTable}[${'[],'.repeat(200_000)}0]\n${end}`, 'too many values'],
    ['very many objects', `${anyTable}[[${'{},'.repeat(100_000)}"\\\\\\"",1]]\n${end}`, 'too many values'],
  ])('are refused with %s', async (_, text, message) => {
    await expect(parse(text)).rejects.toMatchObject({ name: 'LineError', message: expect.stringContaining(message) })
  })

  it('may have a long text with many brackets and quotes', async () => {
    const text = '[{"\\",'.repeat(100_000)
    const pieces: DataPiece[] = [
      { kind: 'table', name: 't', columns: [{ name: 'a', type: 'text', notNull: false, key: 0 }], statement: '' },
      { kind: 'rows', rows: [[text]] },
      { kind: 'end', statements: [] },
    ]
    expect(await parse(await format(pieces), 65_536)).toEqual(pieces)
  })

  it('have a maximum length, which neither the reader nor the writer exceeds', async () => {
    let sentBytes = 0
    async function* endlessLine(): AsyncGenerator<Uint8Array> {
      for (; sentBytes < 2 ** 24; sentBytes += 1_000) yield Buffer.alloc(1_000, 0x20)
    }
    await expect(Array.fromAsync(parseData(endlessLine(), { maxLine: 10_000 }))).rejects.toThrow('a line is too long')
    expect(sentBytes).toBeLessThan(20_000)
    const longLine = `${anyTable}["${'x'.repeat(200)}"]\n${end}`
    await expect(Array.fromAsync(parseData(streamBytes(longLine), { maxLine: 200 }))).rejects.toThrow('too long')
    const pieces = await parse(longLine)
    await expect(Array.fromAsync(formatData(streamPieces(pieces), { maxLine: 200 }))).rejects.toThrow(LineError)
  })

  it('are written in chunks, and an error of the pieces is rethrown unchanged', async () => {
    const chunks = await Array.fromAsync(formatData(streamPieces(buildShopPieces(20_000))))
    expect(chunks.length).toBeGreaterThan(3)
    const failure = new Error('the store failed')
    async function* failingPieces(): AsyncGenerator<DataPiece> {
      yield* buildShopPieces(1).slice(0, 1)
      throw failure
    }
    await expect(Array.fromAsync(formatData(failingPieces()))).rejects.toBe(failure)
  })
})
