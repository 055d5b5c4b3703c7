import '#features/apps/words.ts'
import { createSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/apps/sheet.css?url'

/** The look of the pages of apps. */
export const Sheet = createSheet(sheet, 'apps')
