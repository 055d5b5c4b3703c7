import { beforeAll, describe, expect, it } from 'vitest'
import { renderPdf } from '#server/drivers/pdf/render-pdf.ts'
import { buildInvoice } from '#server/use-cases/documents/build-invoice.ts'
import type { FrozenInvoice } from '#server/use-cases/documents/frozen-content.ts'
import { createInvoiceContent, createParty, createUserSteps } from '#tests/support/documents/invoice-content.ts'
import { type PdfContent, type PlacedPdfText, readFontNames, readPdf } from '#tests/support/documents/read-pdf.ts'

const render = (fields: Partial<FrozenInvoice> = {}, language: 'en' | 'zh' = 'zh') =>
  renderPdf(buildInvoice(createInvoiceContent(fields), { language, timeZone: 'Asia/Hong_Kong' }))

const margin = 45
const findOutside = ({ pages }: PdfContent): PlacedPdfText[] =>
  pages.flatMap(({ width, texts }) =>
    texts.filter((text) => text.x < margin || text.x + text.width > width - margin + 1 || text.y < 20),
  )

/** Returns pairs of texts that cover each other. Lines of text are higher than their letters, so a common edge is fine. */
const findOverlaps = ({ pages }: PdfContent): [string, string][] =>
  pages.flatMap(({ texts }) =>
    texts.flatMap((text, index) =>
      texts
        .slice(index + 1)
        .filter(
          (other) =>
            Math.abs(text.y - other.y) < Math.min(text.height, other.height) * 0.8 &&
            text.x + text.width > other.x + 0.5 &&
            other.x + other.width > text.x + 0.5,
        )
        .map(({ text: otherText }): [string, string] => [text.text, otherText]),
    ),
  )

describe('the PDF of an invoice', () => {
  let bytes: Buffer
  let pdf: PdfContent
  beforeAll(async () => {
    bytes = await render()
    pdf = await readPdf(bytes)
  })

  it('has its texts in Chinese on one A4 page, in the order of reading', () => {
    expect(pdf.pages.map(({ width, height }) => [Math.round(width), Math.round(height)])).toEqual([[595, 842]])
    const lines = pdf.pages[0]?.lines ?? []
    const expectedLines = [
      /^发票（Invoice） I202611000001$/,
      /^示例软件（上海）有限公司 北京市鑫淼堃科技有限公司$/,
      /^税号 91310000MA1FL0XX0X 税号 91310000MA1FL0XX0X$/,
      /^采购订单号 PO-2026-0042 付款编号 2026113022001400001234567890$/,
      /服务期 2026-12-01 至 2027-11-30$/,
      /^模块财务管理 20,000.00$/,
      /^合计 RMB 80,000.00$/,
      /^大写 捌万元整$/,
      /^发票（Invoice） I202611000001 · 示例软件（上海）有限公司 1 \/ 1$/,
    ]
    const positions = expectedLines.map((pattern) => lines.findIndex((line) => pattern.test(line)))
    expect(positions, lines.join('\n')).not.toContain(-1)
    expect(positions).toEqual(positions.toSorted((first, second) => first - second))
  })

  it('embeds only the used letters of its fonts, and is small', () => {
    expect(readFontNames(bytes)).toEqual(['BZZZZZ+NotoSansSC-SemiBold', 'CZZZZZ+NotoSansSC-Regular'])
    expect(bytes.toString('latin1').match(/\/FontFile2 /g)).toHaveLength(2)
    expect(bytes.length).toBeLessThan(200_000)
  })

  it('names the document, the seller and the language, and no time of its own', () => {
    expect(pdf.info).toMatchObject({
      Title: '发票（Invoice） I202611000001',
      Author: '示例软件（上海）有限公司',
      Language: 'zh-Hans',
      CreationDate: 'D:20261130040000Z',
      ModDate: 'D:20261130040000Z',
    })
  })

  it('aligns the amounts at their right edge', () => {
    const amounts = pdf.pages[0]?.texts.filter(({ text }) => /^(RMB )?[\d,]+\.\d\d$/.test(text)) ?? []
    expect(amounts.length).toBeGreaterThan(5)
    const edges = amounts.map(({ x, width }) => x + width)
    expect(Math.max(...edges) - Math.min(...edges)).toBeLessThan(0.5)
  })

  it('has equal bytes for equal content, also after other documents, and others in another language', async () => {
    await render({ service: { code: 'x', name: '⽊ K 木 Ω' } })
    expect((await render()).equals(bytes)).toBe(true)
    expect((await render({}, 'en')).equals(bytes)).toBe(false)
  })

  it('repeats the head of the table on each page, numbers the pages, and splits no line', async () => {
    const lines = createUserSteps(300)
    const longBytes = await render({ lines })
    const { pages } = await readPdf(longBytes)
    expect(pages.length).toBeGreaterThan(5)
    for (const [index, page] of pages.entries()) {
      expect(page.lines.at(-1)).toMatch(new RegExp(` ${index + 1} / ${pages.length}$`))
      const rows = page.lines.filter((line) => /^第 \d+ 至/.test(line))
      expect(rows.every((line) => line.endsWith(' 6,000.00'))).toBe(true)
      if (rows.length > 0) expect(page.lines.filter((line) => line === '项目 金额（RMB）')).toHaveLength(1)
    }
    const allLines = pages.flatMap((page) => page.lines)
    expect(allLines.filter((line) => /^第 \d+ 至/.test(line))).toHaveLength(300)
    expect(longBytes.length).toBeLessThan(200_000)
  })
})

