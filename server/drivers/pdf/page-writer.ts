/** Writes text on the pages of a PDF, from top to bottom. All lengths are in points. */
import PDFDocument from 'pdfkit'
import { DocumentFonts } from '#server/drivers/pdf/fonts.ts'
import { type TextLine, type TextStyle, wrapText } from '#server/drivers/pdf/wrap-text.ts'

const millimetre = 72 / 25.4
const page = { width: 210 * millimetre, height: 297 * millimetre }
const margin = { side: 16 * millimetre, top: 16 * millimetre, bottom: 22 * millimetre }
export const contentWidth = page.width - 2 * margin.side
const footerTop = page.height - 14 * millimetre
/** Line height, and position of the base line in it, as factors of the font size. */
const lineHeight = 1.45
const baseLine = 1.085

export const colors = { text: '#14232a', quiet: '#53636b', brand: '#0b6671', line: '#d3dde1' } as const

export interface PlacedText {
  text: string
  style: TextStyle
  /** From the left edge of the content. */
  x: number
  width: number
  align?: 'left' | 'right'
}

interface PageWriterInput {
  title: string
  author: string
  language: string
  date: Date
}

export class PageWriter {
  readonly #pdf: PDFKit.PDFDocument
  readonly #fonts = new DocumentFonts()
  readonly #chunks: Buffer[] = []
  #y = margin.top
  #hasReplacements = false

  constructor({ title, author, language, date }: PageWriterInput) {
    this.#pdf = new PDFDocument({
      size: [page.width, page.height],
      margin: 0,
      bufferPages: true,
      // Otherwise a font that is not embedded would be in the file.
      font: null as unknown as string,
      lang: language,
      displayTitle: true,
      info: { Title: title, Author: author, Creator: author, Producer: author, CreationDate: date, ModDate: date },
    })
    this.#pdf.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
  }

  /** Whether a character was drawn as a square, because no font has it. */
  get hasReplacements(): boolean {
    return this.#hasReplacements
  }

  moveDown(height: number): void {
    this.#y += height
  }

  wrap(placedText: Pick<PlacedText, 'text' | 'style' | 'width'>): TextLine[] {
    return wrapText(this.#fonts, placedText.text, placedText.style, placedText.width)
  }

  measureHeight(row: readonly PlacedText[]): number {
    return Math.max(0, ...row.map((cell) => this.wrap(cell).length * cell.style.size * lineHeight))
  }

  /** Begins a new page if `height` does not fit on this one, but would on an empty page. Returns whether it did. */
  keepTogether(height: number): boolean {
    const isTooLow = this.#y + height > page.height - margin.bottom
    if (!isTooLow || this.#y === margin.top || height > page.height - margin.bottom - margin.top) return false
    this.#addPage()
    return true
  }

  /** Writes texts side by side. The longest one determines the height. A row that is higher than a page continues on the next one. */
  writeRow(row: readonly PlacedText[]): void {
    const cells = row.map((cell) => ({ ...cell, lines: this.wrap(cell), height: cell.style.size * lineHeight }))
    const lineCount = Math.max(0, ...cells.map(({ lines }) => lines.length))
    const height = Math.max(0, ...cells.map((cell) => cell.height))
    const base = Math.max(0, ...cells.map(({ style }) => style.size * baseLine))
    for (let index = 0; index < lineCount; index++) {
      if (this.#y + height > page.height - margin.bottom) this.#addPage()
      for (const { lines, ...cell } of cells) {
        const line = lines[index]
        // Texts of different sizes in a row have a common base line.
        if (line) this.#drawLine(line, cell, this.#y + base - cell.style.size * baseLine)
      }
      this.#y += height
    }
  }

  /**
   * Writes columns of rows side by side. A column does not wait for the rows of another one, and continues on the next page. All texts must
   * have the same size.
   */
  writeColumns(columns: readonly PlacedText[][][]): void {
    const columnLines = columns.map((rows) => rows.flatMap((row) => this.#splitRow(row)))
    const lineCount = Math.max(0, ...columnLines.map((lines) => lines.length))
    for (let index = 0; index < lineCount; index++) {
      const cells = columnLines.flatMap((lines) => lines[index] ?? [])
      const height = Math.max(0, ...cells.map(({ style }) => style.size * lineHeight))
      if (this.#y + height > page.height - margin.bottom) this.#addPage()
      for (const { line, ...cell } of cells) this.#drawLine(line, cell, this.#y)
      this.#y += height
    }
  }

  drawRule(color: string, thickness: number, { x = 0, width = contentWidth } = {}): void {
    this.#pdf.rect(margin.side + x, this.#y, width, thickness).fill(color)
  }

  /** Writes the foot of every page, and returns the file. */
  async finish(footer: string, style: TextStyle): Promise<Buffer> {
    const { start, count } = this.#pdf.bufferedPageRange()
    const numberWidth = 60
    for (let index = 0; index < count; index++) {
      this.#pdf.switchToPage(start + index)
      this.#y = footerTop
      this.drawRule(colors.line, 0.5)
      const number: PlacedText = {
        text: `${index + 1} / ${count}`,
        style,
        x: contentWidth - numberWidth,
        width: numberWidth,
        align: 'right',
      }
      const note: PlacedText = { text: footer, style, x: 0, width: contentWidth - numberWidth - 24 }
      for (const cell of [note, number]) {
        const line = this.#shorten(cell)
        if (line) this.#drawLine(line, cell, footerTop + 5)
      }
    }
    const ended = new Promise<void>((resolve, reject) => this.#pdf.on('end', resolve).on('error', reject))
    this.#pdf.end()
    await ended
    return Buffer.concat(this.#chunks)
  }

  /** Returns the lines of a row, each with those cells that are not at their end. */
  #splitRow(row: readonly PlacedText[]) {
    const cells = row.map((cell) => ({ cell, lines: this.wrap(cell) }))
    const lineCount = Math.max(0, ...cells.map(({ lines }) => lines.length))
    return Array.from({ length: lineCount }, (_, index) =>
      cells.flatMap(({ cell, lines }) => {
        const line = lines[index]
        return line ? [{ ...cell, line }] : []
      }),
    )
  }

  /** Returns the text on one line, with an ellipsis if it does not fit. */
  #shorten(cell: PlacedText): TextLine | undefined {
    const [line, nextLine] = this.wrap(cell)
    const [ellipsis] = this.wrap({ ...cell, text: '…' })
    return line && nextLine && ellipsis ? { ...line, pieces: [...line.pieces, ...ellipsis.pieces] } : line
  }

  #addPage(): void {
    this.#pdf.addPage()
    this.#y = margin.top
  }

  #drawLine(line: TextLine, { style, x, width, align = 'left' }: Omit<PlacedText, 'text'>, y: number): void {
    let left = margin.side + x + (align === 'right' ? width - line.width : 0)
    const baseline = y + style.size * baseLine
    this.#pdf.fontSize(style.size).fillColor(style.color)
    for (const piece of line.pieces) {
      const { text, font: name } = piece
      if (piece.isReplacement) this.#hasReplacements = true
      this.#pdf.registerFont(name, this.#fonts.get(name) as unknown as Buffer).font(name)
      this.#pdf.text(text, left, baseline, { lineBreak: false, baseline: 'alphabetic' })
      left += this.#pdf.widthOfString(text)
    }
  }
}
