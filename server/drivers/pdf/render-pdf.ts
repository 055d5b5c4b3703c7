/** Lays out an issued document as a PDF. Equal documents give equal bytes. */
import { findInstant } from '#domain/time.ts'
import type {
  DocumentFact,
  DocumentHighlight,
  DocumentLine,
  DocumentParty,
  DocumentSection,
  AmountTable,
  DocumentTotal,
  IssuedDocument,
} from '#server/drivers/pdf/issued-document.ts'
import { colors, contentWidth, PageWriter, type PlacedText } from '#server/drivers/pdf/page-writer.ts'
import type { TextStyle } from '#server/drivers/pdf/wrap-text.ts'

const styles = {
  company: { size: 9.5, weight: 'bold', color: colors.brand },
  title: { size: 20, weight: 'bold', color: colors.text },
  number: { size: 12, weight: 'bold', color: colors.text },
  state: { size: 9.5, weight: 'bold', color: colors.brand },
  section: { size: 9.5, weight: 'bold', color: colors.brand },
  strong: { size: 9.5, weight: 'bold', color: colors.text },
  text: { size: 9.5, weight: 'regular', color: colors.text },
  label: { size: 9.5, weight: 'regular', color: colors.quiet },
  total: { size: 12, weight: 'bold', color: colors.text },
  highlight: { size: 18, weight: 'bold', color: colors.text },
  small: { size: 8, weight: 'regular', color: colors.quiet },
} as const satisfies Record<string, TextStyle>

const columnGap = 24
const columnWidth = (contentWidth - columnGap) / 2
const labelWidth = 92
const labelGap = 4
const amountWidth = 110
const totalsLeft = contentWidth - 290
const languageTags = { en: 'en', zh: 'zh-Hans' } as const

export async function renderPdf(document: IssuedDocument): Promise<Buffer> {
  const { parties, sections, table, totals, highlight, notes, title, number, language, footer } = document
  const writer = new PageWriter({
    title: `${title} ${number}`,
    author: parties[0]?.name ?? '',
    language: languageTags[language],
    date: getIssueDate(document),
  })
  writeHead(writer, document)
  writeParties(writer, parties)
  if (highlight) writeHighlight(writer, highlight)
  for (const section of sections) writeSection(writer, section)
  if (table) writeTable(writer, table)
  writeTotals(writer, totals)
  writer.moveDown(14)
  const allNotes = writer.hasReplacements ? [...notes, document.squaresNote] : notes
  for (const text of allNotes) writer.writeRow([{ text, style: styles.small, x: 0, width: contentWidth }])
  return await writer.finish(footer, styles.small)
}

function getIssueDate({ issued, timeZone }: IssuedDocument): Date {
  const instant = findInstant(timeZone, issued)
  if (instant === null) throw new Error('the time of issue is not a time')
  return new Date(instant)
}

function writeHead(writer: PageWriter, { parties, title, number, state }: IssuedDocument): void {
  const rightWidth = 170
  const left = { x: 0, width: contentWidth - rightWidth - 12 }
  const right = { x: contentWidth - rightWidth, width: rightWidth, align: 'right' as const }
  writer.writeRow([
    { text: parties[0]?.name ?? '', style: styles.company, ...left },
    { text: state, style: styles.state, ...right },
  ])
  writer.writeRow([
    { text: title, style: styles.title, ...left },
    { text: number, style: styles.number, ...right },
  ])
  writer.moveDown(4)
  writer.drawRule(colors.brand, 1.5)
  writer.moveDown(1.5)
}

const placeFact = ([label, value]: DocumentFact, x: number, width: number): PlacedText[] => [
  { text: label, style: styles.label, x, width: labelWidth - labelGap },
  { text: value, style: styles.text, x: x + labelWidth, width: width - labelWidth },
]

function writeParties(writer: PageWriter, parties: DocumentParty[]): void {
  writer.moveDown(14)
  const columns = parties.map(({ role, name, addressLines, facts }, index) => {
    const x = index * (columnWidth + columnGap)
    const cell = { x, width: columnWidth }
    return [
      [{ text: role, style: styles.section, ...cell }],
      [{ text: name, style: styles.strong, ...cell }],
      ...addressLines.map((text) => [{ text, style: styles.text, ...cell }]),
      ...facts.map((fact) => placeFact(fact, x, columnWidth)),
    ]
  })
  writer.writeColumns(columns)
}

