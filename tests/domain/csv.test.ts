import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatCsv } from '#domain/csv.ts'

/** Parses CSV exactly by RFC 4180, without code of the product. */
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

describe('formatCsv', () => {
  it('writes a UTF-8 byte order mark, quotes where needed and CRLF at line ends (RFC 4180)', () => {
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
  ])('writes a possible formula as text: %j (S-13)', (text) => {
    expect(readCsv(formatCsv([[text]]).slice(1))).toEqual([[`'${text}`]])
  })

  it.each(['-30.00', '-5', '12.50'])('writes a number as it is, also a negative one: %s', (text) => {
    expect(readCsv(formatCsv([[text]]).slice(1))).toEqual([[text]])
  })

  it('writes any text in a form that is read back unchanged', () => {
    const harmlessText = fc.string({ unit: 'binary' }).filter((text) => !/^[=+\-@＝＋－＠\t\r\n]/.test(text))
    const table = fc.array(fc.array(harmlessText, { minLength: 1, maxLength: 4 }), { maxLength: 5 })
    fc.assert(
      fc.property(table, (rows) => {
        expect(readCsv(formatCsv(rows).slice(1))).toEqual(rows)
      }),
    )
  })
})
