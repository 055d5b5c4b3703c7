import '#features/audit-trail/words.ts'
import { createSheet } from '#ui/page/create-sheet.tsx'
import sheet from '#features/audit-trail/sheet.css?url'

/** The look of the audit trail. */
export const Sheet = createSheet(sheet, 'audit-trail')
