import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { fromBufferPromise } from 'yauzl'
import { expect, it } from 'vitest'
import { formatXlsx } from '#patterns/list-export/format-xlsx.ts'

const sheetName = 'xl/worksheets/sheet1.xml'

async function readSheet(rows: Parameters<typeof formatXlsx>[0]) {
  const zip = await fromBufferPromise(Buffer.from(formatXlsx(rows)), { lazyEntries: true, autoClose: false })
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const bytes = await buffer(await zip.openReadStreamPromise(entry))
    expect([entry.fileName, entry.crc32]).toEqual([entry.fileName, crc32(bytes)])
    files.set(entry.fileName, bytes.toString('utf8'))
  }
  return { names: [...files.keys()], xml: files.get(sheetName) ?? '' }
}

it('formatXlsx writes the files of a workbook, which another reader reads with their check sums', async () => {
  const { names, xml } = await readSheet([['编号', 'Amount']])
  expect(names.toSorted()).toEqual(
    ['[Content_Types].xml', '_rels/.rels', 'xl/workbook.xml', 'xl/_rels/workbook.xml.rels', sheetName].toSorted(),
  )
  expect(xml).toContain('<is><t xml:space="preserve">编号</t></is>')
})

it('formatXlsx writes numbers with all digits, and texts as texts, also those that look like a formula', async () => {
  const { xml } = await readSheet([
    ['=1+1', 'a<b', ''],
    [{ number: '-1234567890.10' }, { number: '0.00' }, { number: '1e5' }],
  ])
  expect(xml).toContain('<t xml:space="preserve">=1+1</t>')
  expect(xml).toContain('a&lt;b')
  expect(xml).toContain('<c><v>-1234567890.10</v></c><c><v>0.00</v></c>')
  // What is no decimal number stays a text.
  expect(xml).toContain('<t xml:space="preserve">1e5</t>')
})
