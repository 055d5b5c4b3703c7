import { describe, expect, it } from 'vitest'
import { maxStatementSize } from '#contract/staff/bank-transfers.ts'
import { decodeStatement, readStatementFile } from '#features/money/transfers/decode-statement.ts'

const text = '日期,金额,备注\n2026-03-02,100.00,货款'
/** "日期,金额" in GB18030. */
const gbBytes = [0xc8, 0xd5, 0xc6, 0xda, 0x2c, 0xbd, 0xf0, 0xb6, 0xee]

describe('decodeStatement', () => {
  it('decodes UTF-8, with and without its mark', () => {
    const bytes = new TextEncoder().encode(text)
    expect(decodeStatement(bytes)).toBe(text)
    expect(decodeStatement(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes]))).toBe(text)
  })

  it('decodes GB18030, which is no valid UTF-8', () => {
    expect(decodeStatement(new Uint8Array(gbBytes))).toBe('日期,金额')
  })

  it('decodes UTF-16 with a mark', () => {
    const units = [...text].map((character) => character.charCodeAt(0))
    const littleEndian = units.flatMap((unit) => [unit & 0xff, unit >> 8])
    expect(decodeStatement(new Uint8Array([0xff, 0xfe, ...littleEndian]))).toBe(text)
    const bigEndian = units.flatMap((unit) => [unit >> 8, unit & 0xff])
    expect(decodeStatement(new Uint8Array([0xfe, 0xff, ...bigEndian]))).toBe(text)
  })
})

describe('readStatementFile', () => {
  it('accepts a file of the maximum size, counted in characters', async () => {
    const content = `${text}${'值'.repeat(maxStatementSize - text.length)}`
    expect(await readStatementFile(new File([content], 'march.csv'))).toEqual({
      kind: 'statement',
      name: 'march.csv',
      content,
    })
    expect(await readStatementFile(new File([`${content}.`], 'march.csv'))).toEqual({
      kind: 'fault',
      name: 'march.csv',
      fault: 'tooLarge',
    })
  })

  it('refuses an empty file, and one that cannot be read', async () => {
    expect(await readStatementFile(new File([' \n'], 'empty.csv'))).toMatchObject({ fault: 'empty' })
    const lostFile = new File(['x'], 'lost.csv')
    lostFile.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotFoundError'))
    expect(await readStatementFile(lostFile)).toMatchObject({ fault: 'unreadable' })
  })
})
