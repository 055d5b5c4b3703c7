import '#features/modules/words.ts'
import { createSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/modules/sheet.css?url'

/** The look of the catalogue's pages. */
export const Sheet = createSheet(sheet, 'modules')
