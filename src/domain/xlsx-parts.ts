/** Parts of a spreadsheet with one sheet (ECMA-376). Texts are text cells, so none is run as a formula (S-13). */

export const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
export const mainNamespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export const staticParts: Record<string, string> = {
  '[Content_Types].xml': `<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${officeNamespace}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${mainNamespace}" xmlns:r="${officeNamespace}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${officeNamespace}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/** Maximum length of a cell in UTF-16 units. Longer text is cut and marked. */
const maxCellChars = 32_767

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/**
 * Matches characters that XML 1.0 cannot represent, and the first character of texts such as `_x0041_`, which would be read as an escape.
 */
const unwritable = /[\p{Cc}\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/gu

function escapeText(value: string): string {
  const cutValue = value.length > maxCellChars ? `${value.slice(0, maxCellChars - 1)}…` : value
  return cutValue
    .toWellFormed()
    .replace(/[&<>]/g, (sign) => escapes[sign] ?? sign)
    .replace(unwritable, (sign) =>
      sign === '\n' || sign === '\t' ? sign : `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    )
}

export type Cell = string | number | { xml: string }

function formatCell(value: Cell): string {
  if (typeof value === 'object') return value.xml
  if (typeof value === 'number') return `<c><v>${value}</v></c>`
  return value === '' ? '<c/>' : `<c t="inlineStr"><is><t xml:space="preserve">${escapeText(value)}</t></is></c>`
}

/** Formats a row. A cell that is already XML stays as it is. */
export const formatRow = (cells: readonly Cell[]) => `<row>${cells.map(formatCell).join('')}</row>`
