/** Reads PDFs with pdf.js, as a browser does. */
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs'

export interface PlacedPdfText {
  text: string
  /** In points, from the left and the lower edge of the page. */
  x: number
  y: number
  width: number
  height: number
}

export interface PdfPage {
  width: number
  height: number
  texts: PlacedPdfText[]
  /** Texts of the page, one line per row of the page. */
  lines: string[]
}

export interface PdfContent {
  pages: PdfPage[]
  info: Record<string, unknown>
}

export async function readPdf(bytes: Uint8Array): Promise<PdfContent> {
  // A copy, because pdf.js takes the memory of its input away.
  const task = getDocument({ data: Uint8Array.from(bytes), verbosity: 0, useSystemFonts: false, disableFontFace: true })
  const pdf = await task.promise
  const pages: PdfPage[] = []
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number)
    const { width, height } = page.getViewport({ scale: 1 })
    const { items } = await page.getTextContent()
    const texts = items.flatMap((item) =>
      'str' in item && item.str.trim() !== ''
        ? [{ text: item.str, x: item.transform[4], y: item.transform[5], width: item.width, height: item.height }]
        : [],
    )
    pages.push({ width, height, texts, lines: joinLines(texts) })
  }
  const { info } = await pdf.getMetadata()
  await task.destroy()
  return { pages, info: info as Record<string, unknown> }
}

function joinLines(texts: PlacedPdfText[]): string[] {
  const rows = Map.groupBy(texts, ({ y }) => Math.round(y))
  return [...rows]
    .toSorted(([first], [second]) => second - first)
    .map(([, row]) =>
      row
        .toSorted((first, second) => first.x - second.x)
        .map(({ text }) => text)
        .join(' '),
    )
}

/** Returns the names of the fonts in the file. The writer does not compress the objects that name them. */
export const readFontNames = (bytes: Buffer): string[] =>
  [...bytes.toString('latin1').matchAll(/\/FontName \/(\S+)/g)].map(([, name]) => name ?? '').toSorted()
