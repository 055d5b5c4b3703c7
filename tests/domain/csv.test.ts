import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCsv } from '#domain/csv.ts'

/** A reader of its own, to the letter of RFC 4180. */
function readCsv(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let position = 0
  while (position < csv.length) {
    let text = ''
    if (csv[position] === '"') {
      for (position += 1; csv[position] !== '"' || csv[position + 1] === '"'; position += 1) {
        text += csv[position]
        if (csv[position] === '"') position += 1
      }
      position += 1
    } else
      while (position < csv.length && csv[position] !== ',' && !csv.startsWith('\r\n', position))
        text += csv[position++]
    row.push(text)
    if (csv.startsWith('\r\n', position)) {
      rows.push(row)
      row = []
      position += 2
    } else position += 1
  }
  return rows
}

describe('a table as CSV', () => {
  it('says that it is UTF-8, quotes what needs it and ends each line with CRLF (RFC 4180)', () => {
    const rows = [
      ['姓名', 'E-mail'],
      ['Li "Wei", Dr', 'a;b'],
      ['two\nlines', ' blank '],
    ]
    expect(formatCsv(rows)).toBe('\uFEFF姓名,E-mail\r\n"Li ""Wei"", Dr","a;b"\r\n"two\nlines"," blank "\r\n')
  })

  it.each([
    ['=HYPERLINK("http://evil.example","x")'],
    ['+1+1'],
    ['-2+3'],
    ['@SUM(A1)'],
    ['\t=1'],
    ['\r=1'],
    ['\n=1'],
    ['＝1+1'],
    ['＋1'],
    ['－1'],
    ['＠A1'],
  ])('makes text of what would be a formula: %j (S-13)', (text) => {
    expect(readCsv(formatCsv([[text]]).slice(1))).toEqual([[`'${text}`]])
  })

  it('is read back as it was, whatever stands in it', () => {
    const harmlessText = fc.string({ unit: 'binary' }).filter((text) => !/^[=+\-@＝＋－＠\t\r\n]/.test(text))
    const table = fc.array(fc.array(harmlessText, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
    fc.assert(
      fc.property(table, (rows) => {
        expect(readCsv(formatCsv(rows).slice(1))).toEqual(rows)
      }),
    )
  })
})