describe('hostile texts in a PDF', () => {
  const names: [string, string][] = [
    ['300 characters without a space', 'W'.repeat(300)],
    ['300 Han characters', '汉'.repeat(300)],
    ['markup', '<script>alert(1)</script>'],
    ['line breaks and control characters', 'one\r\ntwo\tthree\u0000\u0007\u2028four'],
    ['characters without a width and of direction', 'a\u200bb\u200d\ufeffc\u202egpj.exe\u2066'],
    ['many combining marks', `Z${'\u0351\u036b\u0343'.repeat(40)}algo`],
    ['Arabic and Hebrew', 'شركة الاختبار חברה'],
    ['emoji', '😀👨‍👩‍👧🇭🇰'],
    ['half a surrogate pair', 'a\ud800b'],
    ['rare Han characters', '𠮷野家㛃𬭁'],
    ['nothing', ''],
  ]

  it.each(names)('neither fail nor leave their place: %s', async (_, name) => {
    const party = createParty({ name, addr1: name, tax_number: name })
    const service = { code: 'x', name }
    const content = await readPdf(await render({ seller: party, buyer: party, service, po_number: name }, 'en'))
    expect(findOutside(content)).toEqual([])
    expect(findOverlaps(content)).toEqual([])
    // What follows the hostile texts is complete.
    expect(content.pages.flatMap(({ lines }) => lines).join('\n')).toMatch(/Total RMB 80,000\.00/)
  })

  const readName = async (name: string) => {
    const { pages } = await readPdf(await render({ seller: createParty({ name, addr1: 'END' }), buyer: null }, 'en'))
    const text = pages.flatMap(({ lines }) => lines).join('\n')
    return { text, name: /Provider\n([\s\S]*?)\nEND/.exec(text)?.[1] }
  }

  it('show what a reader sees, on one line and in the order of writing', async () => {
    expect((await readName('one\r\ntwo\tthree\u0000\u0007')).name).toBe('one two three')
    expect((await readName('a\u200bb\u202egpj.exe')).name).toBe('abgpj.exe')
    expect((await readName('<script>alert(1)</script>')).name).toBe('<script>alert(1)</script>')
  })

  it('show rarer letters of European languages, and plain forms of decorated letters', async () => {
    expect((await readName('Łódź Świętokrzyska Ελλάδα Ђорђе')).name).toBe('Łódź Świętokrzyska Ελλάδα Ђорђе')
    expect((await readName('𝐀𝐁 Ltd')).name).toBe('AB Ltd')
  })

  it('show a square for what no font has, and say so', async () => {
    const { name, text } = await readName('شركة Ltd')
    expect(name).toBe('□□□□ Ltd')
    expect(text).toContain('A □ stands for a character')
    expect((await readName('Plain Ltd')).text).not.toContain('□')
    expect((await readName('𠮷野家')).name).toBe('□野家')
  })

  it('say nothing about missing characters if the text itself has a square', async () => {
    const { name, text } = await readName('□ Square □ Ltd')
    expect(name).toBe('□ Square □ Ltd')
    expect(text).not.toContain('A □ stands for a character')
  })
})