function writeSection(writer: PageWriter, { title, facts }: DocumentSection): void {
  writer.moveDown(14)
  const half = Math.ceil(facts.length / 2)
  const rightX = columnWidth + columnGap
  const columns = [
    facts.slice(0, half).map((fact) => placeFact(fact, 0, columnWidth)),
    facts.slice(half).map((fact) => placeFact(fact, rightX, columnWidth)),
  ]
  const firstHeight = writer.measureHeight(columns.flatMap((rows) => rows[0] ?? []))
  writer.keepTogether(styles.section.size * 2 + firstHeight)
  writer.writeRow([{ text: title, style: styles.section, x: 0, width: contentWidth }])
  writer.moveDown(2)
  writer.writeColumns(columns)
}

/** Between two rules, so that nobody overlooks it. */
function writeHighlight(writer: PageWriter, { label, value, text }: DocumentHighlight): void {
  const cell = { x: 0, width: contentWidth }
  const rows = [
    { text: label, style: styles.label, ...cell },
    { text: value, style: styles.highlight, ...cell },
    { text, style: styles.text, ...cell },
  ]
  writer.moveDown(14)
  writer.keepTogether(rows.reduce((sum, row) => sum + writer.measureHeight([row]), 20))
  writer.drawRule(colors.brand, 1)
  writer.moveDown(6)
  for (const row of rows) writer.writeRow([row])
  writer.moveDown(5)
  writer.drawRule(colors.brand, 1)
}

const cellPadding = 2.5
/** Space between text and amount in the table. */
const cellGap = 12

const placeLine = ({ text, amount, isSum }: DocumentLine): PlacedText[] => {
  const style = isSum ? styles.strong : styles.text
  return [
    { text, style, x: 0, width: contentWidth - amountWidth - cellGap },
    { text: amount, style, x: contentWidth - amountWidth, width: amountWidth, align: 'right' },
  ]
}

/** Each page has the table's head. Rows are not split over two pages. */
function writeTable(writer: PageWriter, { title, heads, lines }: AmountTable): void {
  const [text, amount] = heads
  const writeTableHead = () => {
    writer.writeRow([
      { text, style: styles.label, x: 0, width: contentWidth - amountWidth - cellGap },
      { text: amount, style: styles.label, x: contentWidth - amountWidth, width: amountWidth, align: 'right' },
    ])
    writer.moveDown(cellPadding)
    writer.drawRule(colors.quiet, 0.75)
    writer.moveDown(cellPadding)
  }
  writer.moveDown(14)
  writer.keepTogether(90)
  writer.writeRow([{ text: title, style: styles.section, x: 0, width: contentWidth }])
  writer.moveDown(2)
  writeTableHead()
  for (const line of lines) {
    const cells = placeLine(line)
    if (writer.keepTogether(writer.measureHeight(cells) + 2 * cellPadding)) writeTableHead()
    writer.writeRow(cells)
    writer.moveDown(cellPadding)
    writer.drawRule(colors.line, 0.5)
    writer.moveDown(cellPadding)
  }
}

const totalStyles = {
  part: { label: styles.label, value: styles.text },
  total: { label: styles.total, value: styles.total },
  words: { label: styles.label, value: styles.strong },
} as const

function placeTotal({ kind, label, value }: DocumentTotal): PlacedText[] {
  const style = totalStyles[kind]
  const ownLabelWidth = kind === 'words' ? 60 : 140
  const valueLeft = totalsLeft + ownLabelWidth
  return [
    { text: label, style: style.label, x: totalsLeft, width: ownLabelWidth - 8 },
    { text: value, style: style.value, x: valueLeft, width: contentWidth - valueLeft, align: 'right' },
  ]
}

/** The totals stay together, so that nobody takes a part of them for the whole. */
function writeTotals(writer: PageWriter, totals: DocumentTotal[]): void {
  const rows = totals.map((total) => ({ kind: total.kind, cells: placeTotal(total) }))
  const heights = rows.map(({ cells }) => writer.measureHeight(cells) + 8)
  writer.moveDown(10)
  writer.keepTogether(heights.reduce((sum, height) => sum + height, 0))
  for (const { kind, cells } of rows) {
    if (kind === 'total') drawTotalRule(writer)
    writer.writeRow(cells)
    writer.moveDown(2)
    if (kind === 'total') drawTotalRule(writer)
  }
}

function drawTotalRule(writer: PageWriter): void {
  writer.moveDown(1)
  writer.drawRule(colors.text, 1, { x: totalsLeft, width: contentWidth - totalsLeft })
  writer.moveDown(3)
}
